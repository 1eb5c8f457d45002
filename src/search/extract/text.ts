// Plain text, Markdown, CSV and JSON: bytes that are text already.

import { maxTextChars, tidy } from './text-gatherer.ts';
import { Unreadable } from './unreadable.ts';

/** The bytes that the longest text can need. */
export const maxTextBytes = 4 * maxTextChars;
/** White space is dropped later. */
const maxDecodedChars = 2 * maxTextChars;

/** `charset`: as in the content type; a byte order mark has precedence. */
export function extractText(bytes: Buffer, charset: string | null, onCut?: () => void): string {
  const text = decodeBeginning(bytes, charset, onCut);
  if (text.slice(0, 4096).includes('\0')) throw new Unreadable('it is not text');
  return tidyBeginning(text, onCut);
}

function decodeBeginning(bytes: Buffer, charset: string | null, onCut?: () => void): string {
  const text = decode(bytes.subarray(0, maxTextBytes), charset);
  if (bytes.length > maxTextBytes || text.length > maxDecodedChars) onCut?.();
  return text.slice(0, maxDecodedChars);
}

function tidyBeginning(text: string, onCut?: () => void): string {
  const tidied = tidy(text);
  if (tidied.length >= maxTextChars) onCut?.();
  return tidied;
}

/** Decodes the escapes of strings; the index ignores braces and quotation marks. */
export function extractJson(bytes: Buffer, onCut?: () => void): string {
  const text = decodeBeginning(bytes, null, onCut);
  const unescaped = text.replace(/\\(?:u([0-9a-fA-F]{4})|[bfnrt])/g, (_, hex) =>
    toCharacter(hex as string | undefined),
  );
  return tidyBeginning(unescaped, onCut);
}

function toCharacter(hex: string | undefined): string {
  return hex === undefined ? ' ' : String.fromCharCode(Number.parseInt(hex, 16));
}

export function decode(bytes: Buffer, charset: string | null): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (charset !== null) return toDecoder(charset).decode(bytes);
  // The last character may be cut.
  const isUtf8 = isAscii(bytes) || isWellFormed(bytes);
  return isUtf8 ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes);
}

function toDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function isWellFormed(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
