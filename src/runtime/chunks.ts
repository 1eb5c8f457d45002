// Chunks of bytes in the order of their arrival. A client can send its bytes one by one, and each chunk costs a hundred
// times what one byte does: small ones are copied together.

/** Below this a chunk is copied; above it is kept as it is. */
const smallBytes = 1024;
const gatheredBytes = 16 * 1024;

export class Chunks {
  sizeBytes = 0;
  #chunks: Buffer[] = [];
  /** The last chunk, if it is one of ours and has room behind it. */
  #room: Buffer | null = null;

  get count(): number {
    return this.#chunks.length;
  }

  push(chunk: Buffer): void {
    this.sizeBytes += chunk.length;
    const last = this.#chunks.at(-1);
    if (chunk.length >= smallBytes || last === undefined) this.#append(chunk);
    else if (this.#room !== null && this.#room.length - last.length >= chunk.length) this.#copy(last.length, chunk);
    else this.#begin(chunk);
  }

  #append(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#room = null;
  }

  /** Of its own memory, so that nothing larger is kept alive by it. */
  #begin(chunk: Buffer): void {
    this.#room = Buffer.allocUnsafeSlow(gatheredBytes);
    this.#chunks.push(this.#room.subarray(0, 0));
    this.#copy(0, chunk);
  }

  #copy(at: number, chunk: Buffer): void {
    const room = this.#room as Buffer;
    chunk.copy(room, at);
    this.#chunks[this.#chunks.length - 1] = room.subarray(0, at + chunk.length);
  }

  /** All of them; none are left. */
  take(): Buffer[] {
    const taken = this.#chunks;
    this.clear();
    return taken;
  }

  clear(): void {
    this.#chunks = [];
    this.#room = null;
    this.sizeBytes = 0;
  }
}
