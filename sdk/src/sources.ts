// Where an upload's bytes come from: a blob, which can be read from any offset; or a stream, of which the piece in flight is kept
// until the service has it.

import type { Piece, Source } from './resumable.ts';

/** A large request is cheaper than many small ones. A small one loses less, and reports progress where streams cannot be sent. */
export const pieceBytes = 8 * 1024 * 1024;

export function fromBlob(blob: Blob, maxBytes: number): Source {
  return {
    sizeBytes: blob.size,
    async take(offsetBytes) {
      const end = Math.min(blob.size, offsetBytes + maxBytes);
      return { blob: blob.slice(offsetBytes, end), isLast: end === blob.size };
    },
  };
}

/** The first bytes of a stream, and a reader for the rest. */
interface StreamStart {
  /** The whole content if the stream ended early. */
  blob: Blob;
  isWhole: boolean;
  rest: PieceReader;
}

export async function readStart(
  stream: ReadableStream<Uint8Array>,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<StreamStart> {
  const rest = new PieceReader(stream, signal);
  const { blob, isLast } = await rest.next(bytes);
  return { blob, isWhole: isLast, rest };
}

export function fromStream({ blob, rest }: StreamStart): Source {
  let [start, piece]: [number, Piece] = [0, { blob, isLast: false }];
  return {
    sizeBytes: null,
    async take(offsetBytes) {
      // The service may already have more than one piece of a resumed upload.
      while (offsetBytes >= start + piece.blob.size && !piece.isLast) {
        [start, piece] = [start + piece.blob.size, await rest.next(pieceBytes)];
      }
      return { blob: piece.blob.slice(offsetBytes - start), isLast: piece.isLast };
    },
  };
}

/** Reads a stream in pieces of a given size, and says of each whether it is the last. */
class PieceReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  #held: Uint8Array<ArrayBuffer> | null = null;

  constructor(stream: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
    this.#reader = stream.getReader();
    this.#signal = signal;
    const stop = () => void this.stop(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
  }

  async next(bytes: number): Promise<Piece> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let missing = bytes; missing > 0; ) {
      const part = await this.#readPart();
      if (part === null) return { blob: new Blob(parts), isLast: true };
      parts.push(part.subarray(0, missing));
      this.#held = part.subarray(missing);
      missing -= Math.min(missing, part.byteLength);
    }
    // Only another byte shows that there is more.
    this.#held = await this.#readPart();
    return { blob: new Blob(parts), isLast: this.#held === null };
  }

  /** Null: the end. */
  async #readPart(): Promise<Uint8Array<ArrayBuffer> | null> {
    const held = this.#held;
    this.#held = null;
    if (held !== null && held.byteLength > 0) return held;
    while (true) {
      const { done, value } = await this.#reader.read();
      this.#signal?.throwIfAborted();
      if (done) return null;
      if (value.byteLength > 0) return value as Uint8Array<ArrayBuffer>;
    }
  }

  /** What has not been read yet, as a stream again, behind what was. */
  toStream(before: Blob): ReadableStream<Uint8Array> {
    let isBegun = false;
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const part = isBegun ? await this.#readPart() : new Uint8Array(await before.arrayBuffer());
        isBegun = true;
        if (part === null) controller.close();
        else controller.enqueue(part);
      },
      cancel: (reason) => this.stop(reason),
    });
  }

  async stop(reason: unknown): Promise<void> {
    await this.#reader.cancel(reason).catch(() => {});
  }
}
