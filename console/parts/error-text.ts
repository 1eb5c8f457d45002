// Turns an error into a text for users. Faults of the service come with the tracking id that an administrator can look up.

import type { Words } from '../words/en.ts';
import { notify } from './notices.tsx';

/** The fields of the client's errors; other errors have none of them. */
interface ErrorFields {
  code?: string;
  status?: number;
  target?: string | null;
  hint?: string | null;
  trackingId?: string | null;
  retryAfter?: number | null;
  conflicts?: readonly { Name: string }[];
}

interface ErrorText {
  text: string;
  trackingId: string | null;
}

/** What browsers report when the person closes the dialog for a passkey, or waits too long. */
function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotAllowedError';
}

export function codeOf(error: unknown): string | null {
  return (error as ErrorFields | null)?.code ?? null;
}

export function explain(error: unknown, words: Words): ErrorText {
  const { trackingId, ...fields } = (error ?? {}) as ErrorFields;
  const isFault = (fields.status ?? 0) >= 500;
  return { text: toText(fields, error, words.trouble), trackingId: isFault ? (trackingId ?? null) : null };
}

function toText(fields: ErrorFields, error: unknown, words: Words['trouble']): string {
  if (isCancelled(error)) return words.passkeyCancelled;
  const message = error instanceof Error ? error.message : String(error);
  switch (fields.code) {
    case 'Unreachable':
      return words.unreachable;
    case 'Forbidden':
      return words.forbidden(fields.target ?? '');
    case 'NameAlreadyExists':
      return fields.conflicts?.[0] === undefined ? message : words.taken(fields.conflicts[0].Name);
    case 'InvalidName':
      return toNameProblem(message, words) ?? message;
    case 'EntryNotFound':
    case 'FileNotFound':
    case 'FolderNotFound':
      return words.missing;
    case 'Locked':
      return words.locked(/^It is locked by (.*)\.$/s.exec(message)?.[1] ?? '');
    case 'PasswordInvalid':
      return words.wrongPassword;
    case 'SecondFactorInvalid':
      return words.wrongSecondFactor;
    case 'TooManyAppPasswords':
      return words.tooManyAppPasswords;
    case 'StorageFull':
      return words.full;
    case 'QuotaExceeded':
      return words.quota;
    case 'TooManyRequests':
      return words.busy(fields.retryAfter ?? 1);
    case 'InternalError':
    case 'StorageUnavailable':
    case 'ShuttingDown':
      return words.inside;
    default:
      return fields.hint ? `${message} ${fields.hint}` : message;
  }
}

/** The service quotes the character, unless it cannot be seen. */
function toNameProblem(message: string, words: Words['trouble']): string | null {
  const [, where, character] = /(A name|Windows).* contain "(.)" \(position \d+\)/.exec(message) ?? [];
  if (character === undefined) return null;
  return where === 'Windows' ? words.nameOnWindows(character) : words.nameWith(character);
}

/** Shows a notification: for actions by a key or a menu. */
export function showError(error: unknown, words: Words): void {
  const { text, trackingId } = explain(error, words);
  notify({ text, trackingId, isBad: true });
}
