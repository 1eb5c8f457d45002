// Chunks of bytes in order of arrival. A client can send its bytes one by one, and a chunk costs a hundred times
// as much as a byte: small ones are copied together.

/** Smaller chunks are copied; larger ones are kept as they are. */
const smallBytes = 1024;
const gatheredBytes = 16 * 1024;

export class Chunks {
  sizeBytes = 0;
  #chunks: Buffer[] = [];
  /** The buffer of the last chunk, if it is ours and has room left. */
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

  /** In memory of its own, so that it keeps nothing larger alive. */
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

  /** Returns all chunks and forgets them. */
  take(): Buffer[] {
    const chunks = this.#chunks;
    this.clear();
    return chunks;
  }

  clear(): void {
    this.#chunks = [];
    this.#room = null;
    this.sizeBytes = 0;
  }
}
