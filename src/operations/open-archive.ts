// A folder tree as the entries of a ZIP archive. The tree is walked page by page while the archive is sent, so it is no snapshot:
// entries removed meanwhile are left out, and each file has its content of that moment. Contents are verified like any read; a
// corrupt one aborts the archive.

import { crc32 } from 'node:zlib';
import { toWholeCrc32 } from '../archive/crc32.ts';
import type { ZipEntry } from '../archive/zip.ts';
import { chunkBytes } from '../blobs/blobs.ts';
import type { FileContent } from '../catalog/verbs/contents.ts';
import type { FolderCursor } from '../catalog/verbs/list-folder.ts';
import type { Caller } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { folderNotFound, notAFolder } from '../domain/missing.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { type OpenedFile, toOpenedFile } from './open-file.ts';
import { recordRead } from './record-read.ts';

const pageLimit = 200;
/** Reading the catalog blocks the thread: after this long the walk yields to other requests. */
const maxTurnMs = 2;

export interface OpenedArchive {
  folder: Entry;
  /** Can be iterated once. Nothing is read before. */
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
  #turnStartedAt = performance.now();

  constructor(cabinet: Cabinet, caller: Caller, space: number) {
    this.#cabinet = cabinet;
    this.#caller = caller;
    this.#space = space;
  }

  /** Depth first: each folder comes before its children. */
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
    let after: FolderCursor | null = null;
    do {
      await this.#yieldToOthers();
      const params = { space: this.#space, folder, order: 'name' as const, limit: pageLimit };
      const page = await this.#cabinet.catalog.listFolder(after === null ? params : { ...params, after });
      if (page === null) return;
      yield* page.children;
      after = page.next;
    } while (after !== null);
  }

  async *#file(id: string, path: readonly string[]): AsyncGenerator<ZipEntry> {
    await this.#yieldToOthers();
    const opened = await this.#begin(id);
    if (opened === null) return;
    const { content, chunks, first } = opened;
    const sum = content.bytes === null ? toSum(content) : crc32(content.bytes);
    async function* read() {
      for (let next = first; !next.done; next = await chunks.next()) yield next.value;
    }
    const { modifiedAt: modifiedAtMs, sizeBytes } = content;
    try {
      yield { path, isFolder: false, modifiedAtMs, sizeBytes, crc32: sum, read };
    } finally {
      await chunks.return?.();
    }
  }

  /** Reads, and so verifies, the first bytes before the entry is announced. A blob that is gone belonged to a version that is gone
   *  too: then there is a newer version, or the file is gone as well. */
  async #begin(id: string, failed: FileContent | null = null): Promise<OpenedContent | null> {
    const content = await this.#cabinet.catalog.findContent({ space: this.#space, id, version: null });
    if (content === null) return null;
    const chunks = this.#open(id, content).read({ start: 0, end: content.sizeBytes })[Symbol.asyncIterator]();
    try {
      return { content, chunks, first: await chunks.next() };
    } catch (error) {
      if (failed !== null && failed.version === content.version) throw error;
      return await this.#begin(id, content);
    }
  }

  #open(id: string, content: FileContent): OpenedFile {
    const read = { space: this.#space, entry: id, version: content.version, caller: this.#caller };
    return recordRead(this.#cabinet, toOpenedFile(this.#cabinet, content), read);
  }

  async #yieldToOthers(): Promise<void> {
    if (performance.now() - this.#turnStartedAt < maxTurnMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnStartedAt = performance.now();
  }
}

/** A folder whose children are being listed. */
interface Level {
  path: readonly string[];
  children: AsyncGenerator<Entry, undefined>;
}

interface OpenedContent {
  content: FileContent;
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
