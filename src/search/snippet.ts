// The piece of a text that shows why it was found: HTML, escaped, with `<mark>…</mark>` around the words.

import type { Term } from './query.ts';
import { spread } from './words.ts';

const beforeChars = 60;
const snippetChars = 240;

export interface Shown {
  name: string;
  properties: string;
  text: string;
}

/** From the text if it is found there, else from the properties, else the name. */
export function toSnippet(terms: readonly Term[], { name, properties, text }: Shown): string {
  const pattern = toPattern(terms);
  for (const candidate of [text, properties]) {
    const decomposed = candidate.normalize('NFD');
    const found = decomposed.search(pattern);
    if (found >= 0) return mark(cut(decomposed, found), pattern);
  }
  return mark(name.normalize('NFD'), pattern);
}

const letter = '[\\p{L}\\p{N}\\p{Co}]';

/** Matches in decomposed text, whatever the case and the diacritics, whole words only. */
function toPattern(terms: readonly Term[]): RegExp {
  const choices = terms.map(toTermPattern).sort((a, b) => b.length - a.length);
  return new RegExp(choices.join('|'), 'giu');
}

function toTermPattern({ words, isPrefix }: Term): string {
  const [first = '', last = ''] = [words[0], words.at(-1)];
  const before = isUnspaced(first) ? '' : `(?<!${letter}|\\p{M})`;
  const after = isPrefix ? `(?:${letter}|\\p{M}){0,60}` : isUnspaced(last) ? '' : `(?!${letter}|\\p{M})`;
  return before + words.map((word, index) => toGap(words[index - 1], word) + toWordPattern(word)).join('') + after;
}

/** What may stand between two words of a phrase: punctuation and line breaks, or nothing where words are not spaced. */
function toGap(before: string | undefined, word: string): string {
  if (before === undefined) return '';
  return `[^\\p{L}\\p{N}\\p{Co}]{${isUnspaced(before) || isUnspaced(word) ? 0 : 1},20}?`;
}

function isUnspaced(word: string): boolean {
  return spread(word) !== word;
}

function toWordPattern(word: string): string {
  return [...word].map((character) => `${character}\\p{M}*`).join('');
}

function cut(text: string, found: number): string {
  const start = toBoundary(text, Math.max(0, found - beforeChars), found);
  const end = Math.min(text.length, start + snippetChars);
  const isWhole = end === text.length;
  const last = isWhole ? end : Math.max(text.lastIndexOf(' ', end), found + 1, end - 40);
  return `${start > 0 ? '… ' : ''}${text.slice(start, last).replace(/\s+/gu, ' ').trim()}${isWhole ? '' : ' …'}`;
}

/** Begins behind a space, not within a word. */
function toBoundary(text: string, from: number, latest: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, latest).search(/\s/u);
  return space < 0 ? latest : from + space + 1;
}

function mark(text: string, pattern: RegExp): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    html += `${escapeHtml(text.slice(at, match.index))}<mark>${escapeHtml(match[0])}</mark>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(at));
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.normalize('NFC').replace(/[&<>"']/g, (character) => escapes[character] as string);
}
