// Keeps the index up to date: follows the journal, and walks through all entries where the journal does not reach back far enough.
// An entry is always indexed in its current state, whatever change led to it, so that repeated or reordered work does no harm.

import { together, type Verb } from '../../catalog/sql.ts';
import type { Connection } from '../../catalog/sqlite/connection.ts';
import {
  type FollowedChange,
  findBytes,
  findLast,
  findLink,
  findSubject,
  findSubjectByNumber,
  listFollowed,
  listSubjects,
  type Subject,
} from '../../catalog/verbs/search-source.ts';
import type { DocumentKind } from '../extract/document-kind.ts';
import { extractJson, extractText } from '../extract/text.ts';
import { Unreadable } from '../extract/unreadable.ts';
import { fromReadable, toRecord } from '../subject.ts';
import {
  type DocumentRecord,
  type IndexStore,
  type JournalPosition,
  type Reading,
  type StoredRecord,
  toDocument,
} from './index-store.ts';

/** Changes or entries per transaction, and about how many bytes of text are read for it. */
export const batchRows = 500;
export const batchBytes = 1024 * 1024;
/** Added for each entry, so that many empty ones count too. */
const rowBytes = 1024;
/** Entries looked up together, which saves round trips to a database server. */
const lookupRows = 32;

interface Batch {
  subjects: Subject[];
  /** Documents whose entries are purged. */
  gone: number[];
  place: JournalPosition;
  /** Whether there may be more changes. */
  isCut: boolean;
}

interface Change {
  record: DocumentRecord;
  reading: Reading;
  /** Whether it is not indexed yet. */
  isNew: boolean;
}

export class Follower {
  readonly #catalog: Connection;
  readonly #store: IndexStore;

  constructor(catalog: Connection, store: IndexStore) {
    this.#catalog = catalog;
    this.#store = store;
  }

  /** Indexes the next changes; false when there were none. */
  follow(): boolean {
    const place = this.#store.findPosition();
    if (place === null) {
      this.rebuild();
      return true;
    }
    const batch = this.#catalog.read(readBatch(place));
    if (batch === 'lost') {
      this.rebuild();
      return true;
    }
    if (batch === null) return false;
    const changes = this.#read(batch.subjects, new Set(batch.gone));
    this.#store.transact(() => {
      for (const document of batch.gone) this.#store.remove(document);
      this.#write(changes);
      this.#store.setPosition(batch.place);
    });
    return batch.isCut;
  }

  /** Indexes the next entries of a rebuild; false when none is running. */
  walk(): boolean {
    const after = this.#store.findWalk();
    if (after === null) return false;
    const subjects = takeUpTo(this.#catalog.read(listSubjects(after, batchRows)), batchBytes);
    const changes = this.#read(subjects);
    this.#store.transact(() => {
      this.#write(changes);
      this.#store.setWalk(subjects.at(-1)?.entry ?? null);
    });
    return true;
  }

  /** Empties the index, continues at the end of the journal, and starts a walk through all entries. */
  rebuild(): void {
    const last = this.#catalog.read(findLast()) ?? { position: 0, link: '' };
    this.#store.transact(() => {
      this.#store.clear();
      this.#store.setPosition(last);
      this.#store.setWalk(0);
    });
  }

  /** Checks an entry whose text is to be extracted; null when it has changed, and was indexed again. */
  confirm({ document, content, readable }: DocumentRecord, entry: number): Subject | null {
    const subject = this.#catalog.read(findSubjectByNumber(entry));
    const record = subject === undefined ? null : toRecord(subject);
    if (subject !== undefined && record?.content === content && record.readable === readable) return subject;
    const changes = this.#read(subject === undefined ? [] : [subject]);
    this.#store.transact(() => {
      if (subject === undefined) this.#store.remove(document);
      this.#write(changes);
    });
    return null;
  }

  readBytes(content: number): Uint8Array | null {
    return this.#catalog.read(findBytes(content));
  }

  /** The entries that differ from the index. SQLite gives the number of a purged entry to a new one: what is `gone` is not its record. */
  #read(subjects: readonly Subject[], gone: ReadonlySet<number> = new Set()): Change[] {
    return subjects.flatMap((subject): Change[] => {
      const record = toRecord(subject);
      const known = gone.has(record.document) ? null : this.#store.find(record.document);
      const difference = compare(record, known);
      if (difference === null) return [];
      const isContent = difference === 'content';
      const reading = isContent ? this.#readContent(subject, record) : this.#store.findReading(record.document);
      return [{ record, reading, isNew: known === null }];
    });
  }

  #readContent(subject: Subject, record: DocumentRecord): Reading {
    const bytes = isReadAtOnce(subject, record) ? this.readBytes(subject.content as number) : null;
    return toReading(record, bytes);
  }

  /** In the order of their numbers: FTS5 starts a new segment at every step back. */
  #write(changes: readonly Change[]): void {
    const ordered = changes.toSorted((a, b) => a.record.document - b.record.document);
    for (const { record, reading, isNew } of ordered) {
      if (isNew) this.#store.add(record, reading);
      else this.#store.put(record, reading);
    }
  }
}

/** What differs. A skipped document is not retried because of a new name; it keeps its reason. */
export function compare(record: DocumentRecord, known: StoredRecord | null): 'content' | 'description' | null {
  if (known === null || known.content !== record.content || known.readable !== record.readable) return 'content';
  return known.name === record.name && known.properties === record.properties ? null : 'description';
}

/** Small plain text is read with its entry; anything else waits. */
export function isReadAtOnce({ content, blob }: Subject, { readable }: DocumentRecord): boolean {
  return content !== null && blob === null && readable !== null && isPlain(fromReadable(readable).kind);
}

/** `bytes` is null for what is not read at once. */
export function toReading({ content, readable }: DocumentRecord, bytes: Uint8Array | null): Reading {
  if (readable === null || content === null) return { state: 'indexed', text: '' };
  const { kind, charset } = fromReadable(readable);
  return bytes === null || !isPlain(kind) ? { state: 'waiting' } : readPlain(Buffer.from(bytes), kind, charset);
}

function isPlain(kind: DocumentKind): kind is 'text' | 'json' {
  return kind === 'text' || kind === 'json';
}

export function readPlain(bytes: Buffer, kind: 'text' | 'json', charset: string | null): Reading {
  try {
    return { state: 'indexed', text: kind === 'json' ? extractJson(bytes) : extractText(bytes, charset) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { state: 'skipped', reason: error.message };
  }
}

/** Null when nothing has changed. `lost`: the journal does not continue at this position. */
export function* readBatch(place: JournalPosition): Verb<Batch | 'lost' | null> {
  const link = yield* findLink(place.position);
  const changes = yield* listFollowed(place.position, batchRows);
  const [first] = changes;
  if (link === undefined ? isLostAt(place, first, yield* findLast()) : link !== place.link) return 'lost';
  return first === undefined ? null : yield* gather(changes);
}

/** The row at our position is archived, or we are at the beginning. */
function isLostAt(
  { position }: JournalPosition,
  next: FollowedChange | undefined,
  last: JournalPosition | undefined,
): boolean {
  if (next !== undefined) return next.position > position + 1;
  return (last?.position ?? 0) < position;
}

function* gather(changes: readonly FollowedChange[]): Verb<Batch> {
  const subjects = new Map<number, Subject>();
  const gone = new Set<number>();
  let budgetBytes = batchBytes;
  let place: JournalPosition | null = null;
  for (let at = 0; at < changes.length && budgetBytes > 0; at += lookupRows) {
    const some = changes.slice(at, at + lookupRows);
    const current = yield* together(some.map(findChanged));
    for (const [index, { position, link, space, action, details }] of some.entries()) {
      if (budgetBytes <= 0) break;
      place = { position, link };
      if (action === 'entries.purged') {
        const { entries } = JSON.parse(details) as { entries: number[] };
        for (const number of entries) gone.add(toDocument(space, number));
      }
      const subject = current[index];
      if (subject === undefined || subjects.has(subject.entry)) continue;
      subjects.set(subject.entry, subject);
      budgetBytes -= costOf(subject);
    }
  }
  const isCut = changes.length === batchRows || place?.position !== changes.at(-1)?.position;
  return { subjects: [...subjects.values()], gone: [...gone], place: place as JournalPosition, isCut };
}

function* findChanged({ action, space, entry }: FollowedChange): Verb<Subject | undefined> {
  return isAboutEntry(action) ? yield* findSubject(space, entry) : undefined;
}

function isAboutEntry(action: string): boolean {
  return /^(entry|file|folder|version)\./.test(action) && action !== 'file.read';
}

function costOf({ blob, size }: Subject): number {
  return rowBytes + (blob === null ? (size ?? 0) : 0);
}

export function takeUpTo(subjects: readonly Subject[], budgetBytes: number): Subject[] {
  let left = budgetBytes;
  return subjects.filter((subject) => {
    const fits = left > 0;
    left -= costOf(subject);
    return fits;
  });
}
