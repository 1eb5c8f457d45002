// Reads blobs through the main thread, which has the blob store.

import type { WorkerCalls } from '../runtime/worker-calls.ts';
import type { IndexerHostFunctions } from './indexer-host.ts';

type Bytes = Uint8Array<ArrayBuffer> | null;

/** What is being read when `signal` is aborted is null, as are bytes that are not available. */
export function readBlobsFrom(main: WorkerCalls<IndexerHostFunctions>, signal: AbortSignal) {
  const aborted = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
  return (blob: string, sizeBytes: number): Promise<Bytes> =>
    signal.aborted ? aborted : Promise.race([main.call('readBlob', { blob, sizeBytes }), aborted]);
}
