// Text as the index sees it: which characters make a word, and when two words are the same. Both engines index these words,
// scores count them and snippets mark them, so that all of them agree.

/** Letters, digits and private-use characters, with their combining marks. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;
const marks = /\p{M}+/gu;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

const beyondAscii = /[^\0-\x7f]/;

const firstHash = 0x811c9dc5;
const hashFactor = 0x01000193;

/** How much of a text is counted; the rest hardly changes the score. */
const maxCountedChars = 64 * 1024;

/** Chinese and Japanese are written without spaces: every character becomes a word, and a query of several characters a
 *  phrase. */
export function spread(text: string): string {
  return isAscii(text) ? text : text.replace(unspaced, ' $& ');
}

export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(text);
}

/** Without accents, vowel marks and case. The two letters have no case mapping of their own that would make them equal. */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(marks, '')
    .toLowerCase()
    .replace(/[ςſ]/g, (letter) => (letter === 'ς' ? 'σ' : 's'));
}

/** The text in a form that the tokenizer `ascii` of FTS5 splits into exactly the words of `toWords`. It splits ASCII text the
 *  same way and takes every other character for part of a word. */
export function toTokens(text: string): string {
  return isAscii(text) ? text : toWords(text).join(' ');
}

export function toWords(text: string): string[] {
  if (isAscii(text)) return text.toLowerCase().match(plainWord) ?? [];
  return fold(spread(text)).match(word) ?? [];
}

/** The same in the original text: a Chinese or Japanese character, or a run of others. */
const wordInPlace =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{M}*|[[\p{L}\p{N}\p{Co}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]][[\p{L}\p{N}\p{Co}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]*/gv;

const plainWord = /[A-Za-z0-9]+/g;

export interface WordInPlace {
  start: number;
  end: number;
  /** Folded. */
  word: string;
}

/** Iterates over the words of a text with their positions. */
export class WordScanner {
  /** Whether the text is ASCII. */
  readonly isPlain: boolean;
  readonly #text: string;
  readonly #pattern: RegExp;

  constructor(text: string) {
    this.#text = text;
    this.isPlain = isAscii(text);
    this.#pattern = this.isPlain ? plainWord : wordInPlace;
  }

  /** The first word at or after this position. */
  next(from: number): WordInPlace | null {
    this.#pattern.lastIndex = from;
    const match = this.#pattern.exec(this.#text);
    if (match === null) return null;
    const [word] = match;
    return { start: match.index, end: match.index + word.length, word: foldWord(word) };
  }
}

function foldWord(word: string): string {
  return isAscii(word) ? word.toLowerCase() : fold(word);
}

export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** The words that occur more than once: pairs of hash and count, sorted by hash. */
interface Frequencies {
  words: number;
  pairs: Uint32Array;
}

export function countWords(text: string): Frequencies {
  const counts = new Map<number, number>();
  let words = 0;
  for (const hash of hashWords(text.slice(0, maxCountedChars))) {
    words += 1;
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const often: number[] = [];
  for (const [hash, count] of counts) if (count > 1) often.push(hash);
  const pairs = new Uint32Array(2 * often.length);
  for (const [index, hash] of often.sort((a, b) => a - b).entries()) {
    pairs[2 * index] = hash;
    pairs[2 * index + 1] = counts.get(hash) as number;
  }
  return { words, pairs };
}

/** Nearly all text is ASCII; splitting it by hand is five times as fast. */
function hashWords(text: string): number[] {
  const hashes: number[] = [];
  let hash = firstHash;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return toWords(text).map(hashWord);
    const isLower = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
    if (isLower) hash = Math.imul(hash ^ code, hashFactor);
    else if (code >= 0x41 && code <= 0x5a) hash = Math.imul(hash ^ (code + 0x20), hashFactor);
    else if (hash !== firstHash) {
      hashes.push(hash >>> 0);
      hash = firstHash;
    }
  }
  if (hash !== firstHash) hashes.push(hash >>> 0);
  return hashes;
}

/** The count of a word that is known to occur. */
export function findCount(pairs: Uint32Array, hash: number): number {
  let low = 0;
  for (let high = pairs.length / 2; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((pairs[2 * middle] as number) < hash) low = middle + 1;
    else high = middle;
  }
  return pairs[2 * low] === hash ? (pairs[2 * low + 1] as number) : 1;
}

/** FNV-1a. A collision affects scores only, not what is found. */
export function hashWord(text: string): number {
  let hash = firstHash;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), hashFactor);
  }
  return hash >>> 0;
}
