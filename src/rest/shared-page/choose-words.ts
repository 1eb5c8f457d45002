// The language of the pages of links: the one that the browser prefers.

import type { PageWords } from './words.ts';
import { de } from './words-de.ts';
import { en } from './words-en.ts';

const languages: readonly PageWords[] = [en, de];

/** RFC 9110, section 12.5.4: the language that is wanted most of those that there are. */
export function chooseWords(acceptLanguage: string | undefined): PageWords {
  const wanted = (acceptLanguage ?? '').split(',').map((one) => {
    const [range = '', weight = '1'] = one.split(/;\s*q=/i);
    return { language: range.trim().split('-')[0]?.toLowerCase(), weight: Number(weight) || 0 };
  });
  const known = wanted
    .flatMap(({ language, weight }) => {
      const words = languages.find((one) => one.language === language);
      return words === undefined || weight === 0 ? [] : [{ words, weight }];
    })
    .sort((a, b) => b.weight - a.weight);
  return known[0]?.words ?? en;
}
