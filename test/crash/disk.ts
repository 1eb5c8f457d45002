// A disk that loses power. It is fed the file effects of the service and can say at any moment what may be left of them:
//   - bytes are safe once a sync of their file that began after them has ended; until then each write may be kept, lost, or
//     kept in some of its sectors, independently of the others, and the file may have grown without them (zeros);
//   - a name (created, renamed, removed) is safe once its folder was synced; until then it may be either way. A rename is
//     one thing, also between two folders, and is safe with the folder of the new name.
// That is weaker than ext4 and XFS are, and what POSIX promises.

import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Effect } from './effects.ts';
import { Random } from './random.ts';

const sectorBytes = 512;

type Change = { at: number } & ({ place: number; bytes: Buffer } | { sizeBytes: number });

export class DiskFile {
  readonly number: number;
  readonly isFolder: boolean;
  /** What is safe. */
  safe: Buffer = Buffer.alloc(0);
  pending: Change[] = [];
  #digest: string | null = null;

  constructor(number: number, isFolder: boolean) {
    this.number = number;
    this.isFolder = isFolder;
  }

  /** Everything before `at` is safe from now on. */
  settle(at: number): void {
    const settled = this.pending.filter((change) => change.at < at);
    if (settled.length === 0) return;
    const image = new Image(this.safe, settled);
    for (const change of settled) image.keep(change);
    this.safe = image.bytes();
    this.pending = this.pending.filter((change) => change.at >= at);
    this.#digest = null;
  }

  /** Of what is safe. */
  digest(): string {
    this.#digest ??= hash('sha256', this.safe);
    return this.#digest;
  }
}

interface NameChange {
  at: number;
  /** The folder whose sync makes it safe. */
  folder: string;
  removed: string | null;
  added: string | null;
  file: DiskFile;
}

export class Disk {
  #count = 0;
  /** How many effects it has seen. */
  #at = 0;
  readonly #byInode = new Map<number, DiskFile>();
  /** As the running system sees them. */
  readonly #names = new Map<string, DiskFile>();
  readonly safeNames = new Map<string, DiskFile>();
  nameChanges: NameChange[] = [];
  /** When the sync began that a thread is in. */
  readonly #begun = new Map<number, number>();

  feed(effect: Effect): void {
    this.#at += 1;
    switch (effect.type) {
      case 'create':
      case 'mkdir':
        this.#create(effect.inode, effect.path, effect.type === 'mkdir');
        break;
      case 'write':
        this.#byInode.get(effect.inode)?.pending.push({ at: this.#at, place: effect.place, bytes: effect.bytes });
        break;
      case 'truncate':
        this.#byInode.get(effect.inode)?.pending.push({ at: this.#at, sizeBytes: effect.sizeBytes });
        break;
      case 'rename':
        this.#rename(effect.from, effect.to);
        break;
      case 'unlink':
        this.#unlink(effect.path);
        break;
      case 'sync-begun':
        this.#begun.set(effect.thread, this.#at);
        break;
      case 'sync-ended':
        this.#settle(effect.inode, effect.path, this.#begun.get(effect.thread) ?? 0);
        break;
    }
  }

  #create(inode: number, path: string, isFolder: boolean): void {
    this.#count += 1;
    const file = new DiskFile(this.#count, isFolder);
    this.#byInode.set(inode, file);
    this.#change({ removed: null, added: path, file, folder: dirname(path) });
  }

  #rename(from: string, to: string): void {
    const file = this.#names.get(from);
    if (file !== undefined) this.#change({ removed: from, added: to, file, folder: dirname(to) });
  }

  #unlink(path: string): void {
    const file = this.#names.get(path);
    if (file !== undefined) this.#change({ removed: path, added: null, file, folder: dirname(path) });
  }

  #change(change: Omit<NameChange, 'at'>): void {
    applyName(this.#names, change);
    // What lies outside the data folder is there: it was made before.
    if (change.added === '') this.safeNames.set('', change.file);
    else this.nameChanges.push({ at: this.#at, ...change });
  }

  #settle(inode: number, path: string, at: number): void {
    this.#byInode.get(inode)?.settle(at);
    const folder = path === '' ? '.' : path;
    const isSafe = (change: NameChange) => change.folder === folder && change.at < at;
    for (const change of this.nameChanges) if (isSafe(change)) applyName(this.safeNames, change);
    this.nameChanges = this.nameChanges.filter((change) => !isSafe(change));
  }

  /** What a power cut now may leave, drawn from the seed. */
  cut(seed: number): CutDisk {
    return new CutDisk(this, seed);
  }
}

function applyName(names: Map<string, DiskFile>, { removed, added, file }: Omit<NameChange, 'at'>): void {
  // A name may by now be another file's.
  if (removed !== null && names.get(removed) === file) names.delete(removed);
  if (added !== null) names.set(added, file);
}

type Fate = 'lost' | 'kept' | 'beginning' | 'some' | 'torn' | 'grown';
const fates: Fate[] = ['lost', 'lost', 'kept', 'beginning', 'some', 'torn', 'torn', 'grown'];

/** What is left after a power cut. */
export class CutDisk {
  readonly #seed: number;
  readonly names: ReadonlyMap<string, DiskFile>;

  constructor(disk: Disk, seed: number) {
    this.#seed = seed;
    const random = new Random(seed);
    const names = new Map(disk.safeNames);
    const fate = random.pick(['lost', 'kept', 'some', 'beginning'] as const);
    const most = random.below(disk.nameChanges.length + 1);
    for (const [index, change] of disk.nameChanges.entries()) {
      const isKept =
        fate === 'kept' || (fate === 'some' && random.isTrue(0.5)) || (fate === 'beginning' && index < most);
      if (isKept) applyName(names, change);
    }
    this.names = names;
  }

  /** Null: there is no such file, or no folder to find it in. */
  find(path: string): DiskFile | null {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (!this.names.has(folder)) return null;
    }
    return this.names.get(path) ?? null;
  }

  digest(file: DiskFile): string {
    return file.pending.length === 0 ? file.digest() : hash('sha256', this.read(file));
  }

  /** The same at every call. */
  read(file: DiskFile): Buffer {
    if (file.pending.length === 0) return file.safe;
    const random = new Random(this.#seed ^ Math.imul(file.number, 0x9e3779b1));
    const fate = random.pick(fates);
    const image = new Image(file.safe, file.pending);
    const most = random.below(file.pending.length + 1);
    const share = random.next();
    for (const [index, change] of file.pending.entries()) {
      if (fate === 'kept' || (fate === 'beginning' && index < most)) image.keep(change);
      else if (fate === 'some' && random.isTrue(share)) image.keep(change);
      else if (fate === 'torn') image.tear(change, random);
      else if (fate === 'grown') image.grow(change);
    }
    return image.bytes();
  }
}

/** The bytes of a file while changes are put on top of what is safe. */
class Image {
  readonly #room: Buffer;
  #size: number;

  constructor(safe: Buffer, changes: readonly Change[]) {
    const ends = changes.map((change) => ('bytes' in change ? change.place + change.bytes.length : change.sizeBytes));
    this.#room = Buffer.alloc(Math.max(safe.length, ...ends));
    safe.copy(this.#room);
    this.#size = safe.length;
  }

  keep(change: Change): void {
    if ('bytes' in change) this.#put(change.place, change.bytes);
    else this.#resize(change.sizeBytes);
  }

  grow(change: Change): void {
    if ('bytes' in change) this.#size = Math.max(this.#size, change.place + change.bytes.length);
  }

  /** Each sector is written whole or not at all; sometimes they were written up to one of them. */
  tear(change: Change, random: Random): void {
    if (!('bytes' in change)) {
      if (random.isTrue(0.5)) this.keep(change);
      return;
    }
    const { place, bytes } = change;
    const isCut = random.isTrue(0.3);
    const cut = random.below(bytes.length + 1);
    for (let at = 0; at < bytes.length; ) {
      const length = Math.min(bytes.length - at, sectorBytes - ((place + at) % sectorBytes));
      if (isCut ? at + length <= cut : random.isTrue(0.6)) this.#put(place + at, bytes.subarray(at, at + length));
      at += length;
    }
  }

  #put(place: number, bytes: Buffer): void {
    bytes.copy(this.#room, place);
    this.#size = Math.max(this.#size, place + bytes.length);
  }

  #resize(sizeBytes: number): void {
    if (sizeBytes < this.#size) this.#room.fill(0, sizeBytes, this.#size);
    this.#size = sizeBytes;
  }

  bytes(): Buffer {
    return this.#room.subarray(0, this.#size);
  }
}
