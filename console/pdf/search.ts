// Search in a PDF: page by page, since each page's text has to be read first.

import { useEffect, useState } from 'react';
import type { PDFDocumentProxy } from './document.ts';
import { findSpans, type PageText, type Span, type TextItem, toPageText } from './page-text.ts';

const maxMatches = 1_000;

export interface Match extends Span {
  page: number;
}

export interface PdfSearch {
  matches: readonly Match[];
  /** Whether all pages were searched. */
  isWhole: boolean;
}

const nothing: PdfSearch = { matches: [], isWhole: true };
const known = new WeakMap<PDFDocumentProxy, Map<number, Promise<PageText>>>();

export function readPageText(document: PDFDocumentProxy, number: number): Promise<PageText> {
  const pages = known.get(document) ?? new Map<number, Promise<PageText>>();
  known.set(document, pages);
  const text = pages.get(number) ?? readText(document, number);
  pages.set(number, text);
  return text;
}

async function readText(document: PDFDocumentProxy, number: number): Promise<PageText> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  return toPageText(items.filter((item): item is typeof item & TextItem => 'str' in item));
}

export function usePdfSearch(document: PDFDocumentProxy, wanted: string): PdfSearch {
  const [search, setSearch] = useState(nothing);
  useEffect(() => {
    setSearch(nothing);
    if (wanted.trim() === '') return;
    let isWanted = true;
    const run = async () => {
      const matches: Match[] = [];
      for (let page = 1; page <= document.numPages && matches.length < maxMatches; page += 1) {
        const text = await readPageText(document, page);
        if (!isWanted) return;
        const found = findSpans(text, wanted, maxMatches - matches.length);
        for (const span of found) matches.push({ ...span, page });
        const isWhole = page === document.numPages || matches.length === maxMatches;
        if (found.length > 0 || isWhole) setSearch({ matches: [...matches], isWhole });
      }
    };
    // A page that cannot be read is not drawn either.
    run().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [document, wanted]);
  return search;
}
