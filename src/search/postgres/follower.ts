// Keeps the index on PostgreSQL up to date, with the same batches and decisions as `sqlite/follower.ts`. Each step is one
// transaction, from reading the position in the journal to writing the next one.

import { together } from '../../catalog/sql.ts';
import { findBytes, findSubjectByNumber, listSubjects, type Subject } from '../../catalog/verbs/search-source.ts';
import { toStillWaiting, type WaitingDocuments } from '../read-waiting.ts';
import { batchBytes, batchRows, compare, isReadAtOnce, readBatch, takeUpTo, toReading } from '../sqlite/follower.ts';
import { type DocumentRecord, type Reading, type StoredRecord, toEntryNumber } from '../sqlite/index-store.ts';
import { toRecord } from '../subject.ts';
import type { IndexState, PostgresIndex } from './index-store.ts';
import type { PostgresSession } from './session.ts';

/** Texts of renamed documents that are in memory at a time. */
const textBatch = 16;

export class PostgresFollower implements WaitingDocuments {
  readonly #session: PostgresSession;

  constructor(session: PostgresSession) {
    this.#session = session;
  }

  /** Indexes the next changes; false when there were none. */
  follow(): Promise<boolean> {
    return this.#session.transact(async (index) => {
      const seen = await index.findState();
      const batch = seen.place === null ? 'lost' : await index.read(readBatch(seen.place));
      if (batch === null) return false;
      if (!(await lockUnchanged(index, seen))) return true;
      if (batch === 'lost') {
        await index.startRebuild();
        return true;
      }
      index.removeAll(batch.gone);
      await indexAll(index, batch.subjects);
      index.setPosition(batch.place);
      return batch.isCut;
    });
  }

  /** Indexes the next entries of a rebuild; false when none is running. */
  walk(): Promise<boolean> {
    return this.#session.transact(async (index) => {
      const seen = await index.findState();
      if (seen.walk === null) return false;
      const subjects = await index.read(listSubjects(seen.walk, batchRows));
      if (!(await lockUnchanged(index, seen))) return true;
      const batch = takeUpTo(subjects, batchBytes);
      await indexAll(index, batch);
      index.setWalk(batch.at(-1)?.entry ?? null);
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
      else await indexAll(index, [subject]);
      return null;
    });
  }

  setAttempts(document: number, attempts: number): Promise<void> {
    return this.#session.transact(async (index) => index.setAttempts(document, attempts));
  }

  readBytes(content: number): Promise<Uint8Array | null> {
    return this.#session.transact((index) => index.read(findBytes(content)));
  }

  settle(waiting: StoredRecord, reading: Reading | 'interrupted'): Promise<void> {
    return this.#session.transact(async (index) => {
      const current = toStillWaiting(await index.find(waiting.document), waiting);
      if (current === null) return;
      if (reading === 'interrupted') index.setAttempts(waiting.document, waiting.attempts);
      else if (reading.state !== 'waiting') await index.putAll([[current, reading]]);
    });
  }
}

/** Locks the state, and checks that no other node has started a rebuild meanwhile. */
async function lockUnchanged(index: PostgresIndex, { place, walk }: IndexState): Promise<boolean> {
  const locked = await index.lockState();
  const isSamePlace = locked.place?.position === place?.position && locked.place?.link === place?.link;
  return isSamePlace && locked.walk === walk;
}

/** Writes entries that differ from the index. */
async function indexAll(index: PostgresIndex, subjects: readonly Subject[]): Promise<void> {
  const records = subjects.map(toRecord);
  const known = await index.findAll(records.map(({ document }) => document));
  const differences = records.map((record) => compare(record, known.get(record.document) ?? null));
  const changed = subjects.filter((_, at) => differences[at] === 'content');
  await index.putAll(await read(index, changed));
  const described = records.filter((_, at) => differences[at] === 'description');
  for (let at = 0; at < described.length; at += textBatch) {
    const some = described.slice(at, at + textBatch);
    const readings = await index.findReadings(some.map(({ document }) => document));
    await index.putAll(some.map((record) => [record, readings.get(record.document) ?? { state: 'waiting' }]));
  }
}

async function read(index: PostgresIndex, subjects: readonly Subject[]): Promise<[DocumentRecord, Reading][]> {
  const records = subjects.map(toRecord);
  const plain = subjects.filter((subject, at) => isReadAtOnce(subject, records[at] as DocumentRecord));
  const contents = await index.read(together(plain.map(({ content }) => findBytes(content as number))));
  const bytes = new Map(plain.map(({ entry }, at) => [entry, contents[at] ?? null]));
  return records.map((record) => [record, toReading(record, bytes.get(toEntryNumber(record.document)) ?? null)]);
}
