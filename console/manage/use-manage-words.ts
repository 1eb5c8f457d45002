// The texts of the admin pages in the current language.

import { manageDe } from '../words/manage-de.ts';
import { type ManageWords, manageEn } from '../words/manage-en.ts';
import { manageEs } from '../words/manage-es.ts';
import { manageFr } from '../words/manage-fr.ts';
import { useLanguage, useWords } from '../words/words.tsx';

const catalogues: Record<string, ManageWords> = { en: manageEn, de: manageDe, fr: manageFr, es: manageEs };

export function useManageWords(): ManageWords {
  return catalogues[useLanguage()] ?? manageEn;
}

/** How times, sizes and numbers are written: `en-GB`, where the words are `en`. */
export function useLocale(): string {
  return useWords().locale;
}
