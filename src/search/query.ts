// The query syntax: words that must all occur, `inv*` for a prefix, `"two words"` for a phrase. Nothing else is syntax, so that
// nobody uses the query language of FTS5 by accident. Or a part of a name, which has no syntax at all.

import { Refusal } from '../domain/refusal.ts';
import { fold, hasWords, spread, toWords } from './words.ts';

const maxChars = 500;
const maxTerms = 20;
/** Shorter prefixes occur in nearly every document, and all their words would have to be read. */
const minPrefixChars = 3;

export interface Term {
  /** Folded; several are a phrase. */
  words: string[];
  /** Whether the last word is a prefix. */
  isPrefix: boolean;
  /** As an FTS5 expression. */
  quoted: string;
}

export interface Query {
  terms: Term[];
  /** The FTS5 expression of all terms, or of the part. */
  expression: string;
  /** What names must contain, folded, instead of all terms; null for a query of terms. */
  part: string | null;
}

/** `words`: in names, properties and texts; `part`: a part of a name, also within a word. */
export type Match = 'words' | 'part';

export function parseQuery(text: string | null, match: Match = 'words'): Query {
  if (text === null || text.trim() === '') throw invalid('q is missing or empty.');
  if (text.length > maxChars) throw invalid(`q can have at most ${maxChars} characters.`);
  if (/\p{Cs}|\0/u.test(text)) throw invalid('q has a character that is not text.');
  return match === 'part' ? parsePart(text) : parseTerms(text);
}

function parsePart(text: string): Query {
  const part = fold(text.trim());
  if (part === '') throw invalid('q has only marks that belong to a character.');
  return { terms: [], expression: `"${part.replaceAll('"', '""')}"`, part };
}

function parseTerms(text: string): Query {
  const terms = splitTerms(text).flatMap(toTerm);
  if (terms.length === 0) throw invalid('q has no word in it, only punctuation.');
  if (terms.length > maxTerms) throw invalid(`q can have at most ${maxTerms} words.`);
  return { terms, expression: terms.map(({ quoted }) => quoted).join(' AND '), part: null };
}

interface Piece {
  text: string;
  isPrefix: boolean;
}

/** A quotation mark is only allowed around a phrase. */
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
  // A single Chinese or Japanese character is a whole word, so it cannot be a prefix.
  const isPrefix = piece.isPrefix && spread(last) === last;
  if (isPrefix && [...last].length < minPrefixChars) {
    throw invalid(`A beginning needs at least ${minPrefixChars} characters before the asterisk.`);
  }
  return [{ words, isPrefix, quoted: `"${words.join(' ')}"${isPrefix ? ' *' : ''}` }];
}

function invalid(message: string): Refusal {
  return new Refusal('InvalidField', message, {
    target: 'q',
    hint: 'Send words that must all occur, beginnings such as inv*, and "phrases in quotation marks".',
  });
}
