// Reads a multipart body (RFC 2046, RFC 7578) as a stream of parts: strictly, within limits, and without copying contents.
// Back-pressure comes from pulling: nothing is read ahead.
// The body is complete only when `readParts` has ended: only then was the closing delimiter seen.

import { readParameters } from '../../domain/content-type.ts';
import { decodeNameHeader } from '../../domain/name.ts';
import { Refusal } from '../../domain/refusal.ts';
import { MultipartScanner } from './multipart-scanner.ts';

export interface Part {
  /** Null without a `Content-Disposition` or a name in it. */
  name: string | null;
  /** As the client sent it, unchecked. Browsers send '' when no file was chosen. */
  fileName: string | null;
  /** The part's `Content-Type`, unchecked. */
  contentType: string | null;
  /** Read it before the next part, or leave it: the rest is then skipped. Yields slices of the source's chunks. */
  body: AsyncIterable<Buffer>;
}

const defaultMaxParts = 20;
const maxHeaders = 16;
const maxMarginBytes = 64 * 1024;

/** Leaving early closes the source. */
export async function* readParts(
  source: AsyncIterable<Buffer>,
  boundary: string,
  maxParts = defaultMaxParts,
): AsyncGenerator<Part> {
  checkBoundary(boundary);
  const iterator = source[Symbol.asyncIterator]();
  try {
    const scanner = new MultipartScanner(iterator, boundary);
    await skip(scanner, maxMarginBytes, 'preamble');
    for (let count = 1; ; count += 1) {
      const headerBlock = await scanner.readHeaderBlock();
      if (headerBlock === null) break;
      if (count > maxParts) throw new Refusal('InvalidBody', `The body has more than ${maxParts} parts.`);
      yield { ...readHeaders(headerBlock), body: readBody(scanner, scanner.section) };
      await skip(scanner);
    }
    await skip(scanner, maxMarginBytes, 'epilogue');
  } finally {
    await iterator.return?.();
  }
}

/**
 * The boundary of a body that starts with a delimiter line, else null. `head` must be the body's first 256 bytes, or all of a
 * shorter body.
 */
export function sniffBoundary(head: Buffer): string | null {
  const line = /^--([0-9A-Za-z'()+_,\-./:=? ]{1,70}?)[ \t]*\r\n/.exec(head.toString('latin1', 0, 256));
  return line?.[1] !== undefined && legalBoundary.test(line[1]) ? line[1] : null;
}

const legalBoundary = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

export function checkBoundary(boundary: string): void {
  if (legalBoundary.test(boundary)) return;
  throw new Refusal('InvalidBody', 'The multipart boundary must be 1 to 70 of the characters that RFC 2046 allows.');
}

async function* readBody(scanner: MultipartScanner, section: number): AsyncGenerator<Buffer> {
  for (;;) {
    if (scanner.section !== section) throw new Error('a part was read after the next part had been requested');
    const slice = await scanner.nextSlice();
    if (slice === null) return;
    yield slice;
  }
}

async function skip(scanner: MultipartScanner, maxBytes = Number.POSITIVE_INFINITY, what = 'part'): Promise<void> {
  let skippedBytes = 0;
  for (let slice = await scanner.nextSlice(); slice !== null; slice = await scanner.nextSlice()) {
    skippedBytes += slice.length;
    if (skippedBytes > maxBytes) throw new Refusal('InvalidBody', `The ${what} exceeds ${maxBytes} bytes.`);
  }
}

/** The block starts with the rest of the boundary's line: nothing, or spaces and tabs (transport padding). */
function readHeaders(block: string): Omit<Part, 'body'> {
  const [padding = '', ...lines] = block.split('\r\n');
  if (!/^[ \t]*$/.test(padding)) throw new Refusal('InvalidBody', 'A boundary is followed by other text on its line.');
  if (lines.length > maxHeaders) throw new Refusal('InvalidBody', `A part has more than ${maxHeaders} headers.`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n\0]*)$/.exec(line);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined) throw new Refusal('InvalidBody', 'A part has a malformed header line.');
    if (headers.has(name)) throw new Refusal('InvalidBody', `A part has the header "${name}" twice.`);
    headers.set(name, match?.[2]?.trim() ?? '');
  }
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (encoding !== 'binary' && encoding !== '8bit' && encoding !== '7bit') {
    throw new Refusal('InvalidBody', 'A part has a Content-Transfer-Encoding other than binary, 8bit and 7bit.');
  }
  const disposition = readDisposition(headers.get('content-disposition'), decodeFormName);
  return { ...disposition, contentType: headers.get('content-type') || null };
}

/** Browsers, fetch, curl and urllib3 escape these three characters in forms, and leave `%` itself as it is. So any other
 *  escape is a part of the name. https://html.spec.whatwg.org/#multipart-form-data */
function decodeFormName(fileName: string): string {
  return fileName.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

/**
 * Accepts `attachment` as well as `form-data`. In quotes, only `\"` and `\\` are escapes, as older versions of curl write
 * them; browsers leave other backslashes as they are. `decode` applies to `filename` only: `filename*` has its own encoding.
 */
export function readDisposition(
  header: string | undefined,
  decode = (fileName: string) => fileName,
): { name: string | null; fileName: string | null } {
  if (header === undefined) return { name: null, fileName: null };
  const type = /^(?:form-data|attachment)(?=[ \t;]|$)/i.exec(header);
  const parameters = type === null ? null : readParameters(header.slice(type[0].length), /\\(["\\])/g);
  if (parameters === null) throw new Refusal('InvalidBody', 'A part has a malformed Content-Disposition.');
  const extended = parameters.get('filename*');
  const plain = parameters.get('filename');
  return {
    name: parameters.get('name') ?? null,
    fileName: extended !== undefined ? readExtendedName(extended) : plain === undefined ? null : decode(plain),
  };
}

function readExtendedName(value: string): string {
  if (/^UTF-8'[A-Za-z0-9-]*'[\x21-\x7E]*$/i.test(value)) return decodeNameHeader(value);
  throw new Refusal('InvalidBody', "A part has a filename* that is not in the form UTF-8''percent-encoded.");
}
