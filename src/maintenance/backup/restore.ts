// Takes a backup back into an empty data folder. Everything is verified before anything is made visible: digests of the
// manifest, every row, every content. What is restored grows in `restoring/`; when all of it is durable, `restoring/complete`
// is written, and the environments are moved to where they belong. Killed at any point it can be run again: without that
// mark it begins anew, with it only the moving is left.

import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile as copyBytes, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openLocalBlobs, readLocalBlobs } from '../../blobs/local/local.ts';
import { openJournalFiles } from '../../catalog/journal-files.ts';
import { openJournalKeys } from '../../catalog/journal-keys.ts';
import { openSqliteTables } from '../../catalog/sqlite/tables.ts';
import type { TableStore } from '../../catalog/table-store.ts';
import { listLargeContents } from '../../catalog/tables.ts';
import { syncFileAt, syncFolder, writeSynced } from '../../runtime/durable-file.ts';
import type { FileStore } from '../../runtime/file-store.ts';
import { localFiles } from '../../runtime/local-file-store.ts';
import type { Problem } from '../verify/problems.ts';
import type { Progress } from '../verify/subject.ts';
import { type VerifyResult, verify } from '../verify/verify.ts';
import { requireOwnFiles, upgradedNames } from './backup-files.ts';
import { checkManifest } from './check-manifest.ts';
import {
  type BackedUpEnvironment,
  type BackedUpFile,
  BackupError,
  digestFile,
  type Manifest,
  readManifest,
} from './manifest.ts';
import { checkSignature, type SignatureState, signatureKeyName } from './signature.ts';

export const restoringName = 'restoring';
const completeName = 'complete';
const pageOfContents = 500;

interface CheckedEnvironment {
  name: string;
  verified: VerifyResult;
}

export interface CheckedBackup {
  manifest: Manifest;
  signature: SignatureState;
  environments: CheckedEnvironment[];
  problems: Problem[];
}

export interface RestoreOptions {
  onProgress(progress: Progress): void;
  /** With which the manifest must be signed; null: whoever could write to the backup could have changed anything. */
  key: KeyObject | null;
}

/** Looks at all of a backup. */
export async function checkBackup(directory: string, options: RestoreOptions): Promise<CheckedBackup> {
  const found = await readManifest(directory);
  if (found === null) {
    throw new BackupError(`There is no finished backup in ${directory}: it has no manifest.json.`);
  }
  const manifest = checkManifest(found.manifest);
  const signature = checkSignature(directory, found, options.key);
  await requireOwnFiles(directory, manifest);
  const problems: Problem[] = [];
  for (const file of [...manifest.Configuration, ...manifest.Environments.flatMap(({ Files }) => Files)]) {
    options.onProgress({ step: file.Path, done: 0, of: 1 });
    const read = await digestFile(join(directory, file.Path)).catch(() => null);
    if (!isAsListed(read, file))
      problems.push({ what: file.Path, problem: read === null ? 'it is missing' : 'it was changed', affected: [] });
  }
  const environments: CheckedEnvironment[] = [];
  for (const environment of manifest.Environments) {
    const verified = await verifyOne(directory, environment, options);
    environments.push({ name: environment.Name, verified });
    problems.push(...verified.problems.list);
  }
  return { manifest, signature, environments, problems };
}

function isAsListed(read: Pick<BackedUpFile, 'Size' | 'Sha256'> | null, file: BackedUpFile): boolean {
  return read?.Size === file.Size && read.Sha256 === file.Sha256;
}

async function verifyOne(
  directory: string,
  environment: BackedUpEnvironment,
  { onProgress }: Pick<RestoreOptions, 'onProgress'>,
) {
  const base = join(directory, environment.Name);
  const snapshot = await openSnapshot(join(base, environment.Snapshot, 'catalog.db'));
  try {
    const subject = {
      tables: snapshot.tables,
      isSqlite: true,
      blobs: readLocalBlobs(base),
      journalFiles: openJournalFiles(listedFiles(base, environment)),
      journalKeys: openJournalKeys(localFiles(join(base, environment.Snapshot, 'journal-keys'))),
    };
    return await verify(subject, { onProgress, throttle: async () => undefined, signal: new AbortController().signal });
  } finally {
    await snapshot.close();
  }
}

/** The archived parts of the journal that belong to the backup. */
function listedFiles(base: string, { Name, Files }: BackedUpEnvironment): FileStore {
  const files = localFiles(join(base, 'journal'));
  const listed = new Set(Files.map(({ Path }) => Path));
  const list = async () => (await files.list()).filter((name) => listed.has(`${Name}/journal/${name}`));
  return { ...files, list };
}

/** One of an earlier release is looked at in a copy that is brought up to date. */
async function openSnapshot(path: string): Promise<{ tables: TableStore; close(): Promise<void> }> {
  try {
    const tables = openSqliteTables(path, 'source');
    if (tables !== null) return { tables, close: () => tables.close() };
    throw new BackupError(`${path} is missing.`);
  } catch (error) {
    if (!/has schema/.test((error as Error).message)) throw error;
    const copy = `${path}.upgraded`;
    for (const name of upgradedNames) await rm(join(dirname(path), name), { force: true });
    await copyBytes(path, copy);
    const tables = openSqliteTables(copy, 'target') as TableStore;
    return {
      tables,
      async close() {
        await tables.close();
        for (const behind of ['', '-wal', '-shm']) await rm(`${copy}${behind}`, { force: true });
      },
    };
  }
}

/** Where an earlier run was when it ended. */
export async function findUnfinished(dataFolder: string): Promise<'none' | 'begun' | 'complete'> {
  if (!existsSync(join(dataFolder, restoringName))) return 'none';
  return existsSync(join(dataFolder, restoringName, completeName)) ? 'complete' : 'begun';
}

/** What keeps a data folder from being restored into. */
export async function requireEmpty(dataFolder: string): Promise<void> {
  const ours = new Set([
    'lock.db',
    'lock.db-journal',
    'holder.json',
    'control.sock',
    'migrate.db',
    signatureKeyName,
    restoringName,
  ]);
  const there = (await readdir(dataFolder)).filter((name) => !ours.has(name));
  if (there.length === 0) return;
  throw new BackupError(
    `The data folder ${dataFolder} is not empty (${there.slice(0, 3).join(', ')}). Restore into another one (CABINET_DATA), or move this one away first.`,
  );
}

/** Copies a backup that was checked, so that `finishRestore` only has to move it. */
export async function fillRestoring(
  directory: string,
  { manifest, problems }: CheckedBackup,
  { dataFolder, onProgress }: Pick<RestoreOptions, 'onProgress'> & { dataFolder: string },
): Promise<void> {
  const restoring = join(dataFolder, restoringName);
  await rm(restoring, { recursive: true, force: true });
  await mkdir(restoring, { mode: 0o700 });
  await syncFolder(dataFolder);
  for (const environment of manifest.Environments) {
    await copyFiles(directory, environment, { restoring, problems });
    await copyContents(directory, environment, { restoring, onProgress });
    await syncFolder(join(restoring, environment.Name));
  }
  await syncFolder(restoring);
  await writeSynced(join(restoring, completeName), `${manifest.MadeAt}\n`);
  await syncFolder(restoring);
}

async function copyFiles(
  directory: string,
  { Name, Files }: BackedUpEnvironment,
  { restoring, problems }: { restoring: string; problems: readonly Problem[] },
): Promise<void> {
  const accepted = new Set(problems.map(({ what }) => what));
  await mkdir(join(restoring, Name), { recursive: true, mode: 0o700 });
  const folders = new Set<string>();
  for (const file of Files) {
    if (file.To === null) continue;
    const to = join(restoring, file.To);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyBytes(join(directory, file.Path), to);
    const isChecked = accepted.has(file.Path) || isAsListed(await digestFile(to), file);
    if (!isChecked) throw new BackupError(`${file.Path} was changed while it was restored. Run it again.`);
    await syncFileAt(to);
    folders.add(dirname(to));
  }
  for (const folder of folders) await syncFolder(folder);
}

async function copyContents(
  directory: string,
  environment: BackedUpEnvironment,
  { restoring, onProgress }: Pick<RestoreOptions, 'onProgress'> & { restoring: string },
): Promise<void> {
  const from = readLocalBlobs(join(directory, environment.Name));
  const to = await openLocalBlobs({ folder: join(restoring, environment.Name), onFatal: () => undefined });
  const { tables, close } = await openSnapshot(join(directory, environment.Name, environment.Snapshot, 'catalog.db'));
  let done = 0;
  try {
    for (let after = ''; ; ) {
      const page = await tables.read(listLargeContents(after, pageOfContents));
      if (page.length === 0) return;
      for (const { blob, size } of page) {
        // What the backup lacks was reported and accepted before.
        await to.put(blob, inBlocks(from.open(blob, 0, size))).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
        });
        done += size;
        onProgress({ step: 'restoring large contents', done, of: environment.Bytes });
      }
      after = page.at(-1)?.blob ?? '';
    }
  } finally {
    await close();
    await to.close();
  }
}

async function* inBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array[]> {
  // A chunk's memory is used again while the block is still on its way.
  for await (const chunk of chunks) yield [Buffer.from(chunk)];
}

export async function finishRestore(dataFolder: string): Promise<void> {
  const restoring = join(dataFolder, restoringName);
  for (const name of await readdir(restoring)) {
    if (name !== completeName) await rename(join(restoring, name), join(dataFolder, name));
  }
  await syncFolder(dataFolder);
  await rm(restoring, { recursive: true });
  await syncFolder(dataFolder);
}
