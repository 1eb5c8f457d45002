// Whether a sync of an environment has failed, shared by all of its threads. After the first failure nothing is synced
// again: the kernel may have dropped dirty pages, and a later sync would report success.

import { Fault } from '../domain/fault.ts';

export class SyncGuard {
  /** To be passed to other threads. */
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

  /** Called before each sync, and after it before anything relies on it. */
  check(): void {
    if (this.haveFailed) throw new Fault('fatal', 'an earlier fsync failed; nothing is written any more');
  }
}
