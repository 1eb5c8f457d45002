// What a write changes of the first pages that are kept, and how every thread of the process learns of it: the writer tells
// them all, in the order of commits, as soon as one of them keeps a page.

import type { Entry } from '../../domain/entry.ts';
import type { writes } from '../catalog.ts';
import type { CreatedFolder } from '../verbs/create-folder.ts';
import type { SavedFile, SavedVersion } from '../verbs/save-file.ts';

/** An entry that is new, or new as it is, in the folder that holds it. */
export interface Placed {
  holder: string;
  entry: Entry;
  /** The holder as it is now, where it has changed too. */
  folder?: Entry;
  /** Of the change in the journal. */
  position: number;
}

export type PageChange =
  | { isEverything: true }
  | {
      /** Folders whose pages are let go: a size that they show has changed, or an entry has come that no kept page holds. */
      gone: string[];
      placed: Placed[];
    };

/** Writes that change nothing that a page shows. One that is not known here may change everything. */
const harmless = new Set<keyof typeof writes>([
  'abandonCopies',
  'abandonCopy',
  'addApplication',
  'addCertificate',
  'addMember',
  'addSpace',
  'addUser',
  'beginUpload',
  'claimSetting',
  'commentVersion',
  'consumeIssuerRecord',
  'continueCopy',
  'dropUpload',
  'endGrant',
  'endIssuerRecord',
  'endLease',
  'emptyTrash',
  'endSignIns',
  'expireLeases',
  'expireUploads',
  'expireVersions',
  'forgetIssuerRecords',
  'forgetJournal',
  'forgetResults',
  'keepConsole',
  'keepUpload',
  'leaseBlob',
  'noteRead',
  'purgeSlice',
  'putIssuerRecord',
  'removeCertificate',
  'removeVersion',
  'renameSpace',
  'renewLeases',
  'replaceBlob',
  'rotateSecret',
  'setApplicationState',
  'setMember',
  'setPassword',
  'setQuota',
  'setRole',
  'setSetting',
  'setUserState',
  'spendUploads',
  'takeTurn',
]);

/** Of a write that was committed with this result; null: nothing. */
export function toPageChange(name: string, result: unknown): PageChange | null {
  if (name === 'saveFile' || name === 'saveVersion') return ofSave(result as SavedFile | SavedVersion | null);
  if (name === 'createFolder') return ofFolders(result as CreatedFolder);
  return harmless.has(name as keyof typeof writes) ? null : { isEverything: true };
}

function ofSave(saved: SavedFile | null): PageChange | null {
  if (saved === null || saved.isReplayed || saved.position === null) return null;
  const { file, folder, position, above } = saved;
  return withoutHeavy(above, [{ holder: folder.id, entry: file, folder, position }]);
}

function ofFolders({ isReplayed, isExisting, made }: CreatedFolder): PageChange | null {
  if (isReplayed || isExisting) return null;
  return withoutHeavy(
    [],
    made.map(({ holder, folder, position }) => ({ holder, entry: folder, position })),
  );
}

function withoutHeavy(gone: readonly string[], placed: readonly Placed[]): PageChange {
  const isTooHeavy = ({ entry, folder }: Placed) => isHeavy(entry) || (folder !== undefined && isHeavy(folder));
  const [heavy, light] = [placed.filter(isTooHeavy), placed.filter((one) => !isTooHeavy(one))];
  return { gone: [...gone, ...heavy.map(({ holder }) => holder)], placed: light };
}

/** A page with an entry of more properties than this is neither kept nor told: memory is bounded by what a page can hold. */
const mostPropertiesBytes = 2048;

export function isHeavy({ properties }: Entry): boolean {
  let bytes = 0;
  for (const key in properties) bytes += key.length + (properties[key]?.length ?? 0);
  return bytes > mostPropertiesBytes;
}

const lastTold = 0;
const wanted = 1;

/** In memory that the writer and all threads share. Commits that are told to all of them are numbered. */
export class PageNews {
  readonly shared: SharedArrayBuffer;
  readonly #numbers: Int32Array;

  constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#numbers = new Int32Array(shared);
  }

  /** Whoever asks before a page is read hears of every commit that the page does not have: the writer looks after it. */
  want(): void {
    Atomics.store(this.#numbers, wanted, 1);
  }

  get isWanted(): boolean {
    return Atomics.load(this.#numbers, wanted) === 1;
  }

  /** The number of the last commit that was told, or is about to be. */
  get last(): number {
    return Atomics.load(this.#numbers, lastTold);
  }

  /** By the writer, after a commit and before anybody hears of it. */
  next(): number {
    return (Atomics.add(this.#numbers, lastTold, 1) + 1) | 0;
  }
}
