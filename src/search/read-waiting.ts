// Extracts the text of the next waiting document. Spaces take turns, so that many slow documents in one do not delay the others.
// Attempts are counted before each one, so that a document that ends the whole process is not retried forever.

import type { Subject } from '../catalog/verbs/search-source.ts';
import type { Extractor } from './extract/extractor.ts';
import { maxDocumentBytes } from './extract/extractor.ts';
import { maxTextBytes } from './extract/text.ts';
import { type Follower, readPlain } from './sqlite/follower.ts';
import {
  entriesPerSpace,
  type IndexStore,
  type Reading,
  type StoredRecord,
  toEntryNumber,
} from './sqlite/index-store.ts';
import { fromReadable } from './subject.ts';

const maxAttempts = 3;

/** The waiting documents of an index. */
export interface WaitingDocuments {
  /** The next one after this, or else the first. */
  find(after: number): StoredRecord | null | Promise<StoredRecord | null>;
  /** The current entry; null when it has changed, and was indexed again. */
  confirm(waiting: StoredRecord): Subject | null | Promise<Subject | null>;
  setAttempts(document: number, attempts: number): void | Promise<void>;
  readBytes(content: number): Uint8Array | null | Promise<Uint8Array | null>;
  /** Writes the reading in one transaction, if the document still waits for it. */
  settle(waiting: StoredRecord, reading: Reading | 'interrupted'): void | Promise<void>;
}

interface Reader {
  extractor: Extractor;
  /** Null when the bytes are not available. */
  readBlob(blob: string, sizeBytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Aborted when the current attempt must not be counted. */
  signal: AbortSignal;
}

interface ReaderParts extends Reader {
  store: IndexStore;
  follower: Follower;
}

/** For the index beside a catalog on SQLite. */
export function readNext({ store, follower, ...reader }: ReaderParts, after: number): Promise<number | null> {
  const documents: WaitingDocuments = {
    find: (after) => store.findWaiting(after),
    confirm: (waiting) => follower.confirm(waiting, toEntryNumber(waiting.document)),
    setAttempts: (document, attempts) => store.transact(() => store.setAttempts(document, attempts)),
    readBytes: (content) => follower.readBytes(content),
    settle: (waiting, reading) => settle(store, waiting, reading),
  };
  return readNextOf(documents, reader, after);
}

/** `after`: the last document number of the space whose turn it was. Resolves to that of the next one; null when no document
 *  waits, or none can be read now. */
export async function readNextOf(documents: WaitingDocuments, reader: Reader, after: number): Promise<number | null> {
  const waiting = await documents.find(after);
  if (waiting === null) return null;
  const space = Math.floor(waiting.document / entriesPerSpace);
  const subject = await documents.confirm(waiting);
  if (subject !== null) {
    await documents.setAttempts(waiting.document, waiting.attempts + 1);
    const reading = await read({ ...reader, documents }, waiting, subject);
    await documents.settle(waiting, reader.signal.aborted ? 'interrupted' : reading);
    if (reading.state === 'waiting') return null;
  }
  return (space + 1) * entriesPerSpace - 1;
}

async function read(
  { documents, extractor, readBlob }: Reader & { documents: WaitingDocuments },
  { readable, attempts }: StoredRecord,
  { content, blob, size }: { content: number | null; blob: string | null; size: number },
): Promise<Reading> {
  if (attempts >= maxAttempts) return skipped('it was tried several times and never came to an end');
  const { kind, charset } = fromReadable(readable ?? '');
  const isPlain = kind === 'text' || kind === 'json';
  const maxBytes = isPlain ? maxTextBytes : maxDocumentBytes;
  // Other formats have their directory at the end, so that a part of them is useless.
  if (size > maxBytes && !isPlain && kind !== 'html') return skipped(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
  const bytes =
    blob === null ? await documents.readBytes(content ?? 0) : await readBlob(blob, Math.min(size, maxBytes));
  if (bytes === null) return attempts + 1 < maxAttempts ? { state: 'waiting' } : skipped('its bytes cannot be had');
  if (isPlain) return readPlain(Buffer.from(bytes), kind, charset);
  const outcome = await extractor.extract({ kind, charset, bytes: new Uint8Array(bytes) });
  if (outcome === null) return { state: 'waiting' };
  return 'text' in outcome ? { state: 'indexed', text: outcome.text } : skipped(outcome.reason);
}

function skipped(reason: string): Reading {
  return { state: 'skipped', reason };
}

/** Null when the entry has changed meanwhile: the text belongs to an old version. */
export function toStillWaiting(current: StoredRecord | null, { content, readable }: StoredRecord): StoredRecord | null {
  const isSame = current?.state === 'waiting' && current.content === content && current.readable === readable;
  return isSame ? current : null;
}

function settle(store: IndexStore, waiting: StoredRecord, reading: Reading | 'interrupted'): void {
  const current = toStillWaiting(store.find(waiting.document), waiting);
  if (current === null) return;
  store.transact(() => {
    if (reading === 'interrupted') store.setAttempts(waiting.document, waiting.attempts);
    else if (reading.state !== 'waiting') store.put(current, reading);
  });
}
