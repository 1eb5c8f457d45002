// Words as PostgreSQL keeps and looks for them: the text of `tsvector` and `tsquery` values, made of our own words, so that
// both engines find the same. Only letters and digits come through `toWords`, so nothing that is typed is syntax here.
//
// A `tsvector` holds less than 1 MiB, 256 places for each word, and no place above 16,383. What fits is one vector with all
// places. A longer document has all its words in one vector without places, which tells that they occur, and their places
// in pieces that overlap, so that words that follow each other are found wherever they stand. What is lost: words behind
// the first million bytes of different words, and whether the parts of a phrase of more than 64 words follow each other.
//
// Every vector also holds marks, which no word can look like: the blocks of entry numbers that the document is in, small
// ones and large ones. A question names one, so that its cost depends on the block, not on how much there is in all.

import type { Query, Term } from '../query.ts';
import { toWords } from '../words.ts';

const mostPlaces = 255;
const lastPlace = 16_000;
const mostLexemeBytes = 2040;
const mostVectorBytes = 1_000_000;
const mostPieceBytes = 500_000;
const overlapWords = 64;

/** Blocks of 2^n entry numbers each. */
const blockBits = [10, 14, 18, 22];
export const blockSizes: readonly number[] = blockBits.map((bits) => 2 ** bits);

export interface Described {
  space: number;
  entry: number;
  name: string;
  properties: string;
  text: string;
}

export interface Vectors {
  names: string;
  words: string;
  /** None: the places are in `words`. */
  pieces: string[];
}

export function toVectors({ space, entry, name, properties, text }: Described): Vectors {
  const marks = blockSizes.map((_, level) => toMark(space, level, entry));
  const named = toLexemes(name);
  const names = toPieces(named).map((piece) => piece.toText());
  const pieces = toPieces([...named, null, ...toLexemes(properties), null, ...toLexemes(text)]);
  const isWhole = pieces.length <= 1;
  return {
    names: [...marks, ...names.slice(0, 1)].join(' '),
    words: [...marks, ...(isWhole ? pieces.map((piece) => piece.toText()) : listAll(pieces))].join(' '),
    pieces: isWhole ? [] : pieces.map((piece) => piece.toText()),
  };
}

/** The block of this level that the entry is in. */
export function toMark(space: number, level: number, entry: number): string {
  return quote(`/${space}/${level}/${Math.floor(entry / (blockSizes[level] as number))}`);
}

function toLexemes(text: string): string[] {
  const words = text === '' ? [] : toWords(text);
  for (const [index, word] of words.entries()) {
    if (word.length * 3 > mostLexemeBytes) words[index] = cutWord(word);
  }
  return words;
}

const cut = new Uint8Array(mostLexemeBytes);

/** No question is long enough to ask for more than the beginning of such a word. */
function cutWord(word: string): string {
  return word.slice(0, new TextEncoder().encodeInto(word, cut).read);
}

class Piece {
  readonly #places = new Map<string, number[]>();
  #last = 0;
  #bytes = 0;

  /** False: it is full. */
  add(lexeme: string): boolean {
    const known = this.#places.get(lexeme);
    const isFull = this.#last >= lastPlace || this.#bytes >= mostPieceBytes;
    if (isFull || (known !== undefined && known.length >= mostPlaces)) return false;
    this.#last += 1;
    if (known !== undefined) known.push(this.#last);
    else {
      this.#places.set(lexeme, [this.#last]);
      // As many as they can be.
      this.#bytes += 3 * lexeme.length;
    }
    return true;
  }

  /** What comes next does not follow what was before. */
  addGap(): void {
    this.#last += 1;
  }

  lexemes(): Iterable<string> {
    return this.#places.keys();
  }

  toText(): string {
    let text = '';
    for (const [lexeme, places] of this.#places)
      text += `${text === '' ? '' : ' '}${quote(lexeme)}:${places.join(',')}`;
    return text;
  }
}

/** `null` stands between what does not follow each other. */
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

/** Every word once, without its places, as many as fit. */
function listAll(pieces: readonly Piece[]): string[] {
  const all = new Set<string>();
  let bytes = 0;
  for (const piece of pieces) {
    for (const lexeme of piece.lexemes()) {
      if (all.has(lexeme)) continue;
      bytes += Buffer.byteLength(lexeme);
      if (bytes > mostVectorBytes) return [...all].map(quote);
      all.add(lexeme);
    }
  }
  return [...all].map(quote);
}

function quote(lexeme: string): string {
  return `'${/['\\]/.test(lexeme) ? lexeme.replaceAll(/['\\]/g, '$&$&') : lexeme}'`;
}

/** A question in the language of `tsquery`. */
export interface Lookup {
  /** All words occur. */
  words: string;
  /** Of each of these, the words follow each other as well. */
  phrases: string[];
}

/** Null: there is no word in it. */
export function toLookup({ terms }: Query): Lookup | null {
  const asked = terms.map(toOperands).filter((operands) => operands.length > 0);
  if (asked.length === 0) return null;
  const phrases = asked.filter(({ length }) => length > 1).flatMap(toRuns);
  return {
    words: [...new Set(asked.flat())].join(' & '),
    phrases: phrases.map((run) => run.join(' <-> ')),
  };
}

function toOperands({ words, isPrefix }: Term): string[] {
  const lexemes = words.flatMap(toLexemes);
  return lexemes.map((lexeme, index) => `${quote(lexeme)}${isPrefix && index === lexemes.length - 1 ? ':*' : ''}`);
}

/** Within a piece, no more words than those that overlap are sure to stand together. */
function toRuns(operands: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (let at = 0; at < operands.length; at += overlapWords) runs.push(operands.slice(at, at + overlapWords));
  return runs.filter(({ length }) => length > 1);
}
