// Decides which of the waiting writes run in one transaction.

import type { AnyWrite } from '../catalog.ts';

const maxTogether = 128;
const maxBatchBytes = 4 * 1024 * 1024;

export interface WaitingWrite {
  verb: AnyWrite;
  input: unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** The next waiting verb; if it shares its space, together with all others that can run in step with it. A verb that claims
 *  what another one of the batch claims waits for the next batch. */
export function takeBatch(waiting: WaitingWrite[]): WaitingWrite[] {
  const [first] = waiting;
  if (first?.verb.lock !== 'shared') return waiting.splice(0, 1);
  const batch: { item: WaitingWrite; order: string }[] = [];
  const claimed = new Set<string>();
  let bytes = 0;
  for (let at = 0; at < waiting.length && batch.length < maxTogether && bytes < maxBatchBytes; ) {
    const item = waiting[at] as WaitingWrite;
    const claims = item.verb.lock === 'shared' ? item.verb.claims(item.input) : null;
    if (claims === null || claims.some((claim) => claimed.has(claim))) {
      at += 1;
      continue;
    }
    for (const claim of claims) claimed.add(claim);
    bytes += (item.input as { content?: { bytes?: Uint8Array | null } }).content?.bytes?.byteLength ?? 0;
    batch.push({ item, order: claims[0] ?? '' });
    waiting.splice(at, 1);
  }
  // The same order in every batch, so that no two batches deadlock on rows.
  return batch.sort((a, b) => a.order.localeCompare(b.order)).map(({ item }) => item);
}

/** How many numbered rows a batch inserts at most. */
export function countNewRows(batch: readonly WaitingWrite[]): number {
  return batch.reduce((count, { verb, input }) => count + verb.newRows(input), 0);
}
