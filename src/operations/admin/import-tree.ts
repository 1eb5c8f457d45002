// Imports a directory of the machine: saves every folder and file with its times. Files that exist with the same size and time are
// skipped, so that an interrupted import can be resumed. What cannot be imported is reported, never repaired.

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

/** Concurrent saves share disk syncs. A file that becomes a blob holds some MiB of memory, so it counts as several. */
const maxConcurrentFiles = 32;
const blobWeight = 8;
const maxListed = 1000;
const progressEveryMs = 250;

/** Refusals that end the import: every later save would be refused too. */
const finalCodes: ReadonlySet<RefusalCode> = new Set([
  'Forbidden',
  'InsufficientScope',
  'QuotaExceeded',
  'StorageFull',
]);

interface ImportRequest {
  /** The target space; `caller` must have access to it. */
  access: SpaceAccess;
  /** An absolute path. */
  directory: string;
  /** The names from the root down to the target folder; missing folders are created. */
  into: readonly string[];
  /** A directory that is skipped wherever it occurs. */
  except: { dev: number; ino: number } | null;
  onProgress(report: ImportReport): void;
  /** Ends the import; what was imported stays. */
  signal: AbortSignal;
}

export interface ImportReport {
  /** Created folders. */
  folders: number;
  /** Files saved as new ones or as new versions. */
  files: number;
  bytes: number;
  /** Files that existed already. */
  unchanged: number;
  skippedCount: number;
  /** The first thousand. */
  skipped: { path: string; problem: string }[];
  /** Why the import ended early; null when it did not. */
  stopped: string | null;
}

export async function importTree(cabinet: Cabinet, caller: Caller, request: ImportRequest): Promise<ImportReport> {
  const running = new Import(cabinet, caller, request);
  const progress = cabinet.clock.every(progressEveryMs, () => request.onProgress(running.report));
  try {
    await running.run();
  } finally {
    progress.cancel();
  }
  return running.report;
}

/** A folder of the space, and the directory that is imported into it. */
interface Pair {
  folder: string;
  /** The import created it, so it has no other entries. */
  isNew: boolean;
  directory: string;
  /** The path from the top, for the report. */
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
      await this.#importFolder({ ...target, directory, path: '' });
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
      const entry: Entry | null = isNew ? null : await this.#find(folder, name);
      if (entry?.kind === 'file') throw notAFolder('into');
      isNew = entry === null;
      folder = entry?.id ?? (await this.#createFolder(folder, name, null)).id;
    }
    return { folder, isNew };
  }

  async #find(folder: string, name: string): Promise<Entry | null> {
    const params = { space: this.#request.access.space, root: folder, nameKeys: [toNameKey(name)] };
    return (await this.#cabinet.catalog.findByPath(params))?.entry ?? null;
  }

  async #createFolder(parent: string, name: string, stats: Stats | null): Promise<Entry> {
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

  async #importFolder(pair: Pair): Promise<void> {
    const folders: LocalEntry[] = [];
    try {
      for await (const entry of this.#list(pair)) {
        if (entry.stats.isDirectory()) folders.push(entry);
        else await this.#start(this.#weigh(entry), () => this.#importFile(pair, entry));
        if (this.#ended.signal.aborted) return;
      }
    } catch (error) {
      this.#skip(pair.path || '/', toProblem(error));
    }
    for (const entry of folders) {
      if (this.#ended.signal.aborted) return;
      const child = await this.#openFolder(pair, entry);
      if (child !== null) await this.#importFolder(child);
    }
  }

  /** Entries that can be imported; reports the others. */
  async *#list({ directory, path }: Pair): AsyncGenerator<LocalEntry> {
    const seen = new Set<string>();
    for await (const entry of listLocal(directory)) {
      const problem = 'problem' in entry ? entry.problem : (this.#toProblem(entry) ?? findDuplicate(entry.name, seen));
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
      const existing = pair.isNew ? null : await this.#find(pair.folder, name);
      if (existing?.kind === 'file') {
        this.#skip(path, 'A file of this name is there.');
        return null;
      }
      const folder = existing?.id ?? (await this.#createFolder(pair.folder, name, stats)).id;
      return { folder, isNew: existing === null, directory, path };
    } catch (error) {
      this.#onError(path, error);
      return null;
    }
  }

  #weigh({ stats }: LocalEntry): number {
    return stats.size > this.#cabinet.limits.inlineBytes ? blobWeight : 1;
  }

  /** Starts a file when fewer than the maximum are running. */
  async #start(weight: number, run: () => Promise<void>): Promise<void> {
    while (this.#weight + weight > maxConcurrentFiles) await Promise.race(this.#running);
    this.#weight += weight;
    const running = run().finally(() => {
      this.#weight -= weight;
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async #importFile(pair: Pair, entry: LocalEntry): Promise<void> {
    try {
      if (!pair.isNew && (await this.#isUnchanged(pair, entry))) {
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
      this.#onError(`${pair.path}/${entry.name}`, error);
    }
  }

  /** By size and time. Where either differs, the verb that saves the file compares the bytes. */
  async #isUnchanged({ folder }: Pair, { name, stats }: LocalEntry): Promise<boolean> {
    const existing = await this.#find(folder, name);
    return (
      existing?.kind === 'file' &&
      existing.sizeBytes === stats.size &&
      existing.modifiedAt === toTimes(stats).modifiedAt
    );
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

  /** Reports and skips one file or folder, or ends the import. */
  #onError(path: string, error: unknown): void {
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
    const isExpected = error instanceof Refusal || (error instanceof Fault && error.kind === 'full');
    if (!isExpected) this.#fault = error;
    this.#stop(isExpected ? error.message : 'A fault.');
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

/** Names that differ only in Unicode form are the same here; the second file would become a version of the first. */
function findDuplicate(name: string, seen: Set<string>): string | null {
  if (/^[\x20-\x7e]*$/.test(name)) return null;
  const key = toNameKey(name);
  if (seen.has(key)) return 'Another name here is the same but for its Unicode form.';
  seen.add(key);
  return null;
}
