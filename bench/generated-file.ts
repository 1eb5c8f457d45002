// A file of any size that is nowhere: each MiB of it is the same noise with the number of the MiB at its beginning, so that no
// two are alike and the bytes of any range can be told.

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

const blockBytes = 1024 * 1024;

export class GeneratedFile {
  readonly sizeBytes: number;
  readonly #noise = randomBytes(blockBytes);

  constructor(sizeBytes: number) {
    this.sizeBytes = sizeBytes;
  }

  /** The bytes from `start` up to before `end`. */
  read(start: number, end: number): Readable {
    return Readable.from(this.#blocks(start, end), { objectMode: false, highWaterMark: blockBytes });
  }

  *#blocks(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < end; ) {
      const number = Math.floor(at / blockBytes);
      const from = at - number * blockBytes;
      const to = Math.min(blockBytes, end - number * blockBytes);
      yield this.#block(number).subarray(from, to);
      at += to - from;
    }
  }

  #block(number: number): Buffer {
    const block = Buffer.from(this.#noise);
    block.writeDoubleLE(number);
    return block;
  }

  /** Throws when the pieces are not the bytes from `start` up to before `end`. */
  async check(pieces: AsyncIterable<Buffer>, start: number, end: number): Promise<void> {
    let at = start;
    let known = -1;
    let block: Buffer = this.#noise;
    for await (const piece of pieces) {
      for (let done = 0; done < piece.length; ) {
        const number = Math.floor(at / blockBytes);
        if (known !== number) block = this.#block(number);
        known = number;
        const from = at - number * blockBytes;
        const count = Math.min(piece.length - done, blockBytes - from);
        const isSame = block.compare(piece, done, done + count, from, from + count) === 0;
        if (!isSame) throw new Error(`other bytes than were saved, near ${at}`);
        done += count;
        at += count;
      }
    }
    if (at !== end) throw new Error(`${at - start} bytes came, wanted ${end - start}`);
  }
}
