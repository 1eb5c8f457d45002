// The texts of the account page in the current language.

import { accountDe } from '../words/account-de.ts';
import { type AccountWords, accountEn } from '../words/account-en.ts';
import { accountEs } from '../words/account-es.ts';
import { accountFr } from '../words/account-fr.ts';
import { useLanguage } from '../words/words.tsx';

const catalogues: Record<string, AccountWords> = { en: accountEn, de: accountDe, fr: accountFr, es: accountEs };

export function useAccountWords(): AccountWords {
  return catalogues[useLanguage()] ?? accountEn;
}
