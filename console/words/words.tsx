// The language of the page and its texts: `useWords()`. The admin pages have texts of their own, and use `useLanguage()` to select them.

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { usePreferences } from '../shell/use-preferences.ts';
import { en, type Words } from './en.ts';

/** By the code of the language; those behind `import` are loaded when they are spoken. */
export const languages: Record<string, { name: string; load: () => Promise<Words> }> = {
  en: { name: 'English', load: async () => en },
  de: { name: 'Deutsch', load: async () => (await import('./de.ts')).de },
  fr: { name: 'Français', load: async () => (await import('./fr.ts')).fr },
  es: { name: 'Español', load: async () => (await import('./es.ts')).es },
};

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);
const WordsContext = createContext<Words>(en);

function toLanguage(preferred: string | null): string {
  const preferredLanguages = preferred === null ? navigator.languages : [preferred];
  return preferredLanguages.map((one) => one.split('-')[0] ?? '').find((one) => one in languages) ?? 'en';
}

/** The language as the browser's region writes it: `en-GB`, not just `en`. */
function toLocale(language: string): string {
  return navigator.languages.find((one) => one.split('-')[0] === language) ?? language;
}

export function WordsProvider({ children }: { children: ReactNode }) {
  const language = toLanguage(usePreferences().language);
  const [words, setWords] = useState<Words | null>(language === 'en' ? { ...en, locale: toLocale('en') } : null);
  useEffect(() => {
    let isWanted = true;
    void languages[language]?.load().then((loaded) => {
      if (isWanted) setWords({ ...loaded, locale: toLocale(language) });
    });
    const { documentElement } = document;
    documentElement.lang = language;
    documentElement.dir = rightToLeft.has(language) ? 'rtl' : 'ltr';
    return () => {
      isWanted = false;
    };
  }, [language]);
  if (words === null) return null;
  return (
    <I18nProvider locale={words.locale}>
      <WordsContext value={words}>{children}</WordsContext>
    </I18nProvider>
  );
}

export function useWords(): Words {
  return useContext(WordsContext);
}

/** The code of the language that is spoken. */
export function useLanguage(): string {
  return useWords().locale.split('-')[0] ?? 'en';
}
