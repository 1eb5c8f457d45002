// The part of a text that shows a match: escaped HTML with `<mark>…</mark>` around the words. Compiles no pattern from the query,
// which would cost more than searching for the words.

import { escapeHtml } from './escape-html.ts';
import { markPart } from './parts.ts';
import type { Query, Term } from './query.ts';
import { type WordInPlace, WordScanner } from './words.ts';

const beforeChars = 60;
const snippetChars = 240;

interface SnippetSource {
  name: string;
  properties: string;
  text: string;
}

/** From the text if it has a match, else from the properties, else the name. */
export function toSnippet({ terms, part }: Query, { name, properties, text }: SnippetSource): string {
  if (part !== null) return markPart(name, part);
  for (const candidate of [text, properties]) {
    const match = findFirst(candidate, terms);
    if (match !== null) return cutAndMark(candidate, match, terms);
  }
  return mark(name, terms);
}

/** The position of the first match. */
function findFirst(text: string, terms: readonly Term[]): number | null {
  if (text === '') return null;
  const scanner = new WordScanner(text);
  if (scanner.isPlain) return findFirstPlain(text, terms, scanner);
  for (let word = scanner.next(0); word !== null; word = scanner.next(word.end)) {
    if (findEnd(scanner, word, terms) !== null) return word.start;
  }
  return null;
}

/** Nearly all text is ASCII, where `indexOf` can be used. */
function findFirstPlain(text: string, terms: readonly Term[], scanner: WordScanner): number | null {
  const lower = text.toLowerCase();
  let first: number | null = null;
  for (const term of terms) {
    const [wanted = ''] = term.words;
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
      if (first !== null && at >= first) break;
      if (at > 0 && /[a-z0-9]/.test(lower.charAt(at - 1))) continue;
      const word = scanner.next(at);
      if (word === null || findEnd(scanner, word, [term]) === null) continue;
      first = at;
      break;
    }
  }
  return first;
}

/** The end of the longest term that begins with this word; null when none does. */
function findEnd(scanner: WordScanner, first: WordInPlace, terms: readonly Term[]): number | null {
  let longest: number | null = null;
  for (const term of terms) {
    const end = findEndOf(scanner, first, term);
    if (end !== null && end > (longest ?? -1)) longest = end;
  }
  return longest;
}

function findEndOf(scanner: WordScanner, first: WordInPlace, { words, isPrefix }: Term): number | null {
  let word: WordInPlace | null = first;
  for (let index = 0; word !== null; index += 1) {
    const isLast = index === words.length - 1;
    if (!isSame(word.word, words[index] as string, isPrefix && isLast)) return null;
    if (isLast) return word.end;
    word = scanner.next(word.end);
  }
  return null;
}

function isSame(actual: string, wanted: string, isPrefix: boolean): boolean {
  return isPrefix ? actual.startsWith(wanted) : actual === wanted;
}

function cutAndMark(text: string, match: number, terms: readonly Term[]): string {
  const start = toBoundary(text, Math.max(0, match - beforeChars), match);
  const end = Math.min(text.length, start + snippetChars);
  const isWhole = end === text.length;
  const last = isWhole ? end : Math.max(text.lastIndexOf(' ', end), match + 1, end - 40);
  const piece = text
    .slice(start, last)
    .toWellFormed()
    .replace(/[\s\0]+/g, ' ')
    .trim();
  return `${start > 0 ? '… ' : ''}${mark(piece, terms)}${isWhole ? '' : ' …'}`;
}

/** Moves the start behind a space, out of a word. */
function toBoundary(text: string, from: number, latest: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, latest).search(/\s/u);
  return space < 0 ? latest : from + space + 1;
}

function mark(text: string, terms: readonly Term[]): string {
  const scanner = new WordScanner(text);
  let html = '';
  let at = 0;
  for (let word = scanner.next(0); word !== null; ) {
    const end = findEnd(scanner, word, terms);
    if (end !== null) {
      html += `${escapeHtml(text.slice(at, word.start))}<mark>${escapeHtml(text.slice(word.start, end))}</mark>`;
      at = end;
    }
    word = scanner.next(end ?? word.end);
  }
  return html + escapeHtml(text.slice(at));
}
