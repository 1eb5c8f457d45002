// Whether a sync of an environment has failed, as all of its threads see it. After the first failure nothing is synced
// again: the kernel may have dropped what was to be written, and would now say that all is well.

import { Fault } from '../domain/fault.ts';

export class SyncGuard {
  /** For the threads that share it. */
  readonly shared: SharedArrayBuffer;
  readonly #flag: Int32Array;

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#flag = new Int32Array(shared);
  }

  get haveFailed(): boolean {
    return Atomics.load(this.#flag, 0) !== 0;
  }

  fail(): void {
    Atomics.store(this.#flag, 0, 1);
  }

  /** For whoever is about to sync, and for whoever has and is about to rely on it. */
  check(): void {
    if (this.haveFailed) throw new Fault('fatal', 'a sync has failed before; nothing is synced any more');
  }
}
