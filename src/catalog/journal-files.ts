// The sealed part of the journal: files that each hold a fixed range of positions, in the folder `journal` of the
// environment. A file is named `<first>-<last>.jsonl.gz`; unpacked, each line is the JSON array
// [position, at, space, by, action, entry, request, details, link], in order and without gaps. A file is there as a whole or
// not at all, after a power cut too, and never changes.

import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Fault } from '../domain/fault.ts';
import type { JournalRow } from './journal.ts';

/** The positions that a file holds, both inclusive. */
export interface SealedRange {
  first: number;
  last: number;
}

export interface JournalFiles {
  /** In order. */
  list(): Promise<SealedRange[]>;
  /** Resolves when the rows are durable. */
  write(range: SealedRange, rows: readonly JournalRow[]): Promise<void>;
  /** Rejects with a `Fault` if the file cannot be read as what it should be. What the rows say is not looked at. */
  read(range: SealedRange): Promise<JournalRow[]>;
}

/** Nothing is made before there is something to seal. */
export function openJournalFiles(environmentFolder: string): JournalFiles {
  const folder = join(environmentFolder, 'journal');
  const toPath = ({ first, last }: SealedRange) => join(folder, `${first}-${last}.jsonl.gz`);
  return {
    async list() {
      const names = await readdir(folder).catch(ignoreMissing);
      return names.flatMap(toRange).sort((a, b) => a.first - b.first);
    },
    async write(range, rows) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const text = rows.map((row) => `${JSON.stringify(toLine(row))}\n`).join('');
      await writeDurably(toPath(range), await promisify(gzip)(text));
      for (const named of [folder, environmentFolder]) await syncFolder(named);
    },
    async read(range) {
      try {
        const text = (await promisify(gunzip)(await readFile(toPath(range)))).toString('utf8');
        return text.split('\n').slice(0, -1).map(toRow);
      } catch (error) {
        throw new Fault('other', `${toPath(range)} cannot be read`, error);
      }
    },
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function toRange(name: string): SealedRange[] {
  const [, first, last] = /^(\d{1,15})-(\d{1,15})\.jsonl\.gz$/.exec(name) ?? [];
  return first === undefined ? [] : [{ first: Number(first), last: Number(last) }];
}

type Line = [number, number, number, string, string, string, string, string, string];

function toLine({ position, at, space, by, action, entry, request, details, link }: JournalRow): Line {
  return [position, at, space, by, action, entry, request, details, link];
}

function toRow(line: string): JournalRow {
  const [position, at, space, by, action, entry, request, details, link] = JSON.parse(line) as Line;
  return { position, at, space, by, action, entry, request, details, link };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
