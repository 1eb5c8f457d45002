// Refusals about links in the words of the page, where the service says them in English.

import { codeOf } from '../parts/error-text.ts';
import type { LinksWords } from '../words/links-en.ts';

/** The same error if nothing can be said better. */
export function toLinkProblem(error: unknown, { problems }: LinksWords): unknown {
  const text = findText(error, problems);
  return text === null ? error : new Error(text);
}

function findText(error: unknown, problems: LinksWords['problems']): string | null {
  const { message = '', target } = (error ?? {}) as { message?: string; target?: string | null };
  switch (codeOf(error)) {
    case 'ShareNotFound':
      return problems.gone;
    case 'Forbidden':
      if (/Links are disabled/.test(message)) return problems.off;
      if (target === 'manager') return problems.onlyManagers;
      return /creator of the link/.test(message) ? problems.notYours : null;
    case 'InvalidField':
      return findFieldText({ message, target: target ?? '' }, problems);
    default:
      return null;
  }
}

function findFieldText(
  { message, target }: { message: string; target: string },
  problems: LinksWords['problems'],
): string | null {
  const [, days] = /(\d+) days? from now/.exec(message) ?? [];
  if (target === 'Shares.MaxDays' && !/must not allow/.test(message)) return problems.maxDays;
  if (target.startsWith('Shares')) return problems.laxer;
  switch (target) {
    case 'Password':
      return /needs a password/.test(message) ? problems.passwordRequired : problems.password;
    case 'ExpiresAt':
      return days === undefined ? problems.past : problems.tooLong(Number(days));
    case 'MaxDownloads':
      return problems.maxDownloads;
    case 'Name':
      return problems.name;
    case 'Note':
      return problems.note;
    default:
      return null;
  }
}
