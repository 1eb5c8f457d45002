// What weighs how much: BM25's formula for how often a word occurs and how long the text is, names above properties above
// text. The rarity of a word is left out: it would have to be counted over the whole index at every question, and what
// other spaces hold would show in the order. So the weight of a document depends on the document and the question alone,
// and a page that follows another goes on exactly where that ended.

import type { Term } from './query.ts';
import { findCount, hashWord, toWords } from './words.ts';

const nameWeight = 8;
const propertiesWeight = 3;
const saturation = 1.2;
const lengthShare = 0.75;
const usualWords = { name: 3, properties: 10, text: 300 };

export interface Weighed {
  name: string;
  properties: string;
  /** How many words the text has, and how often those occur that occur more than once. */
  words: number;
  pairs: Uint32Array;
}

export function toScore(terms: readonly Term[], { name, properties, words, pairs }: Weighed): number {
  const nameWords = toWords(name);
  const propertyWords = properties === '' ? [] : toWords(properties);
  let score = 0;
  for (const term of terms) {
    const inName = countTerm(nameWords, term);
    const inProperties = countTerm(propertyWords, term);
    score += nameWeight * saturate(inName, nameWords.length / usualWords.name);
    score += propertiesWeight * saturate(inProperties, propertyWords.length / usualWords.properties);
    // What occurs nowhere else must occur in the text, for it was found.
    const inText = countInText(term, pairs) || (inName + inProperties === 0 ? 1 : 0);
    if (words > 0) score += saturate(inText, words / usualWords.text);
  }
  return score;
}

function saturate(count: number, relativeLength: number): number {
  if (count === 0) return 0;
  return (count * (saturation + 1)) / (count + saturation * (1 - lengthShare + lengthShare * relativeLength));
}

/** Only of single whole words it is known; 0: at most once. */
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

function isSame(given: string, wanted: string, isPrefix: boolean): boolean {
  return isPrefix ? given.startsWith(wanted) : given === wanted;
}
