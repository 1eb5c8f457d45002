// Names by any part of them: `img_20` finds `IMG_2000.jpg`. Case and accents are ignored, as everywhere in the index; spaces and
// punctuation count as they are. Runs of three characters are indexed, so shorter parts are compared with every name.

import { escapeHtml } from './escape-html.ts';
import { fold } from './words.ts';

const gramChars = 3;
const wordStart = 1;
const nameStart = 2;

/** Whether the index of runs cannot find it. */
export function isShortPart(part: string): boolean {
  return [...part].length < gramChars;
}

export function hasPart(name: string, part: string): boolean {
  return fold(name).includes(part);
}

/** Every run of three characters, once. */
export function toGrams(folded: string): string[] {
  const characters = [...folded];
  const grams = new Set<string>();
  for (let at = 0; at + gramChars <= characters.length; at += 1) {
    grams.add(characters.slice(at, at + gramChars).join(''));
  }
  return [...grams];
}

/** Names that begin with the part come first, then those with a word that does; of these, the ones with less around it. */
export function toPartScore(name: string, part: string): number {
  const folded = fold(name);
  return rankPlace(folded, part) + part.length / Math.max(1, folded.length);
}

function rankPlace(folded: string, part: string): number {
  let best = 0;
  for (let at = folded.indexOf(part); at >= 0; at = folded.indexOf(part, at + 1)) {
    if (at === 0) return nameStart;
    if (!/[\p{L}\p{N}]$/u.test(folded.slice(Math.max(0, at - 2), at))) best = wordStart;
  }
  return best;
}

/** The name as HTML, with `<mark>` around each occurrence. */
export function markPart(name: string, part: string): string {
  const { folded, starts } = foldInPlace(name);
  let html = '';
  let done = 0;
  for (let at = folded.indexOf(part); at >= 0; at = folded.indexOf(part, at + part.length)) {
    const start = starts[at] as number;
    const end = starts[at + part.length] ?? name.length;
    // Two occurrences can share a character of the name, such as a ligature.
    if (start < done || end <= start) continue;
    html += `${escapeHtml(name.slice(done, start))}<mark>${escapeHtml(name.slice(start, end))}</mark>`;
    done = end;
  }
  return html + escapeHtml(name.slice(done));
}

/** The folded text, and for each of its units where the character that it comes from begins. */
function foldInPlace(text: string): { folded: string; starts: number[] } {
  const starts: number[] = [];
  let folded = '';
  let at = 0;
  for (const character of text) {
    const piece = fold(character);
    for (let unit = 0; unit < piece.length; unit += 1) starts.push(at);
    folded += piece;
    at += character.length;
  }
  return { folded, starts };
}
