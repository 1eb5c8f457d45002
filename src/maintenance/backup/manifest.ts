// What a backup is: `manifest.json` in its folder, written last, says which files belong to it and their SHA-256. Large
// contents are not listed there: the catalog among the files knows them, with their SHA-256. docs/formats.md has the layout.

import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably, writeSynced } from '../../runtime/durable-file.ts';

const manifestFormat = 1;
const manifestName = 'manifest.json';

/** The backup is impossible as requested; the message says what to do. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BackupError';
  }
}

export interface BackedUpFile {
  /** Where it is, below the folder of the backup. */
  Path: string;
  /** Where it belongs, below the data folder; null: it is kept for people. */
  To: string | null;
  Size: number;
  Sha256: string;
}

export interface BackedUpEnvironment {
  Name: string;
  /** The folder, below that of the environment, that holds what is new in each backup. */
  Snapshot: string;
  Files: BackedUpFile[];
  /** Large contents and their bytes. */
  Contents: number;
  Bytes: number;
}

export interface Manifest {
  Format: number;
  MadeAt: string;
  Environments: BackedUpEnvironment[];
  Configuration: BackedUpFile[];
}

export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest);
  const whole = JSON.stringify({ ...manifest, Digest: hash('sha256', text) }, null, 2);
  await writeDurably(join(directory, manifestName), `${whole}\n`);
}

/** Null: there is none. */
export async function readManifest(directory: string): Promise<Manifest | null> {
  const text = await readFile(join(directory, manifestName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  const { Digest, ...manifest } = parse(text, directory);
  if (Digest !== hash('sha256', JSON.stringify(manifest))) throw damaged(directory);
  if (manifest.Format !== manifestFormat) {
    throw new BackupError(
      `The backup in ${directory} has format ${manifest.Format}; this release knows ${manifestFormat}.`,
    );
  }
  return manifest;
}

function parse(text: string, directory: string): Manifest & { Digest: string } {
  try {
    return JSON.parse(text) as Manifest & { Digest: string };
  } catch {
    throw damaged(directory);
  }
}

function damaged(directory: string): BackupError {
  return new BackupError(`The manifest of the backup in ${directory} is damaged. Take another backup.`);
}

/** Its size and its SHA-256. */
export async function digestFile(path: string): Promise<{ Size: number; Sha256: string }> {
  const digest = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    digest.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { Size: size, Sha256: digest.digest('hex') };
}

/** Copies a small file, and syncs the copy. Null: there is none. */
export async function copyFile(from: string, to: string): Promise<true | null> {
  const bytes = await readFile(from).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return null;
  await writeSynced(to, bytes);
  return true;
}
