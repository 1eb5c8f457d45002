// The texts about sharing in the current language.

import { sharingDe } from '../words/sharing-de.ts';
import { type SharingWords, sharingEn } from '../words/sharing-en.ts';
import { useLanguage } from '../words/words.tsx';

const catalogues: Record<string, SharingWords> = { en: sharingEn, de: sharingDe };

export function useSharingWords(): SharingWords {
  return catalogues[useLanguage()] ?? sharingEn;
}
