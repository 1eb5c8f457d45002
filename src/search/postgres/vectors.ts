// Words as PostgreSQL stores and finds them: the text of `tsvector` and `tsquery` values. `toWords` passes letters and digits only, so
// that nothing in a query is syntax here.
//
// A `tsvector` has less than 1 MiB, at most 256 positions per word, and no position above 16,383. A document that fits is one vector
// with positions. A longer one has all its words in one vector without positions, and the positions in overlapping pieces, so that
// phrases are found anywhere. Lost are words beyond the first million bytes of different words, and the order of the 64-word parts
// of a longer phrase.
//
// Every vector also has marks, which cannot be words: the blocks of entry numbers that contain the document, small and large ones. A
// query names one of them, so that its cost depends on the block and not on the size of the index.

import { toGrams } from '../parts.ts';
import type { Query, Term } from '../query.ts';
import { fold, toWords } from '../words.ts';

const maxPositions = 255;
const lastPosition = 16_000;
const maxLexemeBytes = 2040;
const maxVectorBytes = 1_000_000;
const maxPieceBytes = 500_000;
const overlapWords = 64;

/** Blocks of 2^n entry numbers each. */
const blockBits = [10, 14, 18, 22];
export const blockSizes: readonly number[] = blockBits.map((bits) => 2 ** bits);

interface VectorSource {
  space: number;
  entry: number;
  name: string;
  properties: string;
  text: string;
}

export interface Vectors {
  names: string;
  /** The runs of three characters of the folded name. */
  parts: string;
  words: string;
  /** Empty when the positions are in `words`. */
  pieces: string[];
}

export function toVectors({ space, entry, name, properties, text }: VectorSource): Vectors {
  const marks = blockSizes.map((_, level) => toMark(space, level, entry));
  const nameLexemes = toLexemes(name);
  const names = toPieces(nameLexemes).map((piece) => piece.toText());
  const pieces = toPieces([...nameLexemes, null, ...toLexemes(properties), null, ...toLexemes(text)]);
  const isWhole = pieces.length <= 1;
  return {
    names: [...marks, ...names.slice(0, 1)].join(' '),
    parts: [...marks, ...toGrams(fold(name)).map(quote)].join(' '),
    words: [...marks, ...(isWhole ? pieces.map((piece) => piece.toText()) : listAll(pieces))].join(' '),
    pieces: isWhole ? [] : pieces.map((piece) => piece.toText()),
  };
}

/** The block of this level that contains the entry. */
export function toMark(space: number, level: number, entry: number): string {
  return quote(`/${space}/${level}/${Math.floor(entry / (blockSizes[level] as number))}`);
}

function toLexemes(text: string): string[] {
  const words = text === '' ? [] : toWords(text);
  for (const [index, word] of words.entries()) {
    if (word.length * 3 > maxLexemeBytes) words[index] = cutWord(word);
  }
  return words;
}

const cut = new Uint8Array(maxLexemeBytes);

/** No query is long enough for more than the beginning of such a word. */
function cutWord(word: string): string {
  return word.slice(0, new TextEncoder().encodeInto(word, cut).read);
}

class Piece {
  readonly #positions = new Map<string, number[]>();
  #last = 0;
  #bytes = 0;

  /** False when the piece is full. */
  add(lexeme: string): boolean {
    const known = this.#positions.get(lexeme);
    const isFull = this.#last >= lastPosition || this.#bytes >= maxPieceBytes;
    if (isFull || (known !== undefined && known.length >= maxPositions)) return false;
    this.#last += 1;
    if (known !== undefined) known.push(this.#last);
    else {
      this.#positions.set(lexeme, [this.#last]);
      // The upper bound in UTF-8.
      this.#bytes += 3 * lexeme.length;
    }
    return true;
  }

  /** Separates words that do not follow each other. */
  addGap(): void {
    this.#last += 1;
  }

  lexemes(): Iterable<string> {
    return this.#positions.keys();
  }

  toText(): string {
    let text = '';
    for (const [lexeme, places] of this.#positions)
      text += `${text === '' ? '' : ' '}${quote(lexeme)}:${places.join(',')}`;
    return text;
  }
}

/** `null` separates words that do not follow each other. */
function toPieces(lexemes: readonly (string | null)[]): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece | null = null;
  for (let at = 0; at < lexemes.length; at += 1) {
    const lexeme = lexemes[at] ?? null;
    if (piece === null) {
      piece = new Piece();
      pieces.push(piece);
    }
    if (lexeme === null) piece.addGap();
    else if (!piece.add(lexeme)) {
      piece = null;
      at -= overlapWords;
    }
  }
  return pieces;
}

/** Every word once, without positions, as many as fit. */
function listAll(pieces: readonly Piece[]): string[] {
  const all = new Set<string>();
  let bytes = 0;
  for (const piece of pieces) {
    for (const lexeme of piece.lexemes()) {
      if (all.has(lexeme)) continue;
      bytes += Buffer.byteLength(lexeme);
      if (bytes > maxVectorBytes) return [...all].map(quote);
      all.add(lexeme);
    }
  }
  return [...all].map(quote);
}

function quote(lexeme: string): string {
  return `'${/['\\]/.test(lexeme) ? lexeme.replaceAll(/['\\]/g, '$&$&') : lexeme}'`;
}

/** A query as `tsquery` expressions. */
export interface Lookup {
  /** Requires all words. */
  words: string;
  /** Each requires its words to follow each other. */
  phrases: string[];
}

/** Null when the query has no word. */
export function toLookup({ terms, part }: Query): Lookup | null {
  if (part !== null) return { words: toGrams(part).map(quote).join(' & '), phrases: [] };
  const all = terms.map(toOperands).filter((operands) => operands.length > 0);
  if (all.length === 0) return null;
  const phrases = all.filter(({ length }) => length > 1).flatMap(toRuns);
  return {
    words: [...new Set(all.flat())].join(' & '),
    phrases: phrases.map((run) => run.join(' <-> ')),
  };
}

function toOperands({ words, isPrefix }: Term): string[] {
  const lexemes = words.flatMap(toLexemes);
  return lexemes.map((lexeme, index) => `${quote(lexeme)}${isPrefix && index === lexemes.length - 1 ? ':*' : ''}`);
}

/** Only as many words as pieces overlap are sure to be together in one piece. */
function toRuns(operands: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (let at = 0; at < operands.length; at += overlapWords) runs.push(operands.slice(at, at + overlapWords));
  return runs.filter(({ length }) => length > 1);
}
