// The body of a request that carries a file: the bytes alone or framed with fields, opened anew for every attempt where that
// can be done, counted as they go.

import type { FetchInit } from './connect.ts';
import { type Content, type Prepared, type Progress, prepare, sendsStreams, watchBytes } from './content.ts';
import { frame } from './multipart.ts';

export interface FileBody {
  content: Content;
  contentType?: string | undefined;
  /** What travels beside the file. */
  fields?: Record<string, string | undefined>;
  /** Whether a body of any type is taken for the file itself. */
  isAlwaysBare?: boolean;
  onProgress?: Progress | undefined;
}

export interface RequestBody {
  body: FetchInit['body'] | (() => FetchInit['body']);
  headers: { 'Content-Type': string; 'Content-Length'?: string };
}

/** Under these types a body is not taken for the file itself. */
const framedTypes = /^\s*(application\/json|multipart\/)/i;

/** Sends a file by `send`. If the file cannot be read, that is why it fails; if sending fails, its stream is let go of. */
export async function sendFile<Answer>(file: FileBody, send: (body: RequestBody) => Promise<Answer>): Promise<Answer> {
  const content = await settle(prepare(file.content));
  const reading = new Reading(file.onProgress, content.blob?.size ?? null);
  try {
    return await send(toRequestBody(file, content, reading));
  } catch (error) {
    reading.stop(error);
    throw reading.failure ?? error;
  }
}

/** Where streams cannot be sent, they are gathered first. */
async function settle(content: Prepared): Promise<Prepared> {
  if (content.stream === undefined || sendsStreams) return content;
  return { blob: await new Response(content.stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob() };
}

function toRequestBody(file: FileBody, content: Prepared, reading: Reading): RequestBody {
  const contentType = file.contentType ?? (content.blob?.type || 'application/octet-stream');
  const fields = Object.entries(file.fields ?? {}).filter((field): field is [string, string] => field[1] !== undefined);
  const isBare = file.isAlwaysBare === true || (fields.length === 0 && !framedTypes.test(contentType));
  const framed = isBare ? { content, contentType } : frame(content, contentType, fields);
  const headers = { 'Content-Type': framed.contentType };
  const { blob, stream } = framed.content;
  if (blob === undefined) return { body: reading.watch(stream), headers };
  if (!sendsStreams || !reading.isCounted || blob.size < countedFrom) return { body: blob, headers };
  return {
    body: () => reading.watch(blob.stream()),
    headers: { ...headers, 'Content-Length': String(blob.size) },
  };
}

/** Smaller ones are gone at once. */
const countedFrom = 256 * 1024;

/** What is known of a content while it is sent. Each attempt counts from the beginning; framing is not counted. */
class Reading {
  readonly isCounted: boolean;
  failure: unknown;
  readonly #onProgress: Progress | undefined;
  readonly #totalBytes: number | null;
  #stop: (reason: unknown) => void = () => {};

  constructor(onProgress: Progress | undefined, totalBytes: number | null) {
    this.isCounted = onProgress !== undefined;
    this.#onProgress = onProgress;
    this.#totalBytes = totalBytes;
  }

  watch(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    let sentBytes = 0;
    const { stream, stop } = watchBytes(source, {
      onBytes: (bytes) => {
        sentBytes += bytes;
        this.#onProgress?.(Math.min(sentBytes, this.#totalBytes ?? sentBytes), this.#totalBytes);
      },
      onFailure: (error) => {
        this.failure = error;
      },
    });
    this.#stop = stop;
    return stream;
  }

  stop(reason: unknown): void {
    this.#stop(reason);
  }
}
