// The pages of a PDF in a scroller. Only those near the screen are drawn.

import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { useViewerWords } from '../details/use-viewer-words.ts';
import { useWords } from '../words/words.tsx';
import type { PDFDocumentProxy } from './document.ts';
import { PdfPage } from './pdf-page.tsx';
import { PdfTools } from './pdf-tools.tsx';
import { type Match, usePdfSearch } from './search.ts';

interface PdfPagesProps {
  document: PDFDocumentProxy;
  name: string;
  ratio: number;
  isFull: boolean;
}

/** A page is not wider than this, in pixels, before it is zoomed. */
const maxWidth = 1_000;
const noMatches: readonly Match[] = [];

export function PdfPages({ document, name, ratio, isFull }: PdfPagesProps) {
  const words = useWords();
  const viewer = useViewerWords();
  const scroller = useRef<HTMLElement>(null);
  const fitted = useFittedWidth(scroller);
  const near = useNearPages(scroller, document, fitted > 0);
  const [zoom, setZoom] = useState(1);
  const [at, setAt] = useState(1);
  const [wanted, setWanted] = useState('');
  const [chosen, setChosen] = useState(0);
  const search = usePdfSearch(document, useDeferredValue(wanted));
  const { matches } = search;
  const current = isFull ? (matches[chosen] ?? null) : null;
  useEffect(() => {
    if (current !== null) pageElement(scroller.current, current.page)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const numbers = Array.from({ length: document.numPages }, (_, index) => index + 1);
  return (
    <>
      {isFull && (
        <PdfTools
          zoom={zoom}
          setZoom={setZoom}
          page={viewer.page(at, document.numPages)}
          wanted={wanted}
          setWanted={(text) => {
            setWanted(text);
            setChosen(0);
          }}
          search={search}
          chosen={chosen}
          setChosen={setChosen}
        />
      )}
      <section
        ref={scroller}
        className="pdf"
        aria-label={words.look.document(name)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
        tabIndex={0}
        data-scrolls
        onScroll={({ currentTarget }) => setAt(middlePage(currentTarget) ?? at)}
      >
        {fitted > 0 &&
          numbers.map((number) => (
            <PdfPage
              key={number}
              document={document}
              number={number}
              label={viewer.page(number, document.numPages)}
              width={Math.round(fitted * zoom)}
              ratio={ratio}
              isNear={near.has(number)}
              matches={matches.length === 0 ? noMatches : matches.filter(({ page }) => page === number)}
              current={current?.page === number ? current : null}
            />
          ))}
      </section>
    </>
  );
}

function pageElement(scroller: HTMLElement | null, number: number): Element | null {
  return scroller?.querySelector(`[data-page="${number}"]`) ?? null;
}

function middlePage(scroller: HTMLElement): number | null {
  const { left, top, width, height } = scroller.getBoundingClientRect();
  const element = window.document
    .elementFromPoint(left + width / 2, top + height / 2)
    ?.closest<HTMLElement>('[data-page]');
  return element?.dataset.page === undefined ? null : Number(element.dataset.page);
}

function useFittedWidth(scroller: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => {
      const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(element);
      const inner = element.clientWidth - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd);
      setWidth(Math.max(1, Math.min(maxWidth, Math.floor(inner))));
    };
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [scroller]);
  return width;
}

/** Those at most one screen away. */
function useNearPages(
  scroller: React.RefObject<HTMLElement | null>,
  document: PDFDocumentProxy,
  hasPages: boolean,
): ReadonlySet<number> {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !hasPages || document.numPages === 0) return;
    const update = (changes: readonly IntersectionObserverEntry[]) =>
      setNear((before) => {
        const after = new Set(before);
        for (const { target, isIntersecting } of changes) {
          const number = Number((target as HTMLElement).dataset.page);
          if (isIntersecting) after.add(number);
          else after.delete(number);
        }
        return after;
      });
    const watch = new IntersectionObserver(update, { root: element, rootMargin: '100% 0px' });
    for (const page of element.querySelectorAll('[data-page]')) watch.observe(page);
    return () => watch.disconnect();
  }, [scroller, document, hasPages]);
  return near;
}
