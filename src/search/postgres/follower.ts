// Keeps the index on PostgreSQL in step with the catalog, as `follower.ts` does on SQLite: the same batches, the same
// decisions. Each step is one transaction, from reading the place in the journal to writing the next one.

import { together } from '../../catalog/sql.ts';
import { findBytes, findSubjectByNumber, listSubjects, type Subject } from '../../catalog/verbs/search-source.ts';
import { toStillWaiting, type WaitingDocuments } from '../read-waiting.ts';
import { batchBytes, batchRows, compare, isReadAtOnce, readBatch, takeUpTo, toReading } from '../sqlite/follower.ts';
import { type DocumentRecord, type Reading, type StoredRecord, toEntryNumber } from '../sqlite/index-store.ts';
import { toRecord } from '../subject.ts';
import type { IndexState, PostgresIndex } from './index-store.ts';
import type { PostgresSession } from './session.ts';

/** Texts, of documents that have another name, that are in memory at a time. */
const textsAtOnce = 16;

export class PostgresFollower implements WaitingDocuments {
  readonly #session: PostgresSession;

  constructor(session: PostgresSession) {
    this.#session = session;
  }

  /** Takes in the next changes; false: there were no more. */
  follow(): Promise<boolean> {
    return this.#session.transact(async (index) => {
      const seen = await index.findState();
      const batch = seen.place === null ? 'lost' : await index.read(readBatch(seen.place));
      if (batch === null) return false;
      if (!(await isStill(index, seen))) return true;
      if (batch === 'lost') {
        await index.startRebuild();
        return true;
      }
      index.removeAll(batch.gone);
      await takeIn(index, batch.subjects);
      index.setPlace(batch.place);
      return batch.isCut;
    });
  }

  /** Takes in the next entries of a rebuild; false: none is under way. */
  walk(): Promise<boolean> {
    return this.#session.transact(async (index) => {
      const seen = await index.findState();
      if (seen.walk === null) return false;
      const found = await index.read(listSubjects(seen.walk, batchRows));
      if (!(await isStill(index, seen))) return true;
      const taken = takeUpTo(found, batchBytes);
      await takeIn(index, taken);
      index.setWalk(taken.at(-1)?.entry ?? null);
      return true;
    });
  }

  find(after: number): Promise<StoredRecord | null> {
    return this.#session.transact((index) => index.findWaiting(after));
  }

  confirm({ document, content, readable }: StoredRecord): Promise<Subject | null> {
    return this.#session.transact(async (index) => {
      const subject = await index.read(findSubjectByNumber(toEntryNumber(document)));
      const record = subject === undefined ? null : toRecord(subject);
      if (subject !== undefined && record?.content === content && record.readable === readable) return subject;
      if (subject === undefined) index.removeAll([document]);
      else await takeIn(index, [subject]);
      return null;
    });
  }

  setAttempts(document: number, attempts: number): Promise<void> {
    return this.#session.transact(async (index) => index.setAttempts(document, attempts));
  }

  readBytes(content: number): Promise<Uint8Array | null> {
    return this.#session.transact((index) => index.read(findBytes(content)));
  }

  settle(waiting: StoredRecord, reading: Reading | 'cut short'): Promise<void> {
    return this.#session.transact(async (index) => {
      const current = toStillWaiting(await index.find(waiting.document), waiting);
      if (current === null) return;
      if (reading === 'cut short') index.setAttempts(waiting.document, waiting.attempts);
      else if (reading.state !== 'waiting') await index.putAll([[current, reading]]);
    });
  }
}

/** From here on others wait; whoever has begun the index anew meanwhile was first. */
async function isStill(index: PostgresIndex, { place, walk }: IndexState): Promise<boolean> {
  const locked = await index.lockState();
  const isSamePlace = locked.place?.position === place?.position && locked.place?.link === place?.link;
  return isSamePlace && locked.walk === walk;
}

/** Writes what has changed; entries that the index knows as they are left out. */
async function takeIn(index: PostgresIndex, subjects: readonly Subject[]): Promise<void> {
  const records = subjects.map(toRecord);
  const known = await index.findAll(records.map(({ document }) => document));
  const differences = records.map((record) => compare(record, known.get(record.document) ?? null));
  const changed = subjects.filter((_, at) => differences[at] === 'content');
  await index.putAll(await read(index, changed));
  const described = records.filter((_, at) => differences[at] === 'description');
  for (let at = 0; at < described.length; at += textsAtOnce) {
    const some = described.slice(at, at + textsAtOnce);
    const readings = await index.findReadings(some.map(({ document }) => document));
    await index.putAll(some.map((record) => [record, readings.get(record.document) ?? { state: 'waiting' }]));
  }
}

async function read(index: PostgresIndex, subjects: readonly Subject[]): Promise<[DocumentRecord, Reading][]> {
  const records = subjects.map(toRecord);
  const atOnce = subjects.filter((subject, at) => isReadAtOnce(subject, records[at] as DocumentRecord));
  const contents = await index.read(together(atOnce.map(({ content }) => findBytes(content as number))));
  const bytes = new Map(atOnce.map(({ entry }, at) => [entry, contents[at] ?? null]));
  return records.map((record) => [record, toReading(record, bytes.get(toEntryNumber(record.document)) ?? null)]);
}
