// From an error to what a person can do about it, and the tracking id that an administrator can look up.

import type { Words } from '../words/en.ts';
import { tell } from './notices.tsx';

/** What the SDK's errors carry; errors of the page itself carry none of it. */
interface Told {
  code?: string;
  status?: number;
  target?: string | null;
  hint?: string | null;
  trackingId?: string | null;
  retryAfter?: number | null;
  conflicts?: readonly { Name: string }[];
}

export interface Explained {
  text: string;
  trackingId: string | null;
}

export function codeOf(error: unknown): string | null {
  return (error as Told | null)?.code ?? null;
}

export function explain(error: unknown, words: Words): Explained {
  const { trackingId, ...told } = (error ?? {}) as Told;
  return { text: toText(told, error, words.trouble), trackingId: trackingId ?? null };
}

function toText(told: Told, error: unknown, words: Words['trouble']): string {
  const message = error instanceof Error ? error.message : String(error);
  switch (told.code) {
    case 'Unreachable':
      return words.unreachable;
    case 'Forbidden':
      return words.forbidden(told.target ?? '');
    case 'NameAlreadyExists':
      return told.conflicts?.[0] === undefined ? message : words.taken(told.conflicts[0].Name);
    case 'EntryNotFound':
    case 'FileNotFound':
    case 'FolderNotFound':
      return words.missing;
    case 'StorageFull':
      return words.full;
    case 'QuotaExceeded':
      return words.quota;
    case 'TooManyRequests':
      return words.busy(told.retryAfter ?? 1);
    case 'InternalError':
    case 'StorageUnavailable':
    case 'ShuttingDown':
      return words.inside;
    default:
      return told.hint ? `${message} ${told.hint}` : message;
  }
}

/** At the edge of the page: for what was asked by a key or a menu. */
export function tellTrouble(error: unknown, words: Words): void {
  const { text, trackingId } = explain(error, words);
  tell({ text, trackingId, isBad: true });
}
