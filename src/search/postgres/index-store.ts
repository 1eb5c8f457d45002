// The index as tables of PostgreSQL (`catalog/migrations/postgres/0002-search.sql`), within one transaction. Documents and the
// position in the journal are written together.

import { runAlone } from '../../catalog/postgres/run-alone.ts';
import { toInserts } from '../../catalog/postgres/statements.ts';
import type { Transaction } from '../../catalog/postgres/transaction.ts';
import type { Verb } from '../../catalog/sql.ts';
import { insertInto, type Value } from '../../catalog/statement.ts';
import { findLast } from '../../catalog/verbs/search-source.ts';
import {
  type DocumentRecord,
  entriesPerSpace,
  type JournalPosition,
  type Reading,
  type StoredRecord,
  toDocument,
  toEntryNumber,
} from '../sqlite/index-store.ts';
import { countWords } from '../words.ts';
import { toVectors, type Vectors } from './vectors.ts';

/** An index with a lower number is rebuilt; one with a higher number belongs to nodes of a later release. */
const format = 3;
/** Documents sent at a time, while the words of the next ones are computed. */
const sendBatch = 16;
/** A backup can hold the tables for long, and queries would queue behind our lock. */
const clearTimeoutMs = 3000;

export interface IndexState {
  /** Null when there is no index yet, or it has an older format. */
  place: JournalPosition | null;
  /** The entry up to which a rebuild has come; null when none is running. */
  walk: number | null;
}

export class PostgresIndex {
  readonly #transaction: Transaction;
  readonly #isOneByOne: boolean;

  /** `isOneByOne`: writes documents one by one and skips those that PostgreSQL rejects. */
  constructor(transaction: Transaction, isOneByOne = false) {
    this.#transaction = transaction;
    this.#isOneByOne = isOneByOne;
  }

  /** Runs a verb of the catalog that only reads. */
  async read<Result>(verb: Verb<Result>): Promise<Result> {
    return (await runAlone(verb, this.#transaction, null)).result;
  }

  async #query<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#transaction.query({ sql, values: values as Value[] })).rows as Row[];
  }

  #send(sql: string, ...values: unknown[]): void {
    this.#transaction.send(sql, values as Value[]);
  }

  findState(): Promise<IndexState> {
    return this.#readState('SELECT format, position, link, walk FROM search_state');
  }

  /** Other writers wait until the end of the transaction. */
  lockState(): Promise<IndexState> {
    return this.#readState('SELECT format, position, link, walk FROM search_state FOR UPDATE');
  }

  async #readState(sql: string): Promise<IndexState> {
    type Row = { format: number; position: number | null; link: string; walk: number | null };
    const [found] = await this.#query<Row>(sql);
    if (found === undefined || found.position === null || found.format < format) return { place: null, walk: null };
    return { place: { position: found.position, link: found.link }, walk: found.walk };
  }

  setPosition({ position, link }: JournalPosition): void {
    this.#send('UPDATE search_state SET position = $1, link = $2', position, link);
  }

  setWalk(entry: number | null): void {
    this.#send('UPDATE search_state SET walk = $1', entry);
  }

  /** Empties the index, continues at the end of the journal, and starts a walk through all entries. */
  async startRebuild(): Promise<void> {
    await this.lockState();
    const { position, link } = (await this.read(findLast())) ?? { position: 0, link: '' };
    this.#send(`SET LOCAL lock_timeout = ${clearTimeoutMs}`);
    this.#send('TRUNCATE search_documents, search_pieces');
    this.#send('UPDATE search_state SET format = $1, position = $2, link = $3, walk = 0', format, position, link);
  }

  async findAll(documents: readonly number[]): Promise<Map<number, StoredRecord>> {
    const found = await this.#query<Found>(
      `SELECT ${record} FROM unnest($1::bigint[], $2::bigint[]) AS given (space, entry)
       JOIN search_documents USING (space, entry)`,
      ...toKeys(documents),
    );
    return new Map(found.map((each) => [toDocument(each.space, each.entry), toStored(each)]));
  }

  async find(document: number): Promise<StoredRecord | null> {
    return (await this.findAll([document])).get(document) ?? null;
  }

  /** The stored readings of documents, to be written again with a new description. */
  async findReadings(documents: readonly number[]): Promise<Map<number, Reading>> {
    if (documents.length === 0) return new Map();
    type Row = { space: number; entry: number; state: string; reason: string | null; text: string | null };
    const found = await this.#query<Row>(
      `SELECT space, entry, state, reason, text FROM unnest($1::bigint[], $2::bigint[]) AS given (space, entry)
       JOIN search_documents USING (space, entry)`,
      ...toKeys(documents),
    );
    return new Map(
      found.map(({ space, entry, state, reason, text }): [number, Reading] => {
        const document = toDocument(space, entry);
        if (state === 'skipped') return [document, { state, reason: reason ?? '' }];
        return [document, state === 'indexed' ? { state, text: text ?? '' } : { state: 'waiting' }];
      }),
    );
  }

  async putAll(readings: readonly (readonly [DocumentRecord, Reading])[]): Promise<void> {
    if (this.#isOneByOne) return await this.#putEach(readings);
    for (let at = 0; at < readings.length; at += sendBatch) this.#put(readings.slice(at, at + sendBatch));
  }

  #put(readings: readonly (readonly [DocumentRecord, Reading])[]): void {
    const rows = readings.map(([record, reading]) => toRow(record, reading));
    this.#removeFrom(
      'search_pieces',
      readings.map(([{ document }]) => document),
    );
    const documents = toInserts(
      put,
      rows.map(({ values }) => values),
    );
    const pieces = toInserts(
      putPiece,
      rows.flatMap(({ pieces }) => pieces),
    );
    for (const { sql, values } of [...documents, ...pieces]) this.#transaction.send(sql, values);
  }

  async #putEach(readings: readonly (readonly [DocumentRecord, Reading])[]): Promise<void> {
    for (const [record, reading] of readings) {
      this.#send('SAVEPOINT document');
      try {
        this.#put([[record, reading]]);
        await this.#transaction.settle();
      } catch (error) {
        if (!isRefused(error)) throw error;
        await this.#transaction.undoTo('document');
        this.#put([[record, { state: 'skipped', reason: `PostgreSQL cannot take it: ${(error as Error).message}` }]]);
      }
      this.#send('RELEASE SAVEPOINT document');
    }
  }

  removeAll(documents: readonly number[]): void {
    if (documents.length === 0) return;
    for (const table of ['search_documents', 'search_pieces']) this.#removeFrom(table, documents);
  }

  #removeFrom(table: string, documents: readonly number[]): void {
    this.#send(
      `DELETE FROM ${table} USING unnest($1::bigint[], $2::bigint[]) AS given (space, entry)
       WHERE ${table}.space = given.space AND ${table}.entry = given.entry`,
      ...toKeys(documents),
    );
  }

  /** The next one after this, or else the first. Called with the end of a space, so that spaces take turns. */
  async findWaiting(after: number): Promise<StoredRecord | null> {
    const sql = `SELECT ${record} FROM search_documents
      WHERE state = 'waiting' AND (space, entry) > ($1, $2) ORDER BY space, entry LIMIT 1`;
    const [[space], [entry]] = toKeys([after]) as [[number], [number]];
    const [found] = [...(await this.#query<Found>(sql, space, entry)), ...(await this.#query<Found>(sql, 0, 0))];
    return found === undefined ? null : toStored(found);
  }

  setAttempts(document: number, attempts: number): void {
    const [[space], [entry]] = toKeys([document]) as [[number], [number]];
    this.#send('UPDATE search_documents SET attempts = $3 WHERE space = $1 AND entry = $2', space, entry, attempts);
  }
}

const record = 'space, entry, name, properties, content, readable, state, attempts';

type Found = Omit<StoredRecord, 'document'> & { space: number; entry: number };

function toStored({ space, entry, ...found }: Found): StoredRecord {
  return { ...found, document: toDocument(space, entry) };
}

/** Two columns. */
function toKeys(documents: readonly number[]): [spaces: number[], entries: number[]] {
  return [documents.map((document) => Math.floor(document / entriesPerSpace)), documents.map(toEntryNumber)];
}

const columns = `space entry name properties content readable state reason attempts
  length frequencies text pieces names words parts`;

const put = insertInto('search_documents', columns, {
  onConflict: `ON CONFLICT (space, entry) DO UPDATE SET
    ${columns
      .split(/\s+/)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}`,
});

const putPiece = insertInto('search_pieces', 'space entry piece words');

function toRow(record: DocumentRecord, reading: Reading): { values: Value[]; pieces: Value[][] } {
  const { document, content, readable } = record;
  const [[space], [entry]] = toKeys([document]) as [[number], [number]];
  const name = toStorable(record.name);
  const properties = toStorable(record.properties);
  const text = reading.state === 'indexed' ? toStorable(reading.text) : '';
  const { words: length, pairs } = countWords(text);
  const frequencies = Buffer.from(pairs.buffer, pairs.byteOffset, pairs.byteLength);
  const { names, words, parts, pieces }: Vectors = toVectors({ space, entry, name, properties, text });
  const reason = reading.state === 'skipped' ? toStorable(reading.reason) : null;
  const described = [space, entry, name, properties, content, readable, reading.state, reason];
  return {
    values: [...described, 0, length, frequencies, text === '' ? null : text, pieces.length, names, words, parts],
    pieces: pieces.map((words, piece) => [space, entry, piece, words]),
  };
}

/** Data exceptions and exceeded limits (postgresql.org/docs/current/errcodes-appendix.html): they would come again. */
export function isRefused(error: unknown): boolean {
  return /^(22|54)/.test(String((error as { code?: unknown } | null)?.code ?? ''));
}

/** PostgreSQL cannot store NUL. */
function toStorable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', ' ') : text;
}
