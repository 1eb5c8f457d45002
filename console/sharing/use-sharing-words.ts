// The texts about sharing in the current language.

import { sharingDe } from '../words/sharing-de.ts';
import { type SharingWords, sharingEn } from '../words/sharing-en.ts';
import { sharingFr } from '../words/sharing-fr.ts';
import { useLanguage } from '../words/words.tsx';

const catalogues: Record<string, SharingWords> = { en: sharingEn, de: sharingDe, fr: sharingFr };

export function useSharingWords(): SharingWords {
  return catalogues[useLanguage()] ?? sharingEn;
}
