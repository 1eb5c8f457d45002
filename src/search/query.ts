// What a person types: words that must all occur, `inv*` for words that begin so, `"two words"` for words that follow each
// other. Nothing else is syntax, so that nobody meets the query language of FTS5 by accident.

import { Refusal } from '../domain/refusal.ts';
import { hasWords, spread, toWords } from './words.ts';

const mostChars = 500;
const mostTerms = 20;
/** Shorter beginnings occur in nearly every document, and all their words would have to be gone through. */
const leastPrefixChars = 3;

export interface Term {
  /** Folded; more than one is a phrase. */
  words: string[];
  /** Whether the last word is only a beginning. */
  isPrefix: boolean;
  /** As FTS5 is asked. */
  quoted: string;
}

export interface Query {
  terms: Term[];
  /** An expression of FTS5: all terms, anywhere. */
  expression: string;
}

export function parseQuery(text: string | null): Query {
  if (text === null || text.trim() === '') throw invalid('q is missing or empty.');
  if (text.length > mostChars) throw invalid(`q can have at most ${mostChars} characters.`);
  if (/\p{Cs}|\0/u.test(text)) throw invalid('q has a character that is not text.');
  const terms = splitTerms(text).flatMap(toTerm);
  if (terms.length === 0) throw invalid('q has no word in it, only punctuation.');
  if (terms.length > mostTerms) throw invalid(`q can have at most ${mostTerms} words.`);
  return { terms, expression: terms.map(({ quoted }) => quoted).join(' AND ') };
}

interface Piece {
  text: string;
  isPrefix: boolean;
}

/** A quote opens a phrase where a word could begin, and closes it; anywhere else it is a mistake. */
function splitTerms(text: string): Piece[] {
  const pieces: Piece[] = [];
  const piece = /\s*(?:"([^"]*)"(\*)?(?=\s|$)|([^\s"]+)(?=\s|$)|$)/uy;
  for (piece.lastIndex = 0; piece.lastIndex < text.length; ) {
    const match = piece.exec(text);
    if (match === null) throw invalid('A quotation mark in q has no partner, or stands within a word.');
    const [, phrase, star, plain] = match;
    if (phrase !== undefined) pieces.push({ text: phrase, isPrefix: star !== undefined });
    else if (plain !== undefined) pieces.push({ text: plain.replace(/\*+$/u, ''), isPrefix: plain.endsWith('*') });
  }
  return pieces;
}

function toTerm(piece: Piece): Term[] {
  if (!hasWords(piece.text)) return [];
  const words = toWords(piece.text);
  const last = words.at(-1) ?? '';
  // A single character of Chinese or Japanese is a word, and none is longer.
  const isPrefix = piece.isPrefix && spread(last) === last;
  if (isPrefix && [...last].length < leastPrefixChars) {
    throw invalid(`A beginning needs at least ${leastPrefixChars} characters before the asterisk.`);
  }
  return [{ words, isPrefix, quoted: `"${words.join(' ')}"${isPrefix ? ' *' : ''}` }];
}

function invalid(message: string): Refusal {
  return new Refusal('InvalidField', message, {
    target: 'q',
    hint: 'Send words that must all occur, beginnings such as inv*, and "phrases in quotation marks".',
  });
}
