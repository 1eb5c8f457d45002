// Backs up one environment, while it may be in use: first the catalog as it is in one moment, then everything that it points
// to. Large contents never change, so those that an earlier backup has are not copied again. Whoever calls keeps blobs from
// being discarded meanwhile, and writes the manifest when all is done.

import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Blobs } from '../../blobs/blobs.ts';
import { isJournalKeyName, type JournalKeys } from '../../catalog/journal-keys.ts';
import { snapshotSqlite } from '../../catalog/sqlite/snapshot.ts';
import { openSqliteTables } from '../../catalog/sqlite/tables.ts';
import type { TableStore } from '../../catalog/table-store.ts';
import { countLargeContents, findFileOf, type LargeContent, listLargeContents } from '../../catalog/tables.ts';
import { findOrphanBlobs } from '../../catalog/verbs/checks.ts';
import { syncFile, syncFileAt, syncFolder, writeSynced } from '../../runtime/durable-file.ts';
import type { Progress } from '../verify/subject.ts';
import { type BackedUpEnvironment, type BackedUpFile, copyFile, digestFile } from './manifest.ts';

const pageOfContents = 500;

export interface BackupTarget {
  /** The folder of the whole backup. */
  directory: string;
  /** What is new is put into a folder of this name. */
  snapshot: string;
}

export interface Source {
  /** The environment's own folder. */
  folder: string;
  name: string;
  blobs: Pick<Blobs, 'open'>;
  journalKeys: Pick<JournalKeys, 'files'>;
  onProgress(progress: Progress): void;
}

/** A large content that the environment has lost. */
export interface LostBlob {
  blob: string;
  file: string;
  problem: string;
}

export interface EnvironmentBackup {
  environment: BackedUpEnvironment;
  /** Large contents that were not there before. */
  copied: number;
  lost: LostBlob[];
}

export async function backUp(source: Source, job: BackupTarget): Promise<EnvironmentBackup> {
  const base = join(job.directory, source.name);
  const snapshot = join(base, job.snapshot);
  const inSnapshot = [snapshot, join(snapshot, 'certificates'), join(snapshot, 'journal-keys')];
  for (const folder of [...inSnapshot, join(base, 'journal'), join(base, 'blobs')]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  source.onProgress({ step: 'the catalog', done: 0, of: 1 });
  const catalog = join(snapshot, 'catalog.db');
  snapshotSqlite(join(source.folder, 'catalog.db'), catalog);
  await syncFileAt(catalog);
  const paths = [catalog, ...(await copySmall(source, base, snapshot))];
  const tables = openSqliteTables(catalog, 'source') as TableStore;
  try {
    const contents = new Contents(source, tables, join(base, 'blobs'));
    await contents.copy();
    for (const folder of [...inSnapshot, join(base, 'journal'), base, job.directory]) await syncFolder(folder);
    const { count, bytes } = await tables.read(countLargeContents());
    const Files = await Promise.all(paths.map((path) => describe(source, job, path)));
    const environment = { Name: source.name, Snapshot: job.snapshot, Files, Contents: count, Bytes: bytes };
    return { environment, copied: contents.copied, lost: contents.lost };
  } finally {
    await tables.close();
  }
}

/** Keys, certificates, sealed parts of the journal: returns where the copies are. */
async function copySmall({ folder, journalKeys }: Source, base: string, snapshot: string): Promise<string[]> {
  const copies: string[] = [];
  const copy = async (from: string, to: string) => {
    if ((await copyFile(from, to)) !== null) copies.push(to);
  };
  await copy(join(folder, 'keys.json'), join(snapshot, 'keys.json'));
  for (const name of await list(join(folder, 'certificates'))) {
    if (name.endsWith('.pem')) await copy(join(folder, 'certificates', name), join(snapshot, 'certificates', name));
  }
  // They may be elsewhere. Without them nobody could verify the chain.
  const { files } = journalKeys;
  for (const name of (await files.list()).filter(isJournalKeyName)) {
    const to = join(snapshot, 'journal-keys', name);
    await writeSynced(to, await files.read(name));
    copies.push(to);
  }
  for (const name of await list(join(folder, 'journal'))) {
    if (name.endsWith('.jsonl.gz')) await copy(join(folder, 'journal', name), join(base, 'journal', name));
  }
  return copies;
}

async function list(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function describe({ name }: Source, { directory, snapshot }: BackupTarget, path: string): Promise<BackedUpFile> {
  const Path = path.slice(directory.length + 1);
  return { Path, To: Path.replace(`${name}/${snapshot}/`, `${name}/`), ...(await digestFile(path)) };
}

class Contents {
  copied = 0;
  readonly lost: LostBlob[] = [];
  readonly #source: Source;
  readonly #tables: TableStore;
  readonly #folder: string;
  readonly #touched = new Set<string>();

  constructor(source: Source, tables: TableStore, folder: string) {
    this.#source = source;
    this.#tables = tables;
    this.#folder = folder;
  }

  async copy(): Promise<void> {
    const { bytes: of } = await this.#tables.read(countLargeContents());
    let done = 0;
    for (let after = ''; ; ) {
      const page = await this.#tables.read(listLargeContents(after, pageOfContents));
      if (page.length === 0) break;
      for (const large of page) {
        await this.#copyOne(large);
        done += large.size;
        this.#source.onProgress({ step: 'large contents', done, of });
      }
      after = page.at(-1)?.blob ?? '';
    }
    for (const shard of this.#touched) await syncFolder(shard);
    await syncFolder(this.#folder);
  }

  async #copyOne(large: LargeContent): Promise<void> {
    const shard = join(this.#folder, large.blob.slice(0, 2));
    const path = join(shard, large.blob);
    const there = await stat(path).catch(() => null);
    if (there?.size === large.size) return;
    await mkdir(shard, { recursive: true, mode: 0o700 });
    try {
      await this.#write(large, `${path}.part`);
      await rename(`${path}.part`, path);
      this.#touched.add(shard);
      this.copied += 1;
    } catch (error) {
      await unlink(`${path}.part`).catch(() => undefined);
      // Of the target: nothing more can be written.
      if (!(error instanceof SourceLost)) throw error;
      const file = await this.#tables.read(findFileOf(large.content));
      this.lost.push({ blob: large.blob, file: file?.name ?? '?', problem: error.message });
    }
  }

  async #write({ blob, size, sha256 }: LargeContent, path: string): Promise<void> {
    const file = await open(path, 'w', 0o600);
    try {
      const digest = createHash('sha256');
      for await (const chunk of readFrom(this.#source, blob, size)) {
        digest.update(chunk);
        await file.writeFile(chunk);
      }
      if (!digest.digest().equals(sha256)) throw new SourceLost('the bytes are not those that were saved');
      await syncFile(file);
    } finally {
      await file.close();
    }
  }
}

class SourceLost extends Error {}

async function* readFrom({ blobs }: Source, blob: string, size: number): AsyncGenerator<Buffer> {
  const chunks = blobs.open(blob, 0, size)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((error: Error) => {
        throw new SourceLost(error.message);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

/** Removes what earlier backups had and this one does not need. */
export async function tidyBackup(directory: string, { Name, Snapshot }: BackedUpEnvironment): Promise<void> {
  const base = join(directory, Name);
  const tables = openSqliteTables(join(base, Snapshot, 'catalog.db'), 'source') as TableStore;
  try {
    for (const name of await list(base)) {
      if (!['blobs', 'journal', Snapshot].includes(name)) await rm(join(base, name), { recursive: true });
    }
    for (const shard of await list(join(base, 'blobs'))) {
      const names = await list(join(base, 'blobs', shard));
      const whole = names.filter((name) => !name.endsWith('.part'));
      const unwanted = [
        ...names.filter((name) => name.endsWith('.part')),
        ...(await tables.read(findOrphanBlobs(whole))),
      ];
      for (const name of unwanted) await unlink(join(base, 'blobs', shard, basename(name)));
    }
  } finally {
    await tables.close();
  }
}
