// Takes a directory of the machine in: every folder and file beneath it is saved as any other, with the times that it has
// there. What is already here with the same size and time is passed over, so that an import that was broken off goes on
// where it stopped. What cannot be taken is told, never repaired.

import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Caller, SpaceAccess } from '../../domain/caller.ts';
import type { Entry } from '../../domain/entry.ts';
import { Fault } from '../../domain/fault.ts';
import { notAFolder } from '../../domain/missing.ts';
import { toNameKey } from '../../domain/name.ts';
import { Refusal, type RefusalCode } from '../../domain/refusal.ts';
import type { Cabinet } from '../cabinet.ts';
import { createFolder } from '../create-folder.ts';
import { receiveContent } from '../receive-content.ts';
import { admitSave, saveFile } from '../save-file.ts';
import {
  ChangedMeanwhile,
  type LocalEntry,
  listLocal,
  openLocal,
  readLocal,
  toKindProblem,
  toProblem,
  toTimes,
} from './local-tree.ts';

/** Saves that go on at once share the syncs of the disk. A file that becomes a blob holds some MiB while it comes, and
 *  counts as many. */
const filesAtOnce = 32;
const blobWeight = 8;
const maxListed = 1000;
const progressEveryMs = 250;

/** What ends the import: everything after it would be refused too. */
const finalCodes: ReadonlySet<RefusalCode> = new Set([
  'Forbidden',
  'InsufficientScope',
  'QuotaExceeded',
  'StorageFull',
]);

export interface ImportRequest {
  /** Whose: `caller` must be in it. */
  access: SpaceAccess;
  /** An absolute path. */
  directory: string;
  /** The names from the root down to the folder that takes it all; made where they are missing. */
  into: readonly string[];
  /** A directory that is not taken, wherever it is met. */
  except: { dev: number; ino: number } | null;
  onProgress(report: ImportReport): void;
  /** Ends the import; what was taken so far stays. */
  signal: AbortSignal;
}

export interface ImportReport {
  /** That were made. */
  folders: number;
  /** That were saved, as new ones or as new versions. */
  files: number;
  bytes: number;
  /** That were there already. */
  unchanged: number;
  skippedCount: number;
  /** The first thousand of them. */
  skipped: { path: string; problem: string }[];
  /** Why it ended early; null: it did not. */
  stopped: string | null;
}

export async function importTree(cabinet: Cabinet, caller: Caller, request: ImportRequest): Promise<ImportReport> {
  const running = new Import(cabinet, caller, request);
  const telling = cabinet.clock.every(progressEveryMs, () => request.onProgress(running.report));
  try {
    await running.run();
  } finally {
    telling.cancel();
  }
  return running.report;
}

/** A folder here, and the directory that goes into it. */
interface Pair {
  folder: string;
  /** Nothing is in it that we did not put there. */
  isNew: boolean;
  directory: string;
  /** From the top down, for the report. */
  path: string;
}

class Import {
  readonly report: ImportReport = {
    folders: 0,
    files: 0,
    bytes: 0,
    unchanged: 0,
    skippedCount: 0,
    skipped: [],
    stopped: null,
  };
  readonly #cabinet: Cabinet;
  readonly #caller: Caller;
  readonly #request: ImportRequest;
  readonly #ended = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #weight = 0;
  #fault: unknown = null;

  constructor(cabinet: Cabinet, caller: Caller, request: ImportRequest) {
    this.#cabinet = cabinet;
    this.#caller = caller;
    this.#request = request;
  }

  async run(): Promise<void> {
    const { signal, directory } = this.#request;
    const target = await this.#openTarget();
    const stop = () => this.#stop('It was broken off.');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    try {
      await this.#takeFolder({ ...target, directory, path: '' });
    } catch (error) {
      this.#end(error);
    } finally {
      signal.removeEventListener('abort', stop);
      await Promise.all(this.#running);
    }
    if (this.#fault !== null) throw this.#fault;
  }

  async #openTarget(): Promise<Pick<Pair, 'folder' | 'isNew'>> {
    let folder = this.#request.access.rootId;
    let isNew = false;
    for (const name of this.#request.into) {
      const found: Entry | null = isNew ? null : await this.#find(folder, name);
      if (found?.kind === 'file') throw notAFolder('into');
      isNew = found === null;
      folder = found?.id ?? (await this.#makeFolder(folder, name, null)).id;
    }
    return { folder, isNew };
  }

  async #find(folder: string, name: string): Promise<Entry | null> {
    const asked = { space: this.#request.access.space, root: folder, nameKeys: [toNameKey(name)] };
    return (await this.#cabinet.catalog.findByPath(asked))?.entry ?? null;
  }

  async #makeFolder(parent: string, name: string, stats: Stats | null): Promise<Entry> {
    const { folder } = await createFolder(this.#cabinet, this.#caller, {
      parentFolderId: parent,
      folderName: name,
      objectType: null,
      properties: null,
      conflict: 'Existing',
      idempotencyKey: null,
      ...(stats !== null && { times: toTimes(stats) }),
    });
    this.report.folders += 1;
    return folder;
  }

  async #takeFolder(pair: Pair): Promise<void> {
    const folders: LocalEntry[] = [];
    try {
      for await (const entry of this.#list(pair)) {
        if (entry.stats.isDirectory()) folders.push(entry);
        else await this.#start(this.#weigh(entry), () => this.#takeFile(pair, entry));
        if (this.#ended.signal.aborted) return;
      }
    } catch (error) {
      this.#skip(pair.path || '/', toProblem(error));
    }
    for (const entry of folders) {
      if (this.#ended.signal.aborted) return;
      const child = await this.#openFolder(pair, entry);
      if (child !== null) await this.#takeFolder(child);
    }
  }

  /** What can be taken; the rest is told. */
  async *#list({ directory, path }: Pair): AsyncGenerator<LocalEntry> {
    const seen = new Set<string>();
    for await (const entry of listLocal(directory)) {
      const problem = 'problem' in entry ? entry.problem : (this.#toProblem(entry) ?? toTwin(entry.name, seen));
      if (problem !== null || 'problem' in entry) this.#skip(`${path}/${entry.name}`, problem ?? '');
      else yield entry;
    }
  }

  #toProblem({ stats }: LocalEntry): string | null {
    const { except } = this.#request;
    const isExcept = except !== null && stats.dev === except.dev && stats.ino === except.ino;
    return isExcept ? 'It is where the service keeps its data.' : toKindProblem(stats);
  }

  async #openFolder(pair: Pair, { name, path: directory, stats }: LocalEntry): Promise<Pair | null> {
    const path = `${pair.path}/${name}`;
    try {
      const found = pair.isNew ? null : await this.#find(pair.folder, name);
      if (found?.kind === 'file') {
        this.#skip(path, 'A file of this name is there.');
        return null;
      }
      const folder = found?.id ?? (await this.#makeFolder(pair.folder, name, stats)).id;
      return { folder, isNew: found === null, directory, path };
    } catch (error) {
      this.#tell(path, error);
      return null;
    }
  }

  #weigh({ stats }: LocalEntry): number {
    return stats.size > this.#cabinet.limits.inlineBytes ? blobWeight : 1;
  }

  /** Begins a file when fewer than so many are under way. */
  async #start(weight: number, take: () => Promise<void>): Promise<void> {
    while (this.#weight + weight > filesAtOnce) await Promise.race(this.#running);
    this.#weight += weight;
    const running = take().finally(() => {
      this.#weight -= weight;
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async #takeFile(pair: Pair, entry: LocalEntry): Promise<void> {
    try {
      if (!pair.isNew && (await this.#isThere(pair, entry))) {
        this.report.unchanged += 1;
        return;
      }
      const handle = await openLocal(entry.path);
      try {
        await this.#saveFile(pair, entry.name, handle);
      } finally {
        await handle.close();
      }
    } catch (error) {
      this.#tell(`${pair.path}/${entry.name}`, error);
    }
  }

  /** By size and time; where either differs the bytes are compared, by the verb that saves them. */
  async #isThere({ folder }: Pair, { name, stats }: LocalEntry): Promise<boolean> {
    const found = await this.#find(folder, name);
    return found?.kind === 'file' && found.sizeBytes === stats.size && found.modifiedAt === toTimes(stats).modifiedAt;
  }

  async #saveFile({ folder }: Pair, fileName: string, handle: FileHandle): Promise<void> {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ChangedMeanwhile();
    const [cabinet, caller] = [this.#cabinet, this.#caller];
    const target = {
      folderId: folder,
      fileName,
      declaredBytes: stats.size,
      skipFolderCheck: true,
      idempotencyKey: null,
    };
    const destination = await admitSave(cabinet, caller, target);
    const received = await receiveContent(cabinet, readLocal(handle, stats, this.#ended.signal));
    const { position } = await saveFile(cabinet, caller, {
      destination,
      fileName,
      contentType: null,
      objectType: null,
      properties: null,
      comment: null,
      conflict: 'Version',
      idempotencyKey: null,
      times: toTimes(stats),
      received,
    });
    if (position === null) this.report.unchanged += 1;
    else {
      this.report.files += 1;
      this.report.bytes += stats.size;
    }
  }

  /** What went wrong with one file or folder: told and passed over, or the end of it all. */
  #tell(path: string, error: unknown): void {
    if (this.#ended.signal.aborted) return;
    if (error instanceof ChangedMeanwhile) this.#skip(path, 'It changed while it was read.');
    else if (error instanceof Refusal && !finalCodes.has(error.code)) this.#skip(path, error.message);
    else if (error instanceof Refusal || error instanceof Fault) this.#end(error);
    else {
      try {
        this.#skip(path, toProblem(error));
      } catch {
        this.#end(error);
      }
    }
  }

  #end(error: unknown): void {
    if (this.#ended.signal.aborted) return;
    const isTold = error instanceof Refusal || (error instanceof Fault && error.kind === 'full');
    if (!isTold) this.#fault = error;
    this.#stop(isTold ? error.message : 'A fault.');
  }

  #stop(reason: string): void {
    if (this.#ended.signal.aborted) return;
    this.report.stopped = reason;
    this.#ended.abort();
  }

  #skip(path: string, problem: string): void {
    this.report.skippedCount += 1;
    if (this.report.skipped.length < maxListed) this.report.skipped.push({ path, problem });
  }
}

/** Names that are the same for us may be two for the machine; the second one would become a version of the first. */
function toTwin(name: string, seen: Set<string>): string | null {
  if (/^[\x20-\x7e]*$/.test(name)) return null;
  const key = toNameKey(name);
  if (seen.has(key)) return 'Another name here is the same but for its Unicode form.';
  seen.add(key);
  return null;
}
