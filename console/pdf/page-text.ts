// The text of a PDF's page as one line, to search in; and where a part of it stands among the items that the page is made of.

export interface TextItem {
  str: string;
  hasEOL: boolean;
}

export interface PageText {
  /** In lower case, one space for the end of a line. */
  text: string;
  /** Where each item begins in it. */
  starts: readonly number[];
}

export interface Span {
  start: number;
  end: number;
}

/** Part of an item. */
export interface ItemPart extends Span {
  item: number;
}

export function toPageText(items: readonly TextItem[]): PageText {
  const starts: number[] = [];
  let text = '';
  for (const { str, hasEOL } of items) {
    starts.push(text.length);
    text += toLower(str);
    if (hasEOL) text += ' ';
  }
  return { text, starts };
}

/** As long as the text: positions in one are positions in the other. */
function toLower(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

export function findSpans({ text }: PageText, wanted: string, most: number): Span[] {
  const lower = wanted.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  const spans: Span[] = [];
  if (lower === '') return spans;
  for (let at = text.indexOf(lower); at !== -1 && spans.length < most; at = text.indexOf(lower, at + lower.length)) {
    spans.push({ start: at, end: at + lower.length });
  }
  return spans;
}

/** The parts of items that a span goes over, in order. */
export function toItemParts({ text, starts }: PageText, { start, end }: Span): ItemPart[] {
  const parts: ItemPart[] = [];
  for (const [item, from] of starts.entries()) {
    if (from >= end) break;
    const to = starts[item + 1] ?? text.length;
    if (to <= start) continue;
    parts.push({ item, start: Math.max(start, from) - from, end: Math.min(end, to) - from });
  }
  return parts;
}
