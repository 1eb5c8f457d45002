// Has the text of the next waiting document read. Spaces take turns, so that a heap of slow documents in one does not hold
// up the others. A document that ends the whole process is not tried for ever: its attempts are counted before each.

import { mostTextBytes } from './extract-text.ts';
import type { Extractor } from './extractor.ts';
import { mostDocumentBytes } from './extractor.ts';
import { type Follower, readPlain } from './follower.ts';
import { entriesPerSpace, type IndexStore, type Reading, type StoredRecord, toEntryNumber } from './index-store.ts';
import { fromReadable } from './subject.ts';

const mostAttempts = 3;

export interface Parts {
  store: IndexStore;
  follower: Follower;
  extractor: Extractor;
  /** Null: they cannot be had. */
  readBlob(blob: string, sizeBytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Aborted: what is under way is not to be counted as an attempt. */
  signal: AbortSignal;
}

/** `after`: the last document of the space that had its turn. Resolves to the same of this one; null: there is none, or
 *  none that can be read right now. */
export async function readNext(parts: Parts, after: number): Promise<number | null> {
  const { store, follower } = parts;
  const waiting = store.findWaiting(after);
  if (waiting === null) return null;
  const space = Math.floor(waiting.document / entriesPerSpace);
  const subject = follower.confirm(waiting, toEntryNumber(waiting.document));
  if (subject !== null) {
    const attempts = waiting.attempts + 1;
    store.transact(() => store.setAttempts(waiting.document, attempts));
    const reading = await read(parts, waiting, subject);
    settle(parts, waiting, reading);
    if (reading.state === 'waiting') return null;
  }
  return (space + 1) * entriesPerSpace - 1;
}

async function read(
  { follower, extractor, readBlob }: Parts,
  { readable, attempts }: StoredRecord,
  { content, blob, size }: { content: number | null; blob: string | null; size: number },
): Promise<Reading> {
  if (attempts >= mostAttempts) return skipped('it was tried several times and never came to an end');
  const { kind, charset } = fromReadable(readable ?? '');
  const isPlain = kind === 'text' || kind === 'json';
  const most = isPlain ? mostTextBytes : mostDocumentBytes;
  // The end of the others tells where everything is.
  if (size > most && !isPlain && kind !== 'html') return skipped(`it is larger than ${most / 1024 / 1024} MiB`);
  const bytes = blob === null ? follower.readBytes(content ?? 0) : await readBlob(blob, Math.min(size, most));
  if (bytes === null) return attempts + 1 < mostAttempts ? { state: 'waiting' } : skipped('its bytes cannot be had');
  if (isPlain) return readPlain(Buffer.from(bytes), kind, charset);
  const outcome = await extractor.extract({ kind, charset, bytes: new Uint8Array(bytes) });
  return 'text' in outcome ? { state: 'indexed', text: outcome.text } : skipped(outcome.reason);
}

function skipped(reason: string): Reading {
  return { state: 'skipped', reason };
}

/** The entry may have changed meanwhile: then this is the text of a version that is no longer asked for. */
function settle({ store, signal }: Parts, waiting: StoredRecord, reading: Reading): void {
  const { document, content, readable, attempts } = waiting;
  const current = store.find(document);
  if (current?.state !== 'waiting' || current.content !== content || current.readable !== readable) return;
  store.transact(() => {
    if (signal.aborted) store.setAttempts(document, attempts);
    else if (reading.state !== 'waiting') store.put(current, reading);
  });
}
