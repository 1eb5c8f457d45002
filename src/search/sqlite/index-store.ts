// The index as a database: `search.db`, which can be lost at any time, because all of it comes from the catalog. Documents and the
// position in the journal are written in one transaction.
//
//   state      position, link: the last indexed row of the journal; walk: the entry up to which a rebuild has come, or NULL
//   documents  one row for each entry: document# = space# × 2^33 + entry#, so that a space is a range of numbers
//   texts      the text of a document, long ones as deflated UTF-8
//   names      FTS5 over the names alone: searching them costs nothing for a word that only occurs in texts
//   words      FTS5 over name, properties and text; of both, the row numbers are document numbers, and neither has a copy.
//              Both get the words of `words.ts`, which the tokenizer `ascii` only has to split at spaces
//   parts      FTS5 over runs of three characters of the folded names
//
// A document is `waiting` until its text is extracted, and `skipped`, with a reason, when it cannot be.

import { rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { makePrivate } from '../../runtime/private-file.ts';
import { countWords, fold, toTokens } from '../words.ts';

/** An index with another number is rebuilt. */
const format = 3;
const minPackedChars = 8 * 1024;
const cacheKib = 16 * 1024;
/** Pages of the log at which a checkpoint runs. Each takes a sync, so it should be rare. */
const checkpointPages = 4000;

export const entriesPerSpace = 2 ** 33;

export function toDocument(space: number, entry: number): number {
  return space * entriesPerSpace + entry;
}

export function toEntryNumber(document: number): number {
  return document % entriesPerSpace;
}

const schema = `
  CREATE TABLE state (name TEXT NOT NULL PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
  CREATE TABLE documents (
    document    INTEGER NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    properties  TEXT    NOT NULL,
    content     INTEGER,
    readable    TEXT,
    state       TEXT    NOT NULL CHECK (state IN ('indexed', 'waiting', 'skipped')),
    reason      TEXT,
    attempts    INTEGER NOT NULL,
    length      INTEGER NOT NULL,
    frequencies BLOB    NOT NULL
  ) STRICT;
  CREATE INDEX documents_waiting ON documents (document) WHERE state = 'waiting';
  CREATE INDEX documents_skipped ON documents (document) WHERE state = 'skipped';
  CREATE TABLE texts (document INTEGER NOT NULL PRIMARY KEY, text ANY NOT NULL) STRICT;
  CREATE VIRTUAL TABLE names USING fts5 (
    name, content = '', contentless_delete = 1,
    tokenize = "ascii"
  );
  CREATE VIRTUAL TABLE words USING fts5 (
    name, properties, text, content = '', contentless_delete = 1,
    tokenize = "ascii"
  );
  CREATE VIRTUAL TABLE parts USING fts5 (
    name, content = '', contentless_delete = 1,
    tokenize = "trigram case_sensitive 1"
  );
  PRAGMA user_version = ${format};`;

type DocumentState = 'indexed' | 'waiting' | 'skipped';

/** The text of a content, or why it has none, or that it is still to be extracted. */
export type Reading = { state: 'indexed'; text: string } | { state: 'waiting' } | { state: 'skipped'; reason: string };

export interface DocumentRecord {
  document: number;
  name: string;
  properties: string;
  /** The catalog's number for the content whose text this is. */
  content: number | null;
  /** The format of the text (see `subject.ts`); null when there is none. */
  readable: string | null;
}

export interface StoredRecord extends DocumentRecord {
  state: DocumentState;
  attempts: number;
}

export interface JournalPosition {
  position: number;
  /** The link of the journal there: another one means that the catalog has another history. */
  link: string;
}

export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

export class IndexStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens the index, or creates one when there is none, or one of another format or a damaged one. */
  static open(path: string): IndexStore {
    try {
      const store = new IndexStore(path);
      if (store.#isOurs()) return store;
      store.close();
    } catch {
      // Whatever is wrong with it, it can be rebuilt.
    }
    removeIndex(path);
    const store = new IndexStore(path);
    store.#database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`);
    return store;
  }

  constructor(path: string) {
    makePrivate(path);
    this.#database = new DatabaseSync(path, { timeout: 5000 });
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${cacheKib}; PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  }

  #isOurs(): boolean {
    return this.#all('PRAGMA user_version')[0]?.user_version === format;
  }

  #all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }

  transact<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Null when there is no index yet. */
  findPosition(): JournalPosition | null {
    const position = this.#findState('position');
    return position === null ? null : { position: position as number, link: this.#findState('link') as string };
  }

  setPosition({ position, link }: JournalPosition): void {
    this.#setState('position', position);
    this.#setState('link', link);
  }

  findWalk(): number | null {
    return this.#findState('walk') as number | null;
  }

  setWalk(entry: number | null): void {
    this.#setState('walk', entry);
  }

  #findState(name: string): unknown {
    return this.#all('SELECT value FROM state WHERE name = ?', name)[0]?.value ?? null;
  }

  #setState(name: string, value: string | number | null): void {
    const sql = 'INSERT INTO state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
    this.#all(sql, name, value);
  }

  clear(): void {
    this.#database.exec(`DELETE FROM documents; DELETE FROM texts;
      INSERT INTO names (names) VALUES ('delete-all'); INSERT INTO words (words) VALUES ('delete-all');
      INSERT INTO parts (parts) VALUES ('delete-all')`);
  }

  find(document: number): StoredRecord | null {
    const sql =
      'SELECT document, name, properties, content, readable, state, attempts FROM documents WHERE document = ?';
    return (this.#all(sql, document)[0] as unknown as StoredRecord | undefined) ?? null;
  }

  findText(document: number): string {
    const text = this.#all('SELECT text FROM texts WHERE document = ?', document)[0]?.text;
    return text === undefined ? '' : unpackText(text as PackedText);
  }

  /** The stored reading of a document, to be written again with a new description. */
  findReading(document: number): Reading {
    const found = this.#all('SELECT state, reason FROM documents WHERE document = ?', document)[0];
    if (found?.state === 'skipped') return { state: 'skipped', reason: found.reason as string };
    return found?.state === 'indexed' ? { state: 'indexed', text: this.findText(document) } : { state: 'waiting' };
  }

  put(record: DocumentRecord, reading: Reading): void {
    this.remove(record.document);
    this.add(record, reading);
  }

  /** Adds a document that is not indexed yet. */
  add(record: DocumentRecord, reading: Reading): void {
    const { document, name, properties, content, readable } = record;
    const text = reading.state === 'indexed' ? reading.text : '';
    const { words, pairs } = countWords(text);
    const frequencies = new Uint8Array(pairs.buffer, pairs.byteOffset, pairs.byteLength);
    this.#all(
      `INSERT INTO documents (document, name, properties, content, readable, state, reason, attempts, length, frequencies)
       VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
      document,
      name,
      properties,
      content,
      readable,
      reading.state,
      reading.state === 'skipped' ? reading.reason : null,
      words,
      frequencies,
    );
    if (text !== '') this.#all('INSERT INTO texts (document, text) VALUES (?, ?)', document, packText(text));
    this.#all('INSERT INTO names (rowid, name) VALUES (?, ?)', document, toTokens(name));
    this.#all('INSERT INTO parts (rowid, name) VALUES (?, ?)', document, fold(name));
    this.#all(
      'INSERT INTO words (rowid, name, properties, text) VALUES (?, ?, ?, ?)',
      document,
      toTokens(name),
      toTokens(properties),
      toTokens(text),
    );
  }

  remove(document: number): void {
    const gone = this.#all('DELETE FROM documents WHERE document = ? RETURNING document', document);
    if (gone.length === 0) return;
    this.#all('DELETE FROM texts WHERE document = ?', document);
    this.#all('DELETE FROM names WHERE rowid = ?', document);
    this.#all('DELETE FROM words WHERE rowid = ?', document);
    this.#all('DELETE FROM parts WHERE rowid = ?', document);
  }

  /** The next one after this, or else the first. Called with the end of a space, so that spaces take turns. */
  findWaiting(after: number): StoredRecord | null {
    const sql = `SELECT document, name, properties, content, readable, state, attempts FROM documents
      WHERE state = 'waiting' AND document > ? ORDER BY document LIMIT 1`;
    const found = this.#all(sql, after)[0] ?? this.#all(sql, -1)[0];
    return (found as unknown as StoredRecord | undefined) ?? null;
  }

  setAttempts(document: number, attempts: number): void {
    this.#all('UPDATE documents SET attempts = ? WHERE document = ?', attempts, document);
  }

  close(): void {
    this.#database.close();
  }
}

/** Short texts are stored as they are: packing them would cost more than indexing them. */
export type PackedText = string | Uint8Array;

function packText(text: string): PackedText {
  return text.length < minPackedChars ? text : deflateRawSync(text, { level: 1 });
}

export function unpackText(packed: PackedText): string {
  return typeof packed === 'string' ? packed : inflateRawSync(packed).toString('utf8');
}

/** Enough for the first 2000 characters, even where each byte takes 15 bits. */
const beginningBytes = 32 * 1024;

export function unpackBeginning(packed: PackedText): string {
  if (typeof packed === 'string') return packed;
  const { Z_SYNC_FLUSH: finishFlush } = constants;
  return inflateRawSync(packed.subarray(0, beginningBytes), { finishFlush }).toString('utf8');
}
