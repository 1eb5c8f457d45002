// Reads parameters from headers, strictly. Node decodes headers as latin1, and joins or drops repeated ones.

import type { IncomingMessage } from 'node:http';
import { type ConflictBehavior, conflictBehaviors, longestComment } from '../domain/entry.ts';
import { decodeHeader } from '../domain/name.ts';
import { Refusal } from '../domain/refusal.ts';
import { invalidHeader } from '../listener/refusals.ts';

/** Refused when repeated: it would be unclear which one counts. */
const singleHeaders = new Set([
  'authorization',
  'appkey',
  'folderid',
  'filename',
  'sharepassword',
  'spaceid',
  'comment',
  'conflictbehavior',
  'idempotency-key',
  'content-type',
  'content-encoding',
  'content-md5',
  'tus-resumable',
  'upload-checksum',
  'upload-complete',
  'upload-concat',
  'upload-incomplete',
  'upload-length',
  'upload-metadata',
  'upload-offset',
]);

export function checkSingleHeaders({ rawHeaders }: IncomingMessage): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) {
      throw new Refusal('DuplicateHeader', `The header ${rawHeaders[index]} was sent more than once.`, {
        target: rawHeaders[index] as string,
      });
    }
    seen.add(name);
  }
}

export function readHeader(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

export function checkConflictBehavior(value: string | null): ConflictBehavior | null {
  if (value === null) return null;
  const found = conflictBehaviors.find((behavior) => behavior === value);
  if (found !== undefined) return found;
  throw new Refusal('InvalidField', `ConflictBehavior cannot be ${JSON.stringify(value)}.`, {
    target: 'ConflictBehavior',
    hint: `Send one of ${conflictBehaviors.join(', ')}.`,
  });
}

export function readIdempotencyKey(request: IncomingMessage): string | null {
  const key = readHeader(request, 'idempotency-key');
  if (key === null || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidHeader('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
}

/** RFC 9530: `sha-256=:<base64>:`, possibly among other algorithms, which are ignored. It is a dictionary (RFC 8941): Node
 *  joins several lines into one, and of a repeated key the last one counts. */
export function readSha256(request: IncomingMessage, name: 'content-digest' | 'repr-digest'): Buffer | null {
  const value = readHeader(request, name);
  if (value === null) return null;
  const shown = name === 'content-digest' ? 'Content-Digest' : 'Repr-Digest';
  let digest: Buffer | null = null;
  for (const member of value.split(',')) {
    const [, algorithm, encoded] = /^\s*([a-z0-9*_.-]+)=:([A-Za-z0-9+/]*={0,2}):\s*$/.exec(member) ?? [];
    // A single base64 character cannot encode a byte.
    if (algorithm === undefined || encoded === undefined || encoded.length % 4 === 1)
      throw invalidHeader(shown, 'is not a digest field (RFC 9530)');
    if (algorithm === 'sha-256') digest = Buffer.from(encoded, 'base64');
  }
  return digest === null ? null : checkLength(digest, 32, shown);
}

export function readMd5(request: IncomingMessage): Buffer | null {
  const value = readHeader(request, 'content-md5');
  if (value === null) return null;
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value))
    throw invalidHeader('Content-MD5', 'must be the base64 of 16 bytes');
  return checkLength(Buffer.from(value, 'base64'), 16, 'Content-MD5');
}

/** A digest of another length cannot match, so it is refused before the bytes are sent. */
function checkLength(digest: Buffer, lengthBytes: number, name: string): Buffer {
  if (digest.length === lengthBytes) return digest;
  throw new Refusal(
    'DigestMismatch',
    `${name} has ${digest.length} bytes, so nothing has it as its digest. Nothing was saved.`,
    { target: name, hint: `Send the base64 of the ${lengthBytes} bytes of the digest, not of its hexadecimal form.` },
  );
}

export function checkEncoding(request: IncomingMessage): void {
  const encoding = readHeader(request, 'content-encoding');
  if (encoding === null || encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new Refusal(
    'UnsupportedEncoding',
    'Bodies are taken as they are: Content-Encoding must be identity or absent.',
    {
      target: 'Content-Encoding',
    },
  );
}

/** Part of a file must not be saved as the file. */
export function checkWhole(request: IncomingMessage): void {
  if (readHeader(request, 'content-range') !== null)
    throw invalidHeader(
      'Content-Range',
      'does not go with a save: send the whole file, or an upload that can be resumed',
    );
}

export function readDeclaredBytes(request: IncomingMessage): number | null {
  const length = request.headers['content-length'];
  return length === undefined ? null : Number(length);
}

/** The comment on a version: percent-encoded UTF-8, like a file's name. */
export function readComment(request: IncomingMessage): string | null {
  const header = readHeader(request, 'comment');
  if (header === null || header === '') return null;
  const comment = decodeHeader(header);
  if (comment === null) throw invalidHeader('Comment', 'is not valid UTF-8, percent-encoded or as it is');
  return checkComment(comment);
}

export function checkComment(comment: string): string {
  const isGood =
    comment.isWellFormed() && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(comment.replaceAll(/[\n\t]/g, ''));
  if (isGood && [...comment].length <= longestComment) return comment;
  throw new Refusal('InvalidField', `A comment has at most ${longestComment} characters, and no control characters.`, {
    target: 'Comment',
  });
}

/** `/a/b`: the names of the folders from the root. */
export function readPath(query: URLSearchParams): string {
  const path = query.get('path');
  if (path?.startsWith('/')) return path;
  throw new Refusal('InvalidField', path === null ? 'path is missing.' : 'path must begin with /.', {
    target: 'path',
    hint: 'Send ?path=/a/b, the names from the root down; ?path=/ is the root.',
  });
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** `name`: the field or parameter that it was sent as. */
export function readTime(text: string, name: string): number {
  const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new Refusal('InvalidField', `${name} must be a time such as 2026-01-15T09:30:00Z.`, { target: name });
}
