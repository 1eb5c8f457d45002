// Buffers that blobs are read into, used again and again. A fresh MiB costs about as much as reading one from the page cache:
// the kernel clears its pages, and the collector runs sooner to free it.

const sizes = [64, 128, 256, 512, 1024].map((kibibytes) => kibibytes * 1024);
/** Of buffers that nobody uses; what is given back beyond is freed. */
const mostKeptBytes = 8 * 1024 * 1024;

export class BufferPool {
  readonly #free: Buffer[][] = sizes.map(() => []);
  #keptBytes = 0;

  /** At least as long, and not cleared. */
  take(bytes: number): Buffer {
    const which = sizes.findIndex((size) => size >= bytes);
    const buffer = this.#free[which]?.pop();
    if (buffer === undefined) return Buffer.allocUnsafeSlow(sizes[which] ?? bytes);
    this.#keptBytes -= buffer.length;
    return buffer;
  }

  /** Nobody may use it any more. */
  giveBack(buffer: Buffer): void {
    const free = this.#free[sizes.indexOf(buffer.length)];
    if (free === undefined) return;
    if (this.#keptBytes + buffer.length > mostKeptBytes) {
      // Not left to the collector, which would run over the whole heap for every few dozen of them.
      (buffer.buffer as ArrayBuffer).transfer(0);
      return;
    }
    this.#keptBytes += buffer.length;
    free.push(buffer);
  }
}
