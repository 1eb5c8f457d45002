// The headers of tus 1.0 (https://tus.io/protocols/resumable-upload): lengths, metadata, checksums and concatenation.

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';
import type { Upload } from '../../catalog/verbs/uploads.ts';
import { Refusal } from '../../domain/refusal.ts';
import { invalidHeader } from '../../listener/refusals.ts';
import { readNotes, tusVersionUnsupported } from '../../operations/uploads.ts';
import { readHeader } from '../parameters.ts';

export const tusVersion = '1.0.0';
export const tusExtensions =
  'creation,creation-with-upload,creation-defer-length,termination,checksum,expiration,concatenation';
const algorithms = ['md5', 'sha1', 'sha256', 'sha512', 'crc32'] as const;
type Algorithm = (typeof algorithms)[number];
export const tusAlgorithms = algorithms.join(',');

/** The content type of the bytes. */
export const tusType = 'application/offset+octet-stream';

/** A client that forgets `Tus-Resumable` is recognized by its content type, so that the refusal can name the header. */
export function isTus({ headers }: IncomingMessage): boolean {
  return headers['tus-resumable'] !== undefined || headers['content-type'] === tusType;
}

export function checkTusVersion({ headers }: IncomingMessage): void {
  if (headers['tus-resumable'] !== tusVersion) throw tusVersionUnsupported();
}

/** A number of bytes; null: the header is absent. */
export function readTusNumber(request: IncomingMessage, name: 'Upload-Length' | 'Upload-Offset'): number | null {
  const text = readHeader(request, name.toLowerCase());
  if (text === null) return null;
  // Numbers that cannot be represented exactly are above every limit anyway.
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  throw invalidHeader(name, 'must be a number of bytes, from 0 on');
}

/** Null: the length is deferred. */
export function readNewLength(request: IncomingMessage): number | null {
  const length = readTusNumber(request, 'Upload-Length');
  const deferred = readHeader(request, 'upload-defer-length');
  if (deferred !== null && deferred !== '1') throw invalidHeader('Upload-Defer-Length', 'can only be 1');
  if (length === null && deferred === null)
    throw invalidHeader('Upload-Length', 'is missing, and so is Upload-Defer-Length');
  if (length !== null && deferred !== null)
    throw invalidHeader('Upload-Defer-Length', 'does not go with Upload-Length');
  return length;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses `key base64, key base64, key`. Keys are returned in lower case. */
export function parseMetadata(header: string | null): Map<string, string> {
  const metadata = new Map<string, string>();
  if (header === null || header.trim() === '') return metadata;
  for (const pair of header.split(',')) {
    const [, key, encoded = ''] = /^\s*([\x21-\x2b\x2d-\x7e]+)(?: ([A-Za-z0-9+/]*={0,2}))?\s*$/.exec(pair) ?? [];
    if (key === undefined || encoded.length % 4 !== 0) {
      throw invalidHeader('Upload-Metadata', 'must be pairs of a key and a value in base64, with commas between them');
    }
    const name = key.toLowerCase();
    if (metadata.has(name)) throw invalidHeader('Upload-Metadata', `has the key ${key} twice`);
    try {
      metadata.set(name, utf8.decode(Buffer.from(encoded, 'base64')));
    } catch {
      // Binary values are not used here; HEAD returns them to the client as it sent them.
      metadata.set(name, '');
    }
  }
  return metadata;
}

export interface Checksum {
  algorithm: Algorithm;
  digest: Buffer;
}

export function readChecksum(request: IncomingMessage): Checksum | null {
  const header = readHeader(request, 'upload-checksum');
  if (header === null) return null;
  const [, name, encoded] = /^(\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(header) ?? [];
  if (name === undefined || encoded === undefined) {
    throw invalidHeader('Upload-Checksum', 'must be an algorithm, a space and the checksum in base64');
  }
  const algorithm = algorithms.find((known) => known === name);
  if (algorithm === undefined) throw invalidHeader('Upload-Checksum', `knows the algorithms ${tusAlgorithms}`);
  return { algorithm, digest: Buffer.from(encoded, 'base64') };
}

/** Passes the bytes on, and throws after the last one if the checksum does not match. */
export async function* checkSum(bytes: AsyncIterable<Buffer>, { algorithm, digest }: Checksum): AsyncGenerator<Buffer> {
  const hash = algorithm === 'crc32' ? null : createHash(algorithm);
  let crc = 0;
  for await (const chunk of bytes) {
    if (hash === null) crc = crc32(chunk, crc);
    else hash.update(chunk);
    yield chunk;
  }
  const actual = hash?.digest() ?? toBigEndian(crc);
  if (actual.equals(digest)) return;
  throw new Refusal('ChecksumMismatch', 'Upload-Checksum is not that of the bytes that arrived. They were not kept.', {
    target: 'Upload-Checksum',
    hint: 'Send them again from the same offset.',
  });
}

function toBigEndian(crc: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes;
}

/** `partUrls`: as the client sent them. */
type Concat = { kind: 'whole' } | { kind: 'part' } | { kind: 'final'; ids: string[]; partUrls: string };

export function readConcat(request: IncomingMessage): Concat {
  const header = readHeader(request, 'upload-concat');
  if (header === null) return { kind: 'whole' };
  if (header === 'partial') return { kind: 'part' };
  const [, urls] = /^final; ?(\S.*)$/.exec(header) ?? [];
  if (urls === undefined)
    throw invalidHeader('Upload-Concat', 'must be partial, or final; and the addresses of its parts');
  const partUrls = urls.trim();
  const ids = partUrls.split(/ +/).map(toId);
  if (new Set(ids).size !== ids.length) throw invalidHeader('Upload-Concat', 'names a part twice');
  return { kind: 'final', ids, partUrls };
}

/** Absolute or relative, the URL of an upload ends with its id. */
function toId(address: string): string {
  const [, id] = /(?:^|\/)uploads\/([^/?#]+)\/?$/.exec(address) ?? [];
  if (id === undefined) throw invalidHeader('Upload-Concat', `names ${JSON.stringify(address)}, which is no upload`);
  return id;
}

/** The headers that describe an upload in the answer to HEAD. */
export function toTusState(upload: Upload): Record<string, string> {
  const { metadata, parts } = readNotes(upload);
  const { kind, lengthBytes, result } = upload;
  return {
    'Upload-Offset': String(upload.sizeBytes),
    ...(lengthBytes === null ? { 'Upload-Defer-Length': '1' } : { 'Upload-Length': String(lengthBytes) }),
    ...(metadata !== null && { 'Upload-Metadata': metadata }),
    ...(kind === 'part' && { 'Upload-Concat': 'partial' }),
    ...(kind === 'final' && { 'Upload-Concat': `final;${parts}` }),
    ...toExpiry(upload),
    ...(result !== null && kind !== 'part' && { entryid: result }),
  };
}

export function toExpiry({ expiresAt }: Upload): Record<string, string> {
  return { 'Upload-Expires': new Date(expiresAt).toUTCString() };
}
