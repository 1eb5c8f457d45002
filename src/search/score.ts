// The score of a document: the BM25 formula for term frequency and length, names above properties above text. Inverse document
// frequency is left out: it would have to be counted over the whole index for every query, and would reveal what other spaces hold.
// So a score depends on the document and the query alone, and a page continues exactly where the last one ended.

import type { Term } from './query.ts';
import { findCount, hashWord, toWords } from './words.ts';

const nameWeight = 8;
const propertiesWeight = 3;
const saturation = 1.2;
const lengthShare = 0.75;
const usualWords = { name: 3, properties: 10, text: 300 };

interface ScoredDocument {
  name: string;
  properties: string;
  /** The number of words of the text, and the counts of those that occur more than once. */
  words: number;
  pairs: Uint32Array;
}

export function toScore(terms: readonly Term[], { name, properties, words, pairs }: ScoredDocument): number {
  const nameWords = toWords(name);
  const propertyWords = properties === '' ? [] : toWords(properties);
  let score = 0;
  for (const term of terms) {
    const inName = countTerm(nameWords, term);
    const inProperties = countTerm(propertyWords, term);
    score += nameWeight * saturate(inName, nameWords.length / usualWords.name);
    score += propertiesWeight * saturate(inProperties, propertyWords.length / usualWords.properties);
    // A term that matched neither name nor properties must be in the text.
    const inText = countInText(term, pairs) || (inName + inProperties === 0 ? 1 : 0);
    if (words > 0) score += saturate(inText, words / usualWords.text);
  }
  return score;
}

function saturate(count: number, relativeLength: number): number {
  if (count === 0) return 0;
  return (count * (saturation + 1)) / (count + saturation * (1 - lengthShare + lengthShare * relativeLength));
}

/** Known for single whole words only; 0 means at most once. */
function countInText({ words, isPrefix }: Term, pairs: Uint32Array): number {
  const [only] = words;
  if (only === undefined || words.length > 1 || isPrefix) return 0;
  const count = findCount(pairs, hashWord(only));
  return count > 1 ? count : 0;
}

function countTerm(inText: readonly string[], { words, isPrefix }: Term): number {
  let count = 0;
  for (let start = 0; start + words.length <= inText.length; start += 1) {
    if (
      words.every((word, index) =>
        isSame(inText[start + index] as string, word, isPrefix && index === words.length - 1),
      )
    )
      count += 1;
  }
  return count;
}

function isSame(actual: string, wanted: string, isPrefix: boolean): boolean {
  return isPrefix ? actual.startsWith(wanted) : actual === wanted;
}
