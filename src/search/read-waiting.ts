// Has the text of the next waiting document read. Spaces take turns, so that a heap of slow documents in one does not hold
// up the others. A document that ends the whole process is not tried for ever: its attempts are counted before each.

import type { Subject } from '../catalog/verbs/search-source.ts';
import type { Extractor } from './extract/extractor.ts';
import { mostDocumentBytes } from './extract/extractor.ts';
import { mostTextBytes } from './extract/text.ts';
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

/** What waits in an index, and where what was read of it goes. */
export interface WaitingDocuments {
  /** The next one behind this, or the first of all. */
  find(after: number): StoredRecord | null | Promise<StoredRecord | null>;
  /** The entry as it is now; null: it is not as it was, and was taken in anew. */
  confirm(waiting: StoredRecord): Subject | null | Promise<Subject | null>;
  setAttempts(document: number, attempts: number): void | Promise<void>;
  readBytes(content: number): Uint8Array | null | Promise<Uint8Array | null>;
  /** In one transaction: looks whether it still waits for this, and writes it. */
  settle(waiting: StoredRecord, reading: Reading | 'cut short'): void | Promise<void>;
}

interface Reader {
  extractor: Extractor;
  /** Null: they cannot be had. */
  readBlob(blob: string, sizeBytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Aborted: what is under way is not to be counted as an attempt. */
  signal: AbortSignal;
}

export interface Parts extends Reader {
  store: IndexStore;
  follower: Follower;
}

/** For the index beside a catalog on SQLite. */
export function readNext({ store, follower, ...reader }: Parts, after: number): Promise<number | null> {
  const documents: WaitingDocuments = {
    find: (after) => store.findWaiting(after),
    confirm: (waiting) => follower.confirm(waiting, toEntryNumber(waiting.document)),
    setAttempts: (document, attempts) => store.transact(() => store.setAttempts(document, attempts)),
    readBytes: (content) => follower.readBytes(content),
    settle: (waiting, reading) => settle(store, waiting, reading),
  };
  return readNextOf(documents, reader, after);
}

/** `after`: the last document of the space that had its turn. Resolves to the same of this one; null: there is none, or
 *  none that can be read right now. */
export async function readNextOf(documents: WaitingDocuments, reader: Reader, after: number): Promise<number | null> {
  const waiting = await documents.find(after);
  if (waiting === null) return null;
  const space = Math.floor(waiting.document / entriesPerSpace);
  const subject = await documents.confirm(waiting);
  if (subject !== null) {
    await documents.setAttempts(waiting.document, waiting.attempts + 1);
    const reading = await read({ ...reader, documents }, waiting, subject);
    await documents.settle(waiting, reader.signal.aborted ? 'cut short' : reading);
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
  const most = isPlain ? mostTextBytes : mostDocumentBytes;
  // The end of the others tells where everything is.
  if (size > most && !isPlain && kind !== 'html') return skipped(`it is larger than ${most / 1024 / 1024} MiB`);
  const bytes = blob === null ? await documents.readBytes(content ?? 0) : await readBlob(blob, Math.min(size, most));
  if (bytes === null) return attempts + 1 < maxAttempts ? { state: 'waiting' } : skipped('its bytes cannot be had');
  if (isPlain) return readPlain(Buffer.from(bytes), kind, charset);
  const outcome = await extractor.extract({ kind, charset, bytes: new Uint8Array(bytes) });
  if (outcome === null) return { state: 'waiting' };
  return 'text' in outcome ? { state: 'indexed', text: outcome.text } : skipped(outcome.reason);
}

function skipped(reason: string): Reading {
  return { state: 'skipped', reason };
}

/** Null: the entry has changed meanwhile, and this is the text of a version that is no longer asked for. */
export function toStillWaiting(current: StoredRecord | null, { content, readable }: StoredRecord): StoredRecord | null {
  const isSame = current?.state === 'waiting' && current.content === content && current.readable === readable;
  return isSame ? current : null;
}

function settle(store: IndexStore, waiting: StoredRecord, reading: Reading | 'cut short'): void {
  const current = toStillWaiting(store.find(waiting.document), waiting);
  if (current === null) return;
  store.transact(() => {
    if (reading === 'cut short') store.setAttempts(waiting.document, waiting.attempts);
    else if (reading.state !== 'waiting') store.put(current, reading);
  });
}
