// What a backup is: `manifest.json` in its folder, written last, says which files belong to it and their SHA-256. Large
// contents are not listed there: the catalog among the files knows them, with their SHA-256. docs/formats.md has the layout.

import { createHash, hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
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

/** Of the digest of the manifest. */
export interface Signature {
  /** The public key: base64 of its SPKI. It proves nothing unless it is known from elsewhere. */
  Key: string;
  /** Base64. */
  Value: string;
}

export interface SignedManifest {
  manifest: Manifest;
  digest: string;
  /** Null: it is not signed. */
  signature: Signature | null;
}

export async function writeManifest(
  directory: string,
  manifest: Manifest,
  sign: (digest: string) => Signature,
): Promise<void> {
  const Digest = hash('sha256', JSON.stringify(manifest));
  const whole = JSON.stringify({ ...manifest, Digest, Signature: sign(Digest) }, null, 2);
  await writeDurably(join(directory, manifestName), `${whole}\n`);
}

/** Null: there is none. What it says is not checked yet. */
export async function readManifest(directory: string): Promise<SignedManifest | null> {
  const text = await readText(join(directory, manifestName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    if (error.code === 'ELOOP') throw damaged(directory);
    throw error;
  });
  if (text === null) return null;
  const { Digest, Signature, ...manifest } = parse(text, directory);
  if (Digest !== hash('sha256', JSON.stringify(manifest))) throw damaged(directory);
  if (manifest.Format !== manifestFormat) {
    throw new BackupError(
      `The backup in ${directory} has format ${manifest.Format}; this release knows ${manifestFormat}.`,
    );
  }
  return { manifest, digest: Digest, signature: Signature ?? null };
}

async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function parse(text: string, directory: string): Manifest & { Digest: string; Signature?: Signature } {
  try {
    return JSON.parse(text) as Manifest & { Digest: string; Signature?: Signature };
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
