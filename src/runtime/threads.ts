// Ends a worker thread between two events. `worker.terminate()` stops it anywhere, and Node aborts the whole process if that is
// between the creation and the initialization of a zlib stream: threads that decompress anything are ended like this.

import { parentPort, type Worker } from 'node:worker_threads';

const endMessage = 'end';

/** Resolves when the thread has exited, which it does as soon as it is back in its event loop. */
export async function endThread(worker: Worker): Promise<void> {
  // It has already exited.
  if (worker.threadId === -1) return;
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage(endMessage);
  await exited;
}

/** In the thread, before it listens to anything else. */
export function exitOnRequest(): void {
  parentPort?.on('message', (message: unknown) => {
    if (message === endMessage) process.exit();
  });
}
