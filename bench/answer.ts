// Parses just enough of an HTTP/1.1 response to know where it ends and whether it is correct. The bytes may arrive in any
// pieces: the caller collects them and calls again.

import type { Expectation } from './job.ts';

export type Head = { status: number; bodyStart: number; end: number };

/** Null while the head is incomplete; throws an Error that says what was got when the length cannot be known. */
export function parseHead(bytes: Buffer): Head | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const text = bytes.toString('latin1', 0, headEnd);
  if (!text.startsWith('HTTP/1.1 ')) throw new Error(`not an HTTP/1.1 response: ${excerpt(text)}`);
  const status = Number(text.slice(9, 12));
  const length = status === 204 || status === 304 ? '0' : /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  const bodyStart = headEnd + 4;
  if (length === undefined) {
    if (!/\r\ntransfer-encoding: *chunked/i.test(text))
      throw new Error(`a response of unknown length: ${excerpt(text)}`);
    const end = findLastChunk(bytes, bodyStart);
    return end === null ? null : { status, bodyStart, end };
  }
  return { status, bodyStart, end: bodyStart + Number(length) };
}

/** Where the chunks end, whose framing stays in the body; null while they do not. Trailers are not expected. */
function findLastChunk(bytes: Buffer, start: number): number | null {
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const sizeBytes = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + sizeBytes + 2;
    if (at > bytes.length) return null;
    if (sizeBytes === 0) return at;
  }
}

export type Saved = { name: string; sizeBytes: number };

/** Null when the answer is right, else what was got. */
export function checkAnswer(body: Buffer, status: number, expect: Expectation, saved: Saved): string | null {
  const wanted = expect.kind === 'saved' ? 200 : expect.status;
  if (status !== wanted) return `status ${status}, wanted ${wanted}: ${excerpt(body.toString())}`;
  if (expect.kind !== 'saved' || holdsSaved(body, saved)) return null;
  // The substring check assumes `Name` before `Size` and no white space; other correct JSON is still correct.
  return checkEnvelope(body, { kind: 'saved', childrenCount: null }, saved);
}

/** The thorough check: parses the envelope. Used on some answers only, because it would cost more than the request. */
export function checkEnvelope(body: Buffer, expect: Expectation, wanted: Saved): string | null {
  if (expect.kind !== 'saved') return null;
  const children = parseChildren(body);
  const saved = children?.[0];
  if (children === null || saved === undefined) return `no envelope with children: ${excerpt(body.toString())}`;
  if (saved.Name !== wanted.name || saved.Size !== wanted.sizeBytes)
    return `first child is ${saved.Name} of ${saved.Size} bytes, wanted ${wanted.name} of ${wanted.sizeBytes}`;
  if (expect.childrenCount !== null && children.length !== expect.childrenCount)
    return `${children.length} children, wanted ${expect.childrenCount}`;
  return null;
}

/** The same for an answer of which only the head and perhaps the first bytes have come. */
export function checkContentHead(
  bytes: Buffer,
  head: Head,
  wanted: { status: number; sizeBytes: number },
): string | null {
  if (head.status !== wanted.status)
    return `status ${head.status}, wanted ${wanted.status}: ${excerpt(bytes.toString('latin1'))}`;
  const length = head.end - head.bodyStart;
  return length === wanted.sizeBytes ? null : `${length} bytes, wanted ${wanted.sizeBytes}`;
}

type Child = { Name: unknown; Size: unknown };

function parseChildren(body: Buffer): Child[] | null {
  try {
    const envelope = JSON.parse(body.toString()) as { Children?: unknown } | null;
    return Array.isArray(envelope?.Children) ? (envelope.Children as Child[]) : null;
  } catch {
    return null;
  }
}

// A record is some 350 bytes; the search for the size stays near the name so that another child's size does not pass for it.
const recordReachBytes = 600;

function holdsSaved(body: Buffer, { name, sizeBytes }: Saved): boolean {
  const sizeField = `"Size":${sizeBytes}`;
  const nameAt = body.indexOf(`"Name":"${name}"`, 0, 'latin1');
  if (nameAt < 0) return false;
  const record = body.toString('latin1', nameAt, nameAt + recordReachBytes);
  const sizeAt = record.indexOf('"Size":');
  const after = record[sizeAt + sizeField.length];
  return sizeAt >= 0 && record.startsWith(sizeField, sizeAt) && (after === ',' || after === '}');
}

function excerpt(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
