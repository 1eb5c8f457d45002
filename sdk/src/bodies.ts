// The body of a request that carries a file: the bytes alone or framed with fields, opened anew for every attempt where that
// can be done, counted as they go.

import type { FetchInit } from './connect.ts';
import { type Prepared, sendsStreams, watchBytes } from './content.ts';
import { frame } from './multipart.ts';

export interface FileBody {
  content: Prepared;
  contentType: string;
  /** What travels beside the file. */
  fields?: Record<string, string | undefined>;
  /** Whether a body of any type is taken for the file itself. */
  isAlwaysBare?: boolean;
}

export interface RequestBody {
  body: FetchInit['body'] | (() => FetchInit['body']);
  headers: { 'Content-Type': string; 'Content-Length'?: string };
}

/** Under these types a body is not taken for the file itself. */
export const framedTypes = /^\s*(application\/json|multipart\/)/i;

export function toRequestBody({ content, contentType, ...file }: FileBody, reading: Reading): RequestBody {
  const fields = Object.entries(file.fields ?? {}).filter((field): field is [string, string] => field[1] !== undefined);
  const isBare = file.isAlwaysBare === true || (fields.length === 0 && !framedTypes.test(contentType));
  const framed = isBare ? { content, contentType } : frame(content, contentType, fields);
  const headers = { 'Content-Type': framed.contentType };
  const { blob, stream } = framed.content;
  if (blob === undefined) return { body: reading.watch(stream), headers };
  const body = reading.open(blob);
  return body === blob ? { body, headers } : { body, headers: { ...headers, 'Content-Length': String(blob.size) } };
}

/** Smaller ones are gone at once. */
const countedFrom = 256 * 1024;

type OnBytes = (sentBytes: number) => void;

/** What is known of a content while it is sent. */
export class Reading {
  /** Why it cannot be read; undefined as long as it can. */
  failure: unknown;
  readonly #onBytes: OnBytes | undefined;
  #stop: (reason: unknown) => void = () => {};

  /** `onBytes` hears how many bytes have gone in this attempt. */
  constructor(onBytes: OnBytes | undefined) {
    this.#onBytes = onBytes;
  }

  /** A blob, opened anew for every attempt if it is to be counted. */
  open(blob: Blob, onBytes = this.#onBytes): Blob | (() => ReadableStream<Uint8Array>) {
    const isCounted = sendsStreams && onBytes !== undefined && blob.size >= countedFrom;
    return isCounted ? () => this.watch(blob.stream(), onBytes) : blob;
  }

  watch(source: ReadableStream<Uint8Array>, onBytes = this.#onBytes): ReadableStream<Uint8Array> {
    let sentBytes = 0;
    const { stream, stop } = watchBytes(source, {
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

  /** Runs what sends it. If it cannot be read, that is why it fails; if sending fails, the stream is let go of. */
  async during<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      this.#stop(error);
      throw this.failure ?? error;
    }
  }
}
