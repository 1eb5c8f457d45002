// The archived part of the journal: files that each hold a fixed range of positions. A file is named
// `<first>-<last>.jsonl.gz`; unpacked, each line is the JSON array
// [position, at, space, by, action, entry, request, details, link], in order and without gaps. Files never change. A file
// store decides where they are: in a folder of the environment, or on S3.

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Fault } from '../domain/fault.ts';
import type { FileStore } from '../runtime/file-store.ts';
import type { JournalRow } from './verbs/journal.ts';

/** The positions that a file holds, both inclusive. */
export interface JournalRange {
  first: number;
  last: number;
}

export interface JournalFiles {
  /** In order. */
  list(): Promise<JournalRange[]>;
  /** Resolves when the rows are durable. */
  write(range: JournalRange, rows: readonly JournalRow[]): Promise<void>;
  /** Resolves when all files that exist now are durable, whoever wrote them. */
  settle(): Promise<void>;
  /** Rejects with a `Fault` if the file cannot be decoded. Does not check the rows. */
  read(range: JournalRange): Promise<JournalRow[]>;
}

export function openJournalFiles(store: FileStore): JournalFiles {
  return {
    async list() {
      const names = await store.list();
      return names.flatMap(toRange).sort((a, b) => a.first - b.first);
    },
    async write(range, rows) {
      const text = rows.map((row) => `${JSON.stringify(toLine(row))}\n`).join('');
      await store.write(toName(range), await promisify(gzip)(text));
    },
    settle: () => store.settle(),
    async read(range) {
      try {
        const text = (await promisify(gunzip)(await store.read(toName(range)))).toString('utf8');
        return text.split('\n').slice(0, -1).map(toRow);
      } catch (error) {
        if (error instanceof Fault && error.kind === 'unavailable') throw error;
        throw new Fault('other', `${toName(range)} of the journal cannot be read`, error);
      }
    },
  };
}

function toName({ first, last }: JournalRange): string {
  return `${first}-${last}.jsonl.gz`;
}

function toRange(name: string): JournalRange[] {
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
