// What is verified, and how the verification reports its progress.

import type { Blobs } from '../../blobs/blobs.ts';
import type { JournalFiles } from '../../catalog/journal-files.ts';
import type { JournalKeys } from '../../catalog/journal-keys.ts';
import type { TableStore } from '../../catalog/table-store.ts';

export interface Subject {
  tables: TableStore;
  /** Whether the database can check itself, and sums are written in the transaction of their parts. */
  isSqlite: boolean;
  blobs: Pick<Blobs, 'open' | 'list'>;
  journalFiles: JournalFiles;
  journalKeys: Pick<JournalKeys, 'list'>;
}

export interface Progress {
  step: string;
  done: number;
  of: number;
}

export interface VerifyOptions {
  onProgress(progress: Progress): void;
  /** Called with the number of bytes that were read; waits if that was too fast. */
  throttle(bytes: number): Promise<void>;
  signal: AbortSignal;
}
