// The answer with a file's bytes: all of them, a range, several ranges, or 304. Downloads use the statuses of RFC 9110.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readMediaType } from '../../domain/content-type.ts';
import { toContentEtag } from '../../domain/precondition.ts';
import type { Answer } from '../../listener/answer.ts';
import type { OpenedFile } from '../../operations/open-file.ts';
import { checkConditions, matchesIfRange } from './conditions.ts';
import { type Range, readRanges, toContentRange } from './ranges.ts';

/** Whether a browser saves the file or shows it. */
export type Disposition = 'attachment' | 'inline';

/** Types that a browser can show without running anything in them. All others are attachments, whatever is requested. */
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
  const answer = toAnswer(request, file, disposition);
  if (file.release !== null) answer.release = file.release;
  return answer;
}

function toAnswer(request: IncomingMessage, file: OpenedFile, disposition: Disposition): Answer {
  const headers = toFileHeaders(file, disposition);
  const validators = { etag: headers.ETag ?? '', modifiedAtMs: file.modifiedAt, isDated: file.isDated };
  const verdict = checkConditions(request, validators);
  // RFC 9110, section 8.6: in a 304, the length that a 200 would have.
  const length = { 'Content-Length': String(file.sizeBytes) };
  if (verdict === 'unchanged') return { status: 304, headers: { ...headers, ...length }, body: '' };
  if (verdict === 'failed') return { status: 412, headers: { ...headers, ...noBody }, body: '' };
  // Ranges apply to GET only.
  const isRangeAllowed = request.method === 'GET' && matchesIfRange(request, validators);
  const header = isRangeAllowed ? (request.headers.range ?? null) : null;
  const ranges = readRanges(header, file.sizeBytes);
  if (ranges === null) return toWhole(file, headers, request.method === 'HEAD');
  const [first, ...others] = ranges;
  if (first === undefined) {
    const contentRange = `bytes */${file.sizeBytes}`;
    return { status: 416, headers: { ...headers, ...noBody, 'Content-Range': contentRange }, body: '' };
  }
  return others.length === 0 ? toPart(file, headers, first) : toParts(file, headers, ranges);
}

const noBody = { 'Content-Length': '0' };

function toFileHeaders(file: OpenedFile, disposition: Disposition): Record<string, string> {
  const known = attachmentHeaders.get(file);
  if (known !== undefined && disposition === 'attachment') return known;
  const headers = makeFileHeaders(file, disposition);
  if (disposition === 'attachment') attachmentHeaders.set(file, headers);
  return headers;
}

/** Of files that are read again and again. Never changed: every answer has a copy. */
const attachmentHeaders = new WeakMap<OpenedFile, Record<string, string>>();

function makeFileHeaders(file: OpenedFile, disposition: Disposition): Record<string, string> {
  const sha256 = Buffer.from(file.sha256).toString('base64');
  const isInert = inertTypes.has(readMediaType(file.contentType)?.essence ?? '');
  return {
    'Content-Type': file.contentType,
    ...toSafeHeaders(file.name, isInert ? disposition : 'attachment'),
    'Accept-Ranges': 'bytes',
    ETag: toContentEtag(file.sha256),
    'Last-Modified': new Date(file.modifiedAt).toUTCString(),
    'Repr-Digest': `sha-256=:${sha256}:`,
  };
}

function toWhole(file: OpenedFile, headers: Record<string, string>, isHead: boolean): Answer {
  const whole = { start: 0, end: file.sizeBytes };
  // Of a HEAD nothing is read.
  const body = isHead ? '' : (file.readSmall() ?? file.read(whole));
  return { status: 200, headers: { ...headers, 'Content-Length': String(file.sizeBytes) }, body };
}

function toPart(file: OpenedFile, headers: Record<string, string>, range: Range): Answer {
  const partHeaders = {
    'Content-Length': String(range.end - range.start),
    'Content-Range': toContentRange(range, file.sizeBytes),
  };
  const body = file.readSmall()?.subarray(range.start, range.end) ?? file.read(range);
  return { status: 206, headers: { ...headers, ...partHeaders }, body };
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
  const contentType = `multipart/byteranges; boundary=${boundary}`;
  return {
    status: 206,
    headers: { ...headers, 'Content-Type': contentType, 'Content-Length': String(length) },
    body: readParts(file, ranges, { heads, tail }),
  };
}

async function* readParts(
  file: OpenedFile,
  ranges: readonly Range[],
  { heads, tail }: { heads: readonly string[]; tail: string },
): AsyncGenerator<Buffer> {
  for (const [index, range] of ranges.entries()) {
    yield Buffer.from(heads[index] ?? '');
    const chunks = file.read(range);
    try {
      yield* chunks;
    } finally {
      await chunks.return?.();
    }
  }
  yield Buffer.from(tail);
}

/** For content that users uploaded: no browser may run it under our origin. */
export function toSafeHeaders(name: string, disposition: Disposition = 'attachment'): Record<string, string> {
  return {
    'Content-Disposition': toDisposition(name, disposition),
    'Content-Security-Policy': "sandbox; default-src 'none'",
  };
}

/** RFC 6266: an ASCII name for old clients, the exact name in UTF-8 for all others. */
function toDisposition(name: string, disposition: Disposition): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
