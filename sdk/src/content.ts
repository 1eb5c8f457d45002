// What can be sent as a file, and how it becomes a request body: with or without a length, repeatable or not, with its bytes counted.

/** Bytes to save. A `Blob` (a browser's `File`, or `fileContent(path)` of `@cabinet/client/node`) is read as it is sent, and
 *  read again if the connection is lost. A stream is read once. A string is sent as UTF-8. */
export type Content = Blob | Uint8Array | ArrayBuffer | string | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** How many bytes have gone, of how many; null where that is not known. */
export type Progress = (sentBytes: number, totalBytes: number | null) => void;

/** A content is either a blob, which can be read again, or a stream, which cannot. */
export type PreparedContent =
  | { blob: Blob; stream?: undefined }
  | { stream: ReadableStream<Uint8Array>; blob?: undefined };

export function prepare(content: Content): PreparedContent {
  if (content instanceof Blob) return { blob: content };
  if (content instanceof ReadableStream) return { stream: content };
  if (typeof content === 'string' || content instanceof ArrayBuffer || ArrayBuffer.isView(content)) {
    return { blob: new Blob([content as Uint8Array<ArrayBuffer>]) };
  }
  return { stream: toStream(content) };
}

function toStream(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}

const pieceBytes = 64 * 1024;

interface ByteStream {
  stream: ReadableStream<Uint8Array>;
  /** Cancels the source. */
  stop(reason: unknown): void;
}

interface ByteListener {
  /** Called with the size of each piece when it is read. */
  onBytes?: ((bytes: number) => void) | undefined;
  /** Called when the source cannot be read. */
  onFailure(error: unknown): void;
}

/** The same bytes in small pieces, each reported as it is read. */
export function countBytes(source: ReadableStream<Uint8Array>, { onBytes, onFailure }: ByteListener): ByteStream {
  const reader = source.getReader();
  let rest = new Uint8Array();
  const stop = (reason: unknown) => void reader.cancel(reason).catch(() => {});
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    while (rest.byteLength === 0) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        onFailure(error);
        throw error;
      });
      if (done) return controller.close();
      rest = value as Uint8Array<ArrayBuffer>;
    }
    const piece = rest.subarray(0, pieceBytes);
    rest = rest.subarray(piece.byteLength);
    onBytes?.(piece.byteLength);
    controller.enqueue(piece);
  };
  return { stream: new ReadableStream<Uint8Array>({ pull, cancel: stop }, { highWaterMark: 0 }), stop };
}

/** Whether a stream can be the body of a request. Browsers buffer it, refuse it, or want HTTP/2 for it. */
export const sendsStreams = typeof document === 'undefined' && typeof WorkerGlobalScope === 'undefined';

declare const document: unknown;
declare const WorkerGlobalScope: unknown;
