// Keeps the index in step with the catalog: follows the journal, and walks through all entries where the journal does not
// reach back far enough. An entry is always indexed as it is now, whatever change led to it, so that doing it twice, or
// out of turn, does no harm.

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
  type Place,
  type Reading,
  type StoredRecord,
  toDocument,
} from './index-store.ts';

/** Changes, or entries, of one transaction; and about how many bytes of text are read for it. */
export const batchRows = 500;
export const batchBytes = 1024 * 1024;
/** What is added for each entry, so that many empty ones count too. */
const rowBytes = 1024;
/** Entries that are looked up together: where answers take their time, each alone would be waited for. */
const lookupRows = 32;

export interface Batch {
  subjects: Subject[];
  /** Documents whose entries are gone. */
  gone: number[];
  place: Place;
  /** Whether there may be more changes than were taken. */
  isCut: boolean;
}

interface Read {
  record: DocumentRecord;
  reading: Reading;
  /** Whether the index does not know it yet. */
  isNew: boolean;
}

export class Follower {
  readonly #catalog: Connection;
  readonly #store: IndexStore;

  constructor(catalog: Connection, store: IndexStore) {
    this.#catalog = catalog;
    this.#store = store;
  }

  /** Takes in the next changes; false: there were no more. */
  follow(): boolean {
    const place = this.#store.findPlace();
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
    const reads = this.#read(batch.subjects);
    this.#store.transact(() => {
      for (const document of batch.gone) this.#store.remove(document);
      this.#write(reads);
      this.#store.setPlace(batch.place);
    });
    return batch.isCut;
  }

  /** Takes in the next entries of a rebuild; false: none is under way. */
  walk(): boolean {
    const after = this.#store.findWalk();
    if (after === null) return false;
    const found = this.#catalog.read(listSubjects(after, batchRows));
    const taken = takeUpTo(found, batchBytes);
    const reads = this.#read(taken);
    this.#store.transact(() => {
      this.#write(reads);
      this.#store.setWalk(taken.at(-1)?.entry ?? null);
    });
    return true;
  }

  /** Begins anew: an empty index, the journal from its end on, and a walk through everything that is there. */
  rebuild(): void {
    const last = this.#catalog.read(findLast()) ?? { position: 0, link: '' };
    this.#store.transact(() => {
      this.#store.clear();
      this.#store.setPlace(last);
      this.#store.setWalk(0);
    });
  }

  /** Looks again at an entry whose text was waited for; null: it is not as it was, and is taken in as it is now. */
  confirm({ document, content, readable }: DocumentRecord, entry: number): Subject | null {
    const subject = this.#catalog.read(findSubjectByNumber(entry));
    const record = subject === undefined ? null : toRecord(subject);
    if (subject !== undefined && record?.content === content && record.readable === readable) return subject;
    const reads = this.#read(subject === undefined ? [] : [subject]);
    this.#store.transact(() => {
      if (subject === undefined) this.#store.remove(document);
      this.#write(reads);
    });
    return null;
  }

  readBytes(content: number): Uint8Array | null {
    return this.#catalog.read(findBytes(content));
  }

  /** What has to be written; entries that the index knows as they are left out. */
  #read(subjects: readonly Subject[]): Read[] {
    return subjects.flatMap((subject): Read[] => {
      const record = toRecord(subject);
      const known = this.#store.find(record.document);
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

  /** In the order of their numbers: FTS5 begins a new piece of its index at every step back. */
  #write(reads: readonly Read[]): void {
    const ordered = reads.toSorted((a, b) => a.record.document - b.record.document);
    for (const { record, reading, isNew } of ordered) {
      if (isNew) this.#store.add(record, reading);
      else this.#store.put(record, reading);
    }
  }
}

/** What the index has to learn. What was skipped is not tried again because of a new name; it says why once more. */
export function compare(record: DocumentRecord, known: StoredRecord | null): 'content' | 'description' | null {
  if (known === null || known.content !== record.content || known.readable !== record.readable) return 'content';
  return known.name === record.name && known.properties === record.properties ? null : 'description';
}

/** Small plain text; anything else waits its turn. */
export function isReadAtOnce({ content, blob }: Subject, { readable }: DocumentRecord): boolean {
  return content !== null && blob === null && readable !== null && isPlain(fromReadable(readable).kind);
}

/** `bytes`: null for what is not read at once. */
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

/** Null: nothing has changed. `lost`: the journal does not go on from this place. */
export function* readBatch(place: Place): Verb<Batch | 'lost' | null> {
  const link = yield* findLink(place.position);
  const changes = yield* listFollowed(place.position, batchRows);
  const [first] = changes;
  if (link === undefined ? isLostAt(place, first, yield* findLast()) : link !== place.link) return 'lost';
  return first === undefined ? null : yield* gather(changes);
}

/** The row at our place is sealed, or we are at the beginning. */
function isLostAt({ position }: Place, next: FollowedChange | undefined, last: Place | undefined): boolean {
  if (next !== undefined) return next.position > position + 1;
  return (last?.position ?? 0) < position;
}

function* gather(changes: readonly FollowedChange[]): Verb<Batch> {
  const subjects = new Map<number, Subject>();
  const gone = new Set<number>();
  let budgetBytes = batchBytes;
  let place: Place | null = null;
  for (let at = 0; at < changes.length && budgetBytes > 0; at += lookupRows) {
    const some = changes.slice(at, at + lookupRows);
    const found = yield* together(some.map(findChanged));
    for (const [index, { position, link, space, action, details }] of some.entries()) {
      if (budgetBytes <= 0) break;
      place = { position, link };
      if (action === 'entries.purged') {
        const { entries } = JSON.parse(details) as { entries: number[] };
        for (const number of entries) gone.add(toDocument(space, number));
      }
      const subject = found[index];
      if (subject === undefined || subjects.has(subject.entry)) continue;
      subjects.set(subject.entry, subject);
      budgetBytes -= costOf(subject);
    }
  }
  const isCut = changes.length === batchRows || place?.position !== changes.at(-1)?.position;
  return { subjects: [...subjects.values()], gone: [...gone], place: place as Place, isCut };
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
    const isTaken = left > 0;
    left -= costOf(subject);
    return isTaken;
  });
}
