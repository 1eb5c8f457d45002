// The answer with a file's bytes: whole, a range, several ranges, or only that nothing has changed. Downloads use the
// statuses of their standard (RFC 9110).

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readMediaType } from '../domain/content-type.ts';
import type { Answer } from '../listener/answer.ts';
import type { OpenedFile } from '../operations/open-file.ts';
import { checkConditions, isRangeMeant } from './conditions.ts';
import { type Range, readRanges, toContentRange } from './ranges.ts';

/** Whether a browser keeps what it gets or shows it. */
export type Disposition = 'attachment' | 'inline';

/** What a browser can show without running anything in it. Others are attachments, whatever was asked for. */
const inertTypes = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  ...['video/mp4', 'video/webm', 'video/ogg', 'audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/wav', 'audio/flac'],
  'text/plain',
]);

export function answerDownload(
  request: IncomingMessage,
  file: OpenedFile,
  disposition: Disposition = 'attachment',
): Answer {
  const headers = toFileHeaders(file, disposition);
  const validators = { etag: headers.ETag ?? '', modifiedAtMs: file.modifiedAt, isDated: file.isDated };
  const verdict = checkConditions(request, validators);
  // The length that the bytes would have.
  const length = { 'Content-Length': String(file.sizeBytes) };
  if (verdict === 'unchanged') return { status: 304, headers: { ...headers, ...length }, body: '' };
  if (verdict === 'failed') return { status: 412, headers: { ...headers, ...noBody }, body: '' };
  // Ranges are for GET alone.
  const isMeant = request.method === 'GET' && isRangeMeant(request, validators);
  const header = isMeant ? (request.headers.range ?? null) : null;
  const ranges = readRanges(header, file.sizeBytes);
  if (ranges === null) return toWhole(file, headers);
  const [first, ...others] = ranges;
  if (first === undefined) {
    const contentRange = `bytes */${file.sizeBytes}`;
    return { status: 416, headers: { ...headers, ...noBody, 'Content-Range': contentRange }, body: '' };
  }
  return others.length === 0 ? toPart(file, headers, first) : toParts(file, headers, ranges);
}

const noBody = { 'Content-Length': '0' };

function toFileHeaders(file: OpenedFile, asked: Disposition): Record<string, string> {
  const sha256 = Buffer.from(file.sha256).toString('base64');
  const isInert = inertTypes.has(readMediaType(file.contentType)?.essence ?? '');
  return {
    'Content-Type': file.contentType,
    ...toSafeHeaders(file.name, isInert ? asked : 'attachment'),
    'Accept-Ranges': 'bytes',
    ETag: `"${sha256}"`,
    'Last-Modified': new Date(file.modifiedAt).toUTCString(),
    'Repr-Digest': `sha-256=:${sha256}:`,
  };
}

function toWhole(file: OpenedFile, headers: Record<string, string>): Answer {
  const whole = { start: 0, end: file.sizeBytes };
  return { status: 200, headers: { ...headers, 'Content-Length': String(file.sizeBytes) }, body: file.read(whole) };
}

function toPart(file: OpenedFile, headers: Record<string, string>, range: Range): Answer {
  const told = {
    'Content-Length': String(range.end - range.start),
    'Content-Range': toContentRange(range, file.sizeBytes),
  };
  return { status: 206, headers: { ...headers, ...told }, body: file.read(range) };
}

/** `multipart/byteranges` (RFC 9110, section 14.6). */
function toParts(file: OpenedFile, headers: Record<string, string>, ranges: readonly Range[]): Answer {
  const boundary = randomUUID();
  const heads = ranges.map((range) => {
    const contentRange = toContentRange(range, file.sizeBytes);
    return `\r\n--${boundary}\r\nContent-Type: ${file.contentType}\r\nContent-Range: ${contentRange}\r\n\r\n`;
  });
  const tail = `\r\n--${boundary}--\r\n`;
  const text = heads.reduce((sum, head) => sum + Buffer.byteLength(head), tail.length);
  const length = ranges.reduce((sum, { start, end }) => sum + end - start, text);
  const told = { 'Content-Type': `multipart/byteranges; boundary=${boundary}`, 'Content-Length': String(length) };
  return { status: 206, headers: { ...headers, ...told }, body: readParts(file, ranges, heads, tail) };
}

async function* readParts(file: OpenedFile, ranges: readonly Range[], heads: string[], tail: string) {
  for (const [index, range] of ranges.entries()) {
    yield Buffer.from(heads[index] ?? '');
    yield* file.read(range);
  }
  yield Buffer.from(tail);
}

/** For bytes that we did not make: no browser is to run them as ours. */
export function toSafeHeaders(name: string, disposition: Disposition = 'attachment'): Record<string, string> {
  return {
    'Content-Disposition': toDisposition(name, disposition),
    'Content-Security-Policy': "sandbox; default-src 'none'",
  };
}

/** RFC 6266: an ASCII name for the old, the exact one in UTF-8 for the rest. */
function toDisposition(name: string, disposition: Disposition): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
