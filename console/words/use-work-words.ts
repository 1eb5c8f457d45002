// The texts of pages that are loaded when they are opened, in the language that is spoken.

import { useLanguage } from './words.tsx';
import { de } from './work-de.ts';
import { en, type WorkWords } from './work-en.ts';
import { es } from './work-es.ts';
import { fr } from './work-fr.ts';

const languages: Record<string, WorkWords> = { en, de, fr, es };

export function useWorkWords(): WorkWords {
  return languages[useLanguage()] ?? en;
}
