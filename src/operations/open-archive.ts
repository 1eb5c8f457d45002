// A folder with all that is beneath it, as the entries of an archive. The tree is walked page by page while it is sent, so
// it is not frozen: what is gone when its turn comes is left out, and a file has the content of that moment. Every
// content is verified as it is when it is read alone; one that is rotten breaks the archive off.

import { crc32 } from 'node:zlib';
import { toWholeCrc32 } from '../archive/crc32.ts';
import type { ZipEntry } from '../archive/zip.ts';
import { chunkBytes } from '../blobs/blobs.ts';
import type { FileContent } from '../catalog/verbs/contents.ts';
import type { Place } from '../catalog/verbs/list-folder.ts';
import type { Caller } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { folderNotFound, notAFolder } from '../domain/missing.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { type OpenedFile, toOpenedFile } from './open-file.ts';
import { recordRead } from './record-read.ts';

const pageLimit = 200;
/** Reading the catalog holds up everyone else: after this long others have their turn. */
const longestTurnMs = 2;

export interface OpenedArchive {
  folder: Entry;
  /** Can be walked once. Nothing is read before. */
  entries(): AsyncIterable<ZipEntry>;
}

export async function openArchive(
  cabinet: Cabinet,
  caller: Caller,
  { folderId }: { folderId: string },
): Promise<OpenedArchive> {
  const missing = () => folderNotFound('FolderId');
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id: folderId, missing });
  const folder = await cabinet.catalog.findEntry({ space, id: folderId });
  if (folder === null) throw missing();
  if (folder.kind !== 'folder') throw notAFolder('FolderId');
  return { folder, entries: () => new Walk(cabinet, caller, space).entries(folderId) };
}

class Walk {
  readonly #cabinet: Cabinet;
  readonly #caller: Caller;
  readonly #space: number;
  #turnBeganAt = performance.now();

  constructor(cabinet: Cabinet, caller: Caller, space: number) {
    this.#cabinet = cabinet;
    this.#caller = caller;
    this.#space = space;
  }

  /** Folders before what is in them, each followed by all that is beneath it. */
  async *entries(folder: string): AsyncGenerator<ZipEntry> {
    const open: Level[] = [{ path: [], children: this.#children(folder) }];
    for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
      const { value: child, done } = await level.children.next();
      if (done) {
        open.pop();
        continue;
      }
      const path = [...level.path, child.name];
      if (child.kind === 'file') yield* this.#file(child.id, path);
      else {
        yield toFolder(child, path);
        open.push({ path, children: this.#children(child.id) });
      }
    }
  }

  async *#children(folder: string): AsyncGenerator<Entry, undefined> {
    let after: Place | null = null;
    do {
      await this.#giveWay();
      const asked = { space: this.#space, folder, order: 'name' as const, limit: pageLimit };
      const page = await this.#cabinet.catalog.listFolder(after === null ? asked : { ...asked, after });
      if (page === null) return;
      yield* page.children;
      after = page.next;
    } while (after !== null);
  }

  async *#file(id: string, path: readonly string[]): AsyncGenerator<ZipEntry> {
    await this.#giveWay();
    const begun = await this.#begin(id);
    if (begun === null) return;
    const { found, chunks, first } = begun;
    const sum = found.bytes === null ? toSum(found) : crc32(found.bytes);
    async function* read() {
      for (let next = first; !next.done; next = await chunks.next()) yield next.value;
    }
    const { modifiedAt: modifiedAtMs, sizeBytes } = found;
    try {
      yield { path, isFolder: false, modifiedAtMs, sizeBytes, crc32: sum, read };
    } finally {
      await chunks.return?.();
    }
  }

  /** The first bytes are read, and so verified, before anything is said of the file. A blob that is gone by then belonged
   *  to a version that is gone too: then there is another one, or the file is gone as well. */
  async #begin(id: string, failed: FileContent | null = null): Promise<BegunFile | null> {
    const found = await this.#cabinet.catalog.findContent({ space: this.#space, id, version: null });
    if (found === null) return null;
    const chunks = this.#open(id, found).read({ start: 0, end: found.sizeBytes })[Symbol.asyncIterator]();
    try {
      return { found, chunks, first: await chunks.next() };
    } catch (error) {
      if (failed !== null && failed.version === found.version) throw error;
      return await this.#begin(id, found);
    }
  }

  #open(id: string, found: FileContent): OpenedFile {
    const read = { space: this.#space, entry: id, version: found.version, caller: this.#caller };
    return recordRead(this.#cabinet, toOpenedFile(this.#cabinet, found), read);
  }

  async #giveWay(): Promise<void> {
    if (performance.now() - this.#turnBeganAt < longestTurnMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnBeganAt = performance.now();
  }
}

/** A folder whose children are being gone through. */
interface Level {
  path: readonly string[];
  children: AsyncGenerator<Entry, undefined>;
}

interface BegunFile {
  found: FileContent;
  chunks: AsyncIterator<Buffer>;
  first: IteratorResult<Buffer>;
}

function toSum({ checksums, sizeBytes }: FileContent): number {
  return toWholeCrc32(checksums ?? new Uint8Array(), sizeBytes, chunkBytes);
}

function toFolder({ modifiedAt }: Entry, path: readonly string[]): ZipEntry {
  return { path, isFolder: true, modifiedAtMs: modifiedAt, sizeBytes: 0, crc32: 0, read: readNothing };
}

async function* readNothing(): AsyncGenerator<Buffer> {}
