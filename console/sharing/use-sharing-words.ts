// The texts about sharing in the current language.

import { sharingDe } from '../words/sharing-de.ts';
import { type SharingWords, sharingEn } from '../words/sharing-en.ts';
import { sharingEs } from '../words/sharing-es.ts';
import { sharingFr } from '../words/sharing-fr.ts';
import { useLanguage } from '../words/words.tsx';

const catalogues: Record<string, SharingWords> = { en: sharingEn, de: sharingDe, fr: sharingFr, es: sharingEs };

export function useSharingWords(): SharingWords {
  return catalogues[useLanguage()] ?? sharingEn;
}
