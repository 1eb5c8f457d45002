// The body of a request that carries a file: the bytes alone or framed with fields, opened anew for every attempt where that
// can be done, counted as they go.

import type { FetchInit } from './connect.ts';
import { type Content, countBytes, type Prepared, type Progress, prepare, sendsStreams } from './content.ts';
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

export async function toRequestBody(file: FileBody): Promise<RequestBody> {
  const content = await settle(prepare(file.content));
  const contentType = file.contentType ?? (content.blob?.type || 'application/octet-stream');
  const fields = Object.entries(file.fields ?? {}).filter((field): field is [string, string] => field[1] !== undefined);
  const isBare = file.isAlwaysBare === true || (fields.length === 0 && !framedTypes.test(contentType));
  const framed = isBare ? { content, contentType } : frame(content, contentType, fields);
  const { body, length } = toCounted(framed.content, toCounter(file.onProgress, content.blob?.size ?? null));
  const headers = { 'Content-Type': framed.contentType, ...(length !== undefined && { 'Content-Length': length }) };
  return { body, headers };
}

/** Where streams cannot be sent, they are gathered first. */
async function settle(content: Prepared): Promise<Prepared> {
  if (content.stream === undefined || sendsStreams) return content;
  return { blob: await new Response(content.stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob() };
}

type OnBytes = (sentBytes: number) => void;

/** Framing is not counted. */
function toCounter(onProgress: Progress | undefined, totalBytes: number | null): OnBytes | undefined {
  return onProgress && ((sentBytes) => onProgress(Math.min(sentBytes, totalBytes ?? sentBytes), totalBytes));
}

/** Smaller ones are gone at once. */
const countedFrom = 256 * 1024;

function toCounted(
  { blob, stream }: Prepared,
  onBytes: OnBytes | undefined,
): { body: RequestBody['body']; length?: string } {
  if (blob === undefined) return { body: onBytes === undefined ? stream : countSent(stream, onBytes) };
  if (onBytes === undefined || !sendsStreams || blob.size < countedFrom) return { body: blob };
  return { body: () => countSent(blob.stream(), onBytes), length: String(blob.size) };
}

/** Each attempt counts from the beginning. */
function countSent(stream: ReadableStream<Uint8Array>, onBytes: OnBytes): ReadableStream<Uint8Array> {
  let sentBytes = 0;
  return countBytes(stream, (bytes) => {
    sentBytes += bytes;
    onBytes(sentBytes);
  });
}
