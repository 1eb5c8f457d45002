// Requests of the two protocols for resumable uploads.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Answer, type Caller, CONTENT, call, download, type Headers } from './client.ts';

export const TUS = { 'Tus-Resumable': '1.0.0' };
export const TUS_BYTES = { ...TUS, 'Content-Type': 'application/offset+octet-stream' };
export const PARTIAL = { 'Content-Type': 'application/partial-upload' };

export function toMetadata(pairs: Record<string, string>): string {
  const encoded = Object.entries(pairs).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  return encoded.join(',');
}

/** The path of an upload behind /v1/contentmanagement. */
export function toPath(answer: Answer): string {
  const location = String(answer.headers.location);
  assert.match(location, /^\/v1\/contentmanagement\/uploads\/[0-9a-f]{32}$/, 'Location is a path, without a host');
  return location.slice(CONTENT.length);
}

export async function createTus(caller: Caller, headers: Headers, body?: Uint8Array): Promise<Answer> {
  const type = body === undefined ? TUS : TUS_BYTES;
  return await call(caller, '/uploads', { method: 'POST', headers: { ...type, ...headers }, ...(body && { body }) });
}

export async function patchTus(
  caller: Caller,
  path: string,
  offset: number,
  body: Uint8Array,
  more: Headers = {},
): Promise<Answer> {
  return await call(caller, path, {
    method: 'PATCH',
    headers: { ...TUS_BYTES, 'Upload-Offset': String(offset), ...more },
    body,
  });
}

export function headTus(caller: Caller, path: string): Promise<Answer> {
  return call(caller, path, { method: 'HEAD', headers: TUS });
}

/** By the draft. */
export async function begin(caller: Caller, headers: Headers, body: Uint8Array = Buffer.alloc(0)): Promise<Answer> {
  return await call(caller, '/files', { method: 'POST', headers, body });
}

export async function append(
  caller: Caller,
  path: string,
  { offset, isLast, more = {} }: { offset: number; isLast: boolean; more?: Headers },
  body: Uint8Array,
): Promise<Answer> {
  const headers = { ...PARTIAL, 'Upload-Offset': String(offset), 'Upload-Complete': isLast ? '?1' : '?0', ...more };
  return await call(caller, path, { method: 'PATCH', headers, body });
}

export function head(caller: Caller, path: string, headers: Headers = {}): Promise<Answer> {
  return call(caller, path, { method: 'HEAD', headers });
}

export function codeOf(answer: Answer): string {
  return (JSON.parse(answer.body.toString()) as { Error: { Code: string } }).Error.Code;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

export async function assertSaved(caller: Caller, answer: Answer, bytes: Uint8Array): Promise<string> {
  const id = String(answer.headers.entryid);
  assert.ok((await download(caller, id)).equals(bytes), 'the bytes that were sent');
  return id;
}
