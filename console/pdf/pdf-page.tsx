// One page of a PDF: drawn while it is near the screen, with its text above the drawing, so that it can be selected, found and read out.

import { useEffect, useRef, useState } from 'react';
import { TextLayer } from 'unpdf/pdfjs';
import { drawPage, type PDFDocumentProxy, type PDFPageProxy, toScale } from './document.ts';
import { type PageText, toItemParts } from './page-text.ts';
import { type Match, readPageText } from './search.ts';

interface PdfPageProps {
  document: PDFDocumentProxy;
  number: number;
  label: string;
  width: number;
  /** Height by width, until the page itself says it. */
  ratio: number;
  isNear: boolean;
  matches: readonly Match[];
  current: Match | null;
}

export function PdfPage({ document, number, label, width, ratio, isNear, matches, current }: PdfPageProps) {
  const place = useRef<HTMLDivElement>(null);
  const page = usePage(document, number, isNear);
  const words = useDrawing(place, page, isNear ? width : null);
  useHighlights({ document, number, words, matches, current });
  const natural = page?.getViewport({ scale: 1 });
  const shownRatio = natural === undefined ? ratio : natural.height / natural.width;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a page is no group of fields
    <div
      ref={place}
      className="pdf-page"
      role="group"
      aria-label={label}
      data-page={number}
      style={{ inlineSize: width, blockSize: width * shownRatio }}
    />
  );
}

function usePage(document: PDFDocumentProxy, number: number, isNear: boolean): PDFPageProxy | null {
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  useEffect(() => {
    if (!isNear) return;
    let isWanted = true;
    // A damaged page stays empty.
    document.getPage(number).then(
      (loaded) => isWanted && setPage(loaded),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [document, number, isNear]);
  return page;
}

/** Draws the page into its place, `width` pixels wide; null: not at all. Returns the elements of its text. */
function useDrawing(
  place: React.RefObject<HTMLDivElement | null>,
  page: PDFPageProxy | null,
  width: number | null,
): readonly HTMLElement[] | null {
  const [words, setWords] = useState<readonly HTMLElement[] | null>(null);
  useEffect(() => {
    if (page === null) return;
    if (width === null) {
      setWords(null);
      place.current?.replaceChildren();
      return;
    }
    let isWanted = true;
    const drawn = drawPage(page, width);
    const draw = async () => {
      await drawn.whole;
      if (!isWanted) return;
      const layer = toLayer(page, width);
      place.current?.replaceChildren(drawn.canvas, layer.element);
      const elements = await layer.fill();
      if (isWanted) setWords(elements);
    };
    draw().catch(() => undefined);
    return () => {
      isWanted = false;
      drawn.cancel();
    };
  }, [place, page, width]);
  return words;
}

function toLayer(page: PDFPageProxy, width: number) {
  const scale = toScale(page, width);
  const element = window.document.createElement('div');
  element.className = 'pdf-text';
  element.style.setProperty('--total-scale-factor', String(scale));
  return {
    element,
    async fill(): Promise<readonly HTMLElement[]> {
      const textContentSource = await page.getTextContent();
      const layer = new TextLayer({ textContentSource, container: element, viewport: page.getViewport({ scale }) });
      await layer.render();
      return layer.textDivs;
    },
  };
}

interface Highlighted extends Pick<PdfPageProps, 'document' | 'number' | 'matches' | 'current'> {
  words: readonly HTMLElement[] | null;
}

/** Marks what was found, and scrolls to the current match. Browsers without `CSS.highlights` only scroll. */
function useHighlights({ document, number, words, matches, current }: Highlighted): void {
  useEffect(() => {
    if (words === null || matches.length === 0) return;
    let isWanted = true;
    const marked: [string, Range][] = [];
    const mark = async () => {
      const text = await readPageText(document, number);
      if (!isWanted) return;
      for (const match of matches) {
        const name = match === current ? 'pdf-current' : 'pdf-found';
        const ranges = toRanges(text, match, words);
        for (const range of ranges) {
          marked.push([name, range]);
          registryOf(name)?.add(range);
        }
        if (match === current) ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: 'center' });
      }
    };
    mark().catch(() => undefined);
    return () => {
      isWanted = false;
      for (const [name, range] of marked) registryOf(name)?.delete(range);
    };
  }, [document, number, words, matches, current]);
}

function toRanges(text: PageText, match: Match, words: readonly HTMLElement[]): Range[] {
  return toItemParts(text, match).flatMap(({ item, start, end }) => {
    const node = words[item]?.firstChild;
    if (!(node instanceof Text)) return [];
    const range = new Range();
    range.setStart(node, Math.min(start, node.length));
    range.setEnd(node, Math.min(end, node.length));
    return [range];
  });
}

function registryOf(name: string): Highlight | null {
  if (!('highlights' in CSS)) return null;
  const known = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, known);
  return known;
}
