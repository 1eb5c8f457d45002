// What every operation works on: one environment's catalog and blobs, and what it allows.

import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Commits } from '../catalog/commits.ts';
import type { JournalFiles } from '../catalog/journal-files.ts';
import type { NameRules } from '../domain/name.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Search } from '../search/search.ts';
import type { Hasher } from './hasher.ts';
import type { Leases } from './leases.ts';
import type { Quotas } from './quotas.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { ActiveUploads } from './upload-locks.ts';

export interface Limits {
  /** Contents up to this size are written into the catalog, with their record. */
  inlineBytes: number;
  fileBytes: number;
  /** Free space that a save must leave on the disk. */
  reserveBytes: number;
  /** Rows of the journal that are older are sealed into files; null: none. */
  journalMs: number | null;
  /** Versions that a file keeps; null: all. */
  keptVersions: number | null;
  /** How long a version is kept once another has taken its place; null: for ever. */
  versionMs: number | null;
  /** How long the trash keeps what is put into it; null: for ever. */
  trashMs: number | null;
  /** How long an upload waits for its next bytes. */
  uploadMs: number;
}

const muchUploadMemory = 64 * 1024 * 1024;

/** What all uploads of a thread together have gathered and not yet handed to the disk. When it is much, each gathers less. */
export class UploadMemory {
  usedBytes = 0;
  readonly #muchBytes: number;

  constructor(threads = 1) {
    this.#muchBytes = muchUploadMemory / threads;
  }

  get blockBytes(): number {
    return this.usedBytes < this.#muchBytes ? 1024 * 1024 : 64 * 1024;
  }
}

export interface Cabinet {
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  readonly limits: Limits;
  readonly names: NameRules;
  /** Bytes that are free where contents are kept, as of a moment ago. */
  freeBytes(): number;
  readonly leases: Leases;
  readonly uploadMemory: UploadMemory;
  readonly hasher: Hasher;
  readonly uploads: ActiveUploads;
  readonly signInLimits: SignInLimits;
  /** Whether the password is the one of which this is kept. Only some at once, in the whole process. */
  isPassword(password: string, stored: string): Promise<boolean>;
  readonly quotas: Quotas;
  readonly journalFiles: JournalFiles;
  /** Whether reads of contents are recorded in the journal. */
  readonly isReadAudited: boolean;
  /** Whether server-based applications can be served. */
  readonly hasMutualTls: boolean;
  /** Removes in the background what was removed for good. */
  readonly purger: { nudge(): void };
  readonly commits: Commits;
  readonly search: Search;
}
