// The language of the pages of links: the one that the browser prefers.

import { chooseLanguage } from '../../domain/language.ts';
import type { PageWords } from './words.ts';
import { de } from './words-de.ts';
import { en } from './words-en.ts';
import { es } from './words-es.ts';
import { fr } from './words-fr.ts';

export function chooseWords(acceptLanguage: string | undefined): PageWords {
  return chooseLanguage<PageWords>(acceptLanguage, [en, de, fr, es]);
}
