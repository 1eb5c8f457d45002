// What a migration works on: one environment in two storages, and what is different between them.

import type { Blobs } from '../../blobs/blobs.ts';
import type { JournalFiles } from '../../catalog/journal-files.ts';
import type { JournalKeys } from '../../catalog/journal-keys.ts';
import type { TableStore } from '../../catalog/table-store.ts';

/** Where the keys of an environment are kept, as one text. */
export interface KeyStorage {
  /** Null: there are none. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

export interface Side {
  /** For people; without secrets. */
  name: string;
  tables: TableStore;
  journalFiles: JournalFiles;
  journalKeys: JournalKeys;
  keys: KeyStorage;
}

export interface BlobMove {
  from: Pick<Blobs, 'open'>;
  to: Blobs;
  /** For people; without secrets. */
  fromName: string;
  toName: string;
}

export interface Migration {
  source: Side;
  target: Side;
  /** Null: large contents stay where they are. */
  blobs: BlobMove | null;
  /** What else is kept in another place afterwards. */
  moved: { records: boolean; journalFiles: boolean };
  /** The source may be in use: only large contents are copied, which never change. */
  isContentsOnly: boolean;
  /** `quick`: of large contents only their sizes are looked at. */
  verify: 'full' | 'quick';
  onProgress(progress: Progress): void;
}

export interface Progress {
  step: string;
  done: number;
  of: number;
}

export interface Difference {
  record: string;
  problem: string;
}

/** Nobody reads more. */
const maxDifferences = 100;

export class Differences {
  /** The first ones. */
  readonly list: Difference[] = [];

  /** The first thing that is wrong with a record will do. */
  add(record: string, problem: string): void {
    if (this.areEnough || this.list.some((known) => known.record === record)) return;
    this.list.push({ record, problem });
  }

  get areEnough(): boolean {
    return this.list.length >= maxDifferences;
  }
}

/** The migration is impossible as requested; the message says what to do. */
export class MigrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MigrationError';
  }
}
