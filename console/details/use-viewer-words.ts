// The texts about files shown in full and their previews, in the current language.

import { viewerDe } from '../words/viewer-de.ts';
import { type ViewerWords, viewerEn } from '../words/viewer-en.ts';
import { viewerEs } from '../words/viewer-es.ts';
import { viewerFr } from '../words/viewer-fr.ts';
import { useLanguage } from '../words/words.tsx';

const catalogues: Record<string, ViewerWords> = { en: viewerEn, de: viewerDe, fr: viewerFr, es: viewerEs };

export function useViewerWords(): ViewerWords {
  return catalogues[useLanguage()] ?? viewerEn;
}
