// The context of every operation: one environment's catalog, blobs and limits.

import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Commits } from '../catalog/commits.ts';
import type { JournalFiles } from '../catalog/journal-files.ts';
import type { JournalKeys } from '../catalog/journal-keys.ts';
import type { NameRules } from '../domain/name.ts';
import type { ShareRules } from '../domain/share-rules.ts';
import type { Clock } from '../runtime/clock.ts';
import type { LineLog } from '../runtime/line-log.ts';
import type { DocumentTexts } from '../search/extract/document-texts.ts';
import type { Search } from '../search/search.ts';
import type { Thumbnails } from '../thumbnails/thumbnails.ts';
import type { Hasher } from './hasher.ts';
import type { Leases } from './leases.ts';
import type { PreviewFinder } from './preview-finder.ts';
import type { Quotas } from './quotas.ts';
import type { ReadMemory } from './read-memory.ts';
import type { ShareLimits } from './share-limits.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { ActiveUploads } from './upload-locks.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface Limits {
  /** Contents up to this size are stored in the catalog, with their record. */
  inlineBytes: number;
  fileBytes: number;
  /** The quota of new spaces; null: unlimited. */
  spaceQuotaBytes: number | null;
  /** How many spaces a person may create; null: unlimited. */
  spacesPerPerson: number | null;
  /** Free space that a save must leave on the disk. */
  reserveBytes: number;
  /** Older rows of the journal are archived into files; null archives none. */
  journalMs: number | null;
  /** Versions that a file keeps; null keeps all. */
  keptVersions: number | null;
  /** How long a superseded version is kept; null keeps it forever. */
  versionMs: number | null;
  /** How long the trash keeps an entry; null keeps it forever. */
  trashMs: number | null;
  /** How long an upload waits for its next bytes. */
  uploadMs: number;
}

/** What the settings say about links for people without an account. */
export interface SharePolicy extends ShareRules {
  uploadMaxBytes: number;
}

const highMemoryBytes = 64 * 1024 * 1024;

/** Memory that all uploads of a thread hold for blocks not yet written. When it is high, each upload uses smaller blocks. */
export class UploadMemory {
  usedBytes = 0;
  readonly #highBytes: number;

  constructor(threads = 1) {
    this.#highBytes = highMemoryBytes / threads;
  }

  get blockBytes(): number {
    return this.usedBytes < this.#highBytes ? 1024 * 1024 : 64 * 1024;
  }
}

/** Where signed heads of the journal are appended. */
export interface JournalAnchor {
  /** Null: only the log has them. */
  readonly lines: LineLog | null;
  /** The last position that this process has appended. */
  anchoredPosition: number;
}

export interface Cabinet {
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  readonly limits: Limits;
  readonly names: NameRules;
  /** Free bytes in the content store, measured a moment ago. */
  freeBytes(): number;
  readonly leases: Leases;
  readonly uploadMemory: UploadMemory;
  readonly readMemory: ReadMemory;
  readonly hasher: Hasher;
  readonly uploads: ActiveUploads;
  readonly signInLimits: SignInLimits;
  /** Checks the password against its stored hash. Limited to a few at once in the whole process; each `source` waits in its own
   *  queue. */
  isPassword(password: string, stored: string, source: string): Promise<boolean>;
  /** Hashes app passwords. */
  readonly appPasswordKey: Uint8Array;
  /** Encrypts the secrets of webhooks. */
  readonly webhookKey: Uint8Array;
  /** Encrypts the secrets of shares, and signs the cookies of their pages. */
  readonly shareKey: Uint8Array;
  readonly sharePolicy: SharePolicy;
  /** Limits wrong passwords of shares. */
  readonly shareLimits: ShareLimits;
  /** Encrypts the secrets of second factors, and hashes recovery codes. */
  readonly secondFactorKey: Uint8Array;
  /** Whether everybody needs a second factor. */
  readonly isSecondFactorRequired: boolean;
  readonly webhookSender: WebhookSender;
  readonly quotas: Quotas;
  readonly journalFiles: JournalFiles;
  readonly journalKeys: JournalKeys;
  readonly journalAnchor: JournalAnchor;
  /** Whether the journal records reads of contents. */
  readonly isReadAudited: boolean;
  /** Whether WebDAV accepts and forgets the files that systems leave in every folder. */
  readonly isLitterDiscarded: boolean;
  /** Whether there is a mutual-TLS address for server-based applications. */
  readonly hasMutualTls: boolean;
  /** Frees permanently removed entries in the background. */
  readonly purger: { nudge(): void };
  readonly commits: Commits;
  readonly search: Search;
  /** The text of documents on demand. */
  readonly texts: Pick<DocumentTexts, 'read' | 'extract'>;
  readonly thumbnails: Thumbnails;
  /** PDFs of office documents; null: no converter is configured. */
  readonly previews: PreviewFinder | null;
}
