// Parses JSON and form bodies strictly: UTF-8 only, with limits on size and depth.

import { Refusal } from '../../domain/refusal.ts';
import { Chunks } from '../../runtime/chunks.ts';

export const smallBodyBytes = 1024 * 1024;
/** Far more than any request needs; parsing a million keys would block all other requests. */
const defaultMaxStrings = 10_000;
const bracketOpen = new Set([0x5b, 0x7b]);
const bracketClose = new Set([0x5d, 0x7d]);
const quote = 0x22;
const backslash = 0x5c;

export async function readWhole(
  bytes: AsyncIterable<Buffer>,
  limitBytes: number,
  tooLarge: () => Refusal,
): Promise<Buffer> {
  const arrived = new Chunks();
  for await (const chunk of bytes) {
    arrived.push(chunk);
    if (arrived.sizeBytes > limitBytes) throw tooLarge();
  }
  const chunks = arrived.take();
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

export function parseObject(body: Buffer, hint: string): Record<string, unknown> {
  return checkObject(parseValue(body, hint), hint);
}

export function parseValue(body: Buffer, hint: string, maxStrings = defaultMaxStrings, maxNesting = 16): unknown {
  checkShape(body, hint, { maxStrings, maxNesting });
  try {
    return JSON.parse(toText(body, hint)) as unknown;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalidBody('The body is not valid JSON.', hint);
  }
}

export function checkObject(value: unknown, hint: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody('The body is not a JSON object.', hint);
  }
  // Unknown fields are ignored. What reads these could mistake them for the prototype.
  const fields = value as Record<string, unknown>;
  for (const key of ['__proto__', 'constructor', 'prototype']) delete fields[key];
  return fields;
}

/** Runs before parsing and without recursion; skips the contents of strings. */
function checkShape(
  body: Buffer,
  hint: string,
  { maxStrings, maxNesting }: { maxStrings: number; maxNesting: number },
): void {
  let depth = 0;
  let strings = 0;
  let outsideBytes = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    outsideBytes += 1;
    if (byte === quote) {
      at = endOfString(body, at);
      strings += 1;
    } else if (bracketOpen.has(byte)) depth += 1;
    else if (bracketClose.has(byte)) depth -= 1;
    if (depth > maxNesting) throw invalidBody(`The JSON is nested deeper than ${maxNesting} levels.`, hint);
    if (strings > maxStrings || outsideBytes > smallBodyBytes) throw invalidBody('The JSON has too many values.', hint);
  }
}

function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(quote, start + 1); end !== -1; end = body.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (body[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return body.length;
}

/** `a=1&b=2`, percent-encoded UTF-8 with `+` for a space. */
export function parseForm(body: Buffer, hint: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const pair of toText(body, hint).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const [name, value] = (equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]).map((text) =>
      decodeFormText(text, hint),
    ) as [string, string];
    if (fields.has(name)) throw invalidBody(`The form has more than one ${JSON.stringify(name)}.`, hint);
    fields.set(name, value);
  }
  return fields;
}

function decodeFormText(text: string, hint: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidBody('The form is not percent-encoded UTF-8.', hint);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function toText(body: Buffer, hint: string): string {
  try {
    return utf8.decode(body);
  } catch {
    throw invalidBody('The body is not UTF-8.', hint);
  }
}

export function invalidBody(message: string, hint: string): Refusal {
  return new Refusal('InvalidBody', message, { hint });
}
