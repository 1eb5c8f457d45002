// The language of the pages for signing in, signing out and what lies between: the one that the browser prefers. Values that are put into
// the texts are escaped by the pages.

import { chooseLanguage } from '../domain/language.ts';
import { de } from './words/de.ts';
import { type AuthWords, en } from './words/en.ts';
import { es } from './words/es.ts';
import { fr } from './words/fr.ts';

export type { AuthWords };

/** English for pages that no browser requested. */
export const usualWords: AuthWords = en;

export function chooseAuthWords(acceptLanguage: string | undefined): AuthWords {
  return chooseLanguage<AuthWords>(acceptLanguage, [en, de, fr, es]);
}
