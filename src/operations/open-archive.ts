// A folder tree, or a selection of entries with what is beneath them, as the entries of a ZIP archive. The tree is walked page by page while the archive is sent, so it is no snapshot:
// entries removed meanwhile are left out, and each file has its content of that moment. Contents are verified like any read; a
// corrupt one aborts the archive.

import { crc32 } from 'node:zlib';
import { toWholeCrc32 } from '../archive/crc32.ts';
import type { ZipEntry } from '../archive/zip.ts';
import { chunkBytes } from '../blobs/blobs.ts';
import type { FolderCursor } from '../catalog/verbs/children-page.ts';
import type { FileContent } from '../catalog/verbs/contents.ts';
import type { Caller } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { entryNotFound, folderNotFound, notAFolder } from '../domain/missing.ts';
import { toNameKey, toRenamed } from '../domain/name.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { type OpenedFile, toOpenedFile } from './open-file.ts';
import { recordRead } from './record-read.ts';

const pageLimit = 200;
/** Reading the catalog blocks the thread: after this long the walk yields to other requests. */
const maxTurnMs = 2;

export interface OpenedArchive {
  /** Without `.zip`. */
  name: string;
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
  return { name: folder.name, entries: () => new Walk(cabinet, caller, space).entries(folderId) };
}

/** The entries come in the order of the request, each once. Names that occur twice are numbered, as `Rename` does. */
export async function openSelection(
  cabinet: Cabinet,
  caller: Caller,
  { entryIds }: { entryIds: readonly string[] },
): Promise<OpenedArchive> {
  const selected: Selected[] = [];
  const names = new FreeNames();
  for (const id of new Set(entryIds)) {
    const { space } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
    const entry = await cabinet.catalog.findEntry({ space, id });
    if (entry === null) throw entryNotFound();
    selected.push({ space, entry, name: names.take(entry) });
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (const { space, entry, name } of selected) yield* new Walk(cabinet, caller, space).tree(entry, name);
  }
  const [only] = selected;
  return { name: selected.length === 1 && only !== undefined ? only.entry.name : 'Selection', entries };
}

interface Selected {
  space: number;
  entry: Entry;
  /** Its name in the archive. */
  name: string;
}

/** Names that are unique without regard to case, because archives are also unpacked where case does not count. */
class FreeNames {
  readonly #taken = new Set<string>();

  take({ name, kind }: Entry): string {
    let free = name;
    for (let n = 2; this.#taken.has(toUnpackedKey(free)); n += 1) free = toRenamed(name, n, kind);
    this.#taken.add(toUnpackedKey(free));
    return free;
  }
}

function toUnpackedKey(name: string): string {
  return toNameKey(name).toLowerCase();
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

  /** The entry under this name, with everything beneath it. */
  async *tree(entry: Entry, name: string): AsyncGenerator<ZipEntry> {
    if (entry.kind === 'file') return yield* this.#file(entry.id, [name]);
    yield toFolder(entry, [name]);
    yield* this.entries(entry.id, [name]);
  }

  /** What is beneath the folder, depth first: each folder comes before its children. */
  async *entries(folder: string, top: readonly string[] = []): AsyncGenerator<ZipEntry> {
    const open: Level[] = [{ path: top, children: this.#children(folder) }];
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
