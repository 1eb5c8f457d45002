// Rot: one data folder of a real service, and in each round one change that a disk makes: mostly a flipped bit, sometimes a
// zeroed sector, a file that was cut, two that were exchanged, in the database or in a blob. Then the real verify runs,
// and everything that a client can read is read again. Whatever differs from what was there, or is no longer answered, must
// have been found.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLocalBlobs } from '../../src/blobs/local/local.ts';
import { openJournalFiles } from '../../src/catalog/journal-files.ts';
import { openJournalKeys } from '../../src/catalog/journal-keys.ts';
import { openSqliteTables } from '../../src/catalog/sqlite/tables.ts';
import { verify } from '../../src/maintenance/verify/verify.ts';
import { localFiles } from '../../src/runtime/local-file-store.ts';
import { type Caller, call, createFolder, saveFile } from '../interface/client.ts';
import { type Answers, openReader, type Reader } from './flips-reading.ts';
import { openGround, renew, startOn } from './ground.ts';
import { Random } from './random.ts';
import { Report } from './report.ts';

const sectorBytes = 512;
const shares = { database: 0.75, sector: 0.05, cut: 0.04, exchange: 0.03 };

export interface FlipOptions {
  flips: number;
  seed: number;
}

/** A file, as it was. */
interface Kept {
  path: string;
  bytes: Buffer;
}

interface Damage {
  text: string;
  files: Kept[];
}

export async function runFlips({ flips, seed }: FlipOptions): Promise<Report> {
  const report = new Report(`flips (seed ${seed})`);
  const random = new Random(seed);
  const ground = openGround({ isWatched: false });
  try {
    const service = await startOn(ground);
    try {
      await fill(await renew(ground, service.production, null), random);
    } finally {
      await service.stop('SIGTERM');
    }
    const rot = await Rot.open(join(ground.dataFolder, 'production'), random, report);
    for (const what of ['flips', 'found', 'harmless', 'unfound', 'wrong bytes']) report.count(what, 0);
    for (let round = 0; round < flips; round += 1) await rot.round(round);
  } finally {
    ground.close();
  }
  return report;
}

/** Files of all kinds: small and large, the same bytes twice, versions, comments, properties, copies, trash. */
async function fill(caller: Caller, random: Random): Promise<void> {
  const folders = [caller.application.RootFolderId];
  for (const name of ['Contracts', 'Änderungen', 'deep', 'deeper']) {
    const parent = name === 'deeper' ? (folders.at(-1) as string) : (folders[0] as string);
    folders.push((await createFolder(caller, parent, name, { Properties: { Owner: `someone of ${name}` } })).Id);
  }
  const large = random.bytes(70_000);
  const save = (FolderId: string, FileName: string, bytes: Buffer, Comment = '') =>
    saveFile(caller, { FolderId, FileName, ...(Comment !== '' && { Comment }) }, bytes);
  for (let index = 0; index < 40; index += 1) {
    const FolderId = folders[index % folders.length] as string;
    const name = `file ${index}.txt`;
    const { File } = await save(FolderId, name, random.bytes(random.below(3000)), index % 3 === 0 ? 'the first' : '');
    if (index % 4 === 0) await save(FolderId, name, random.bytes(random.below(5000)), `changed, ${index}`);
    if (index % 5 === 0)
      await patch(caller, `/entries/${File.Id}`, { Properties: { Customer: String(index), a: 'b' } });
    if (index % 8 === 0) await patch(caller, `/files/${File.Id}/versions/1`, { Comment: `said of ${index}` });
    if (index % 13 === 0) await call(caller, `/entries/${File.Id}`, { method: 'DELETE' });
  }
  for (const [index, FolderId] of folders.entries()) await save(FolderId, `twin ${index}.bin`, large);
  await save(folders[1] as string, 'of two parts.bin', random.bytes(1_100_000));
  await save(folders[2] as string, 'other.bin', random.bytes(90_000));
  await post(caller, `/entries/${folders[2]}/copy`, { ParentFolderId: folders[1], Name: 'copied' });
}

async function patch(caller: Caller, path: string, fields: object, method = 'PATCH'): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const { status, body } = await call(caller, path, { method, headers, body: JSON.stringify(fields) });
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${body.toString()}`);
}

async function post(caller: Caller, path: string, fields: object): Promise<void> {
  await patch(caller, path, fields, 'POST');
}

class Rot {
  readonly #folder: string;
  readonly #random: Random;
  readonly #report: Report;
  readonly #database: Kept[];
  readonly #blobs: Kept[];
  readonly #known: Reader['known'];
  readonly #contents: Answers;
  readonly #records: Answers;

  static async open(folder: string, random: Random, report: Report): Promise<Rot> {
    const reader = await openReader(folder, null);
    const [contents, records] = [await reader.readContents(), await reader.readRecords()];
    reader.close();
    const rot = new Rot(folder, { random, report }, { known: reader.known, contents, records });
    const problem = await rot.#verify();
    if (problem !== null) throw new Error(`before anything was damaged, verify says: ${problem}`);
    return rot;
  }

  private constructor(
    folder: string,
    { random, report }: { random: Random; report: Report },
    { known, contents, records }: { known: Reader['known']; contents: Answers; records: Answers },
  ) {
    this.#folder = folder;
    this.#random = random;
    this.#report = report;
    this.#known = known;
    this.#contents = contents;
    this.#records = records;
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    const keep = (pattern: RegExp) =>
      names
        .filter((name) => pattern.test(name))
        .map((name) => ({ path: join(folder, name), bytes: readFileSync(join(folder, name)) }))
        .filter(({ bytes }) => bytes.length > 0);
    this.#database = keep(/^catalog\.db(-wal)?$/);
    this.#blobs = keep(/^blobs\/.*[0-9a-f]{32}$/);
  }

  async round(round: number): Promise<void> {
    const { text, files } = this.#choose();
    for (const { path, bytes } of files) writeFileSync(path, bytes);
    try {
      this.#report.add('flips', 1);
      await this.#judge(`round ${round}, ${text}`);
    } finally {
      for (const { path } of files) writeFileSync(path, this.#original(path));
    }
  }

  async #judge(where: string): Promise<void> {
    const isFound = (await this.#verify()) !== null;
    const { wrong, differing } = await this.#readAgain(isFound);
    if (wrong !== null) {
      this.#report.add('wrong bytes', 1);
      this.#report.wrong(`${where}: wrong bytes with a 200: ${wrong}`);
    }
    if (isFound) this.#report.add('found', 1);
    else if (differing === null) this.#report.add('harmless', 1);
    else {
      this.#report.add('unfound', 1);
      this.#report.wrong(`${where}: verify has not found it, and this is read otherwise, or not at all: ${differing}`);
    }
  }

  #choose(): Damage {
    const random = this.#random;
    if (this.#blobs.length > 1 && random.isTrue(shares.exchange)) {
      const [one, other] = [random.pick(this.#blobs), random.pick(this.#blobs)];
      const files = [
        { path: one.path, bytes: other.bytes },
        { path: other.path, bytes: one.bytes },
      ];
      return { text: `two blobs exchanged`, files };
    }
    const { path, bytes: before } = random.pick(random.isTrue(shares.database) ? this.#database : this.#blobs);
    const at = random.below(before.length);
    const name = path.slice(this.#folder.length + 1);
    const bytes = Buffer.from(before);
    if (random.isTrue(shares.cut))
      return { text: `${name} cut at ${at}`, files: [{ path, bytes: bytes.subarray(0, at) }] };
    if (random.isTrue(shares.sector)) {
      const start = at - (at % sectorBytes);
      // The last one of a file may be shorter.
      bytes.fill(0, start, Math.min(start + sectorBytes, bytes.length));
      return { text: `sector at ${start} of ${name} zeroed`, files: [{ path, bytes }] };
    }
    const bit = random.below(8);
    bytes[at] = (bytes[at] as number) ^ (1 << bit);
    return { text: `bit ${bit} of byte ${at} of ${name} flipped`, files: [{ path, bytes }] };
  }

  #original(path: string): Buffer {
    return [...this.#database, ...this.#blobs].find((kept) => kept.path === path)?.bytes as Buffer;
  }

  /** The first problem; null: none. That it cannot even be opened is one. */
  async #verify(): Promise<string | null> {
    try {
      const tables = openSqliteTables(join(this.#folder, 'catalog.db'), 'source');
      if (tables === null) return 'there is no catalog';
      try {
        const journalFiles = openJournalFiles(localFiles(join(this.#folder, 'journal')));
        const journalKeys = openJournalKeys(localFiles(join(this.#folder, 'journal-keys')));
        const subject = { tables, isSqlite: true, blobs: readLocalBlobs(this.#folder), journalFiles, journalKeys };
        const { problems } = await verify(subject, {
          onProgress: () => undefined,
          throttle: async () => undefined,
          signal: new AbortController().signal,
        });
        const [first] = problems.list;
        return first === undefined ? null : `${first.what}: ${first.problem}`;
      } finally {
        await tables.close();
      }
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** `wrong`: bytes that are given, and others than before. `differing`: anything that is answered otherwise than before, or
   *  not at all any more; looked at only where verify has found nothing. */
  async #readAgain(isFound: boolean): Promise<{ wrong: string | null; differing: string | null }> {
    let reader: Reader;
    try {
      reader = await openReader(this.#folder, this.#known);
    } catch (error) {
      return { wrong: null, differing: `nothing: ${(error as Error).message}` };
    }
    try {
      const contents = await reader.readContents();
      const wrong = findChanged(contents, this.#contents);
      if (isFound) return { wrong, differing: null };
      const records = await reader.readRecords();
      const changed = wrong ?? findChanged(records, this.#records);
      return {
        wrong,
        differing: changed ?? findMissing(contents, this.#contents) ?? findMissing(records, this.#records),
      };
    } finally {
      reader.close();
    }
  }
}

function findChanged(answers: Answers, before: Answers): string | null {
  for (const [question, answer] of answers) if (before.get(question) !== answer) return question;
  return null;
}

function findMissing(answers: Answers, before: Answers): string | null {
  for (const question of before.keys()) if (!answers.has(question)) return `${question} is not answered any more`;
  return null;
}
