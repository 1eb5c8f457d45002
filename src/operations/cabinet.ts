// What every operation works on: one environment's catalog and blobs, and what it allows.

import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { NameRules } from '../domain/name.ts';
import type { SignInLimits } from './sign-in.ts';

export interface Limits {
  /** Contents up to this size are written into the catalog, with their record. */
  inlineBytes: number;
  fileBytes: number;
  /** Free space that a save must leave on the disk. */
  reserveBytes: number;
}

/** What all uploads together have gathered and not yet handed to the disk. When it is much, each gathers less. */
export class UploadMemory {
  usedBytes = 0;

  get blockBytes(): number {
    return this.usedBytes < 64 * 1024 * 1024 ? 1024 * 1024 : 64 * 1024;
  }
}

export interface Cabinet {
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  readonly limits: Limits;
  readonly names: NameRules;
  /** Bytes that are free where contents are kept, as of a moment ago. */
  freeBytes(): number;
  /** Blobs that are being written or wait for their record: the sweeper leaves them alone. */
  readonly pendingBlobs: Set<string>;
  readonly uploadMemory: UploadMemory;
  readonly signInLimits: SignInLimits;
}
