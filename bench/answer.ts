// Reads just enough of an HTTP/1.1 response to know where it ends and whether it says what it should. The same bytes may
// come in any pieces: the caller gathers them and asks again.

import { bodySizeBytes, type Expectation } from './job.ts';

export type Head = { status: number; bodyStart: number; end: number };

/** Null while the head is incomplete; throws an Error that says what was got when the length cannot be known. */
export function parseHead(bytes: Buffer): Head | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const text = bytes.toString('latin1', 0, headEnd);
  if (!text.startsWith('HTTP/1.1 ')) throw new Error(`not an HTTP/1.1 response: ${excerpt(text)}`);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length === undefined) {
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(text);
    throw new Error(
      `a response ${isChunked ? 'in chunks' : 'of unknown length'}, wanted Content-Length: ${excerpt(text)}`,
    );
  }
  const bodyStart = headEnd + 4;
  return { status: Number(text.slice(9, 12)), bodyStart, end: bodyStart + Number(length) };
}

/** Null when the answer is right, else what was got. */
export function checkAnswer(body: Buffer, status: number, expect: Expectation, name: string): string | null {
  if (status !== 200) return `status ${status}, wanted 200: ${excerpt(body.toString())}`;
  if (expect.kind === 'any' || holdsSaved(body, name)) return null;
  // The substring check assumes `Name` before `Size` and no white space; other correct JSON is still correct.
  return checkEnvelope(body, { kind: 'saved', childrenCount: null }, name);
}

/** The thorough check: parses the envelope. Used on some answers only, because it would cost more than the request. */
export function checkEnvelope(body: Buffer, expect: Expectation, name: string): string | null {
  if (expect.kind === 'any') return null;
  const children = parseChildren(body);
  const saved = children?.[0];
  if (children === null || saved === undefined) return `no envelope with children: ${excerpt(body.toString())}`;
  if (saved.Name !== name || saved.Size !== bodySizeBytes)
    return `first child is ${saved.Name} of ${saved.Size} bytes, wanted ${name} of ${bodySizeBytes}`;
  if (expect.childrenCount !== null && children.length !== expect.childrenCount)
    return `${children.length} children, wanted ${expect.childrenCount}`;
  return null;
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
const sizeField = `"Size":${bodySizeBytes}`;

function holdsSaved(body: Buffer, name: string): boolean {
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
