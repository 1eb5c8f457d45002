// The body of a request that carries a file: the bytes alone, or multipart with fields. It is opened again for each attempt where
// possible, and its bytes are counted as they are sent.

import type { FetchInit } from './connect.ts';
import { countBytes, type PreparedContent, sendsStreams } from './content.ts';
import { toMultipart } from './multipart.ts';

interface FileBody {
  content: PreparedContent;
  contentType: string;
  /** Sent beside the file, as multipart fields. */
  fields?: Record<string, string | undefined>;
  /** The route takes a body of any type as the file itself. */
  isAlwaysBare?: boolean;
}

export interface RequestBody {
  body: FetchInit['body'] | (() => FetchInit['body']);
  headers: { 'Content-Type': string; 'Content-Length'?: string };
}

/** The service does not take a body of these types as the file itself. */
export const multipartTypes = /^\s*(application\/json|multipart\/)/i;

export function toRequestBody({ content, contentType, ...file }: FileBody, reading: Reading): RequestBody {
  const fields = Object.entries(file.fields ?? {}).filter((field): field is [string, string] => field[1] !== undefined);
  const isBare = file.isAlwaysBare === true || (fields.length === 0 && !multipartTypes.test(contentType));
  const multipart = isBare ? { content, contentType } : toMultipart(content, contentType, fields);
  const headers = { 'Content-Type': multipart.contentType };
  const { blob, stream } = multipart.content;
  if (blob === undefined) return { body: reading.watch(stream), headers };
  const body = reading.open(blob);
  return body === blob ? { body, headers } : { body, headers: { ...headers, 'Content-Length': String(blob.size) } };
}

/** Smaller blobs are sent too fast for progress to matter. */
const countedFromBytes = 256 * 1024;

type OnBytes = (sentBytes: number) => void;

/** Tracks a content while it is sent. */
export class Reading {
  /** Why it cannot be read; undefined while it can. */
  failure: unknown;
  readonly #onBytes: OnBytes | undefined;
  #stop: (reason: unknown) => void = () => {};

  /** `onBytes` is called with the bytes sent in this attempt. */
  constructor(onBytes: OnBytes | undefined) {
    this.#onBytes = onBytes;
  }

  /** A blob, opened again for each attempt if its bytes are counted. */
  open(blob: Blob, onBytes = this.#onBytes): Blob | (() => ReadableStream<Uint8Array>) {
    const isCounted = sendsStreams && onBytes !== undefined && blob.size >= countedFromBytes;
    return isCounted ? () => this.watch(blob.stream(), onBytes) : blob;
  }

  watch(source: ReadableStream<Uint8Array>, onBytes = this.#onBytes): ReadableStream<Uint8Array> {
    let sentBytes = 0;
    const { stream, stop } = countBytes(source, {
      onBytes: (bytes) => {
        sentBytes += bytes;
        onBytes?.(sentBytes);
      },
      onFailure: (error) => {
        this.failure = error;
      },
    });
    this.#stop = stop;
    return stream;
  }

  /** Runs `send`. Fails with the read error if the content cannot be read; cancels the stream if sending fails. */
  async during<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      this.#stop(error);
      throw this.failure ?? error;
    }
  }
}
