// What may be a name, when two names are the same, and how a name travels in a header (docs/contract.md §6 and §1.4).
// Hides the character classes. A name is stored as it was sent: nothing here repairs one.

import { deepestLevel } from './entry.ts';
import { Refusal } from './refusal.ts';

/** `portable` also refuses what Windows refuses. */
export type NameRules = 'any' | 'portable';

export const maxCodePoints = 255;

// \p{Cc} is exactly C0, DEL and C1; \p{Cs} under the `u` flag matches lone surrogates only.
const legal =
  /^(?!\.{1,2}$)(?![\p{White_Space}\uFEFF])[^/\\\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]{1,255}(?<![\p{White_Space}\uFEFF])$/u;
const forbiddenCharacter = /[/\\\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u;
const whiteSpace = /^[\p{White_Space}\uFEFF]$/u;

// Windows finds the device behind any extension and behind spaces: "con", "CON.txt", "Con .tar.gz".
const windowsCharacter = /[<>:"|?*]/;
const windowsDevice = /^(CON|PRN|AUX|NUL|(?:COM|LPT)[1-9¹²³]) *(?:\.|$)/i;

/**
 * Returns the name, or refuses it saying which character and where. Positions count characters (code points) from 1.
 * `target` is the field or header that carried the name.
 */
export function checkName(name: string, target: string, rules: NameRules): string {
  if (legal.test(name) && (rules === 'any' || isPortable(name))) return name;
  throw new Refusal('InvalidName', whyIllegal(name) ?? whyNotPortable(name), { target });
}

/** The names of `a/b/c`, from the top down; refuses saying which of them is none. */
export function checkRelativePath(path: string, rules: NameRules): string[] {
  const names = path.split('/');
  // A file may stand in the deepest folder.
  if (names.length > deepestLevel + 1) {
    throw new Refusal('TooDeep', `Folders can be nested ${deepestLevel} levels deep.`, { target: 'RelativePath' });
  }
  for (const [index, name] of names.entries()) {
    if (legal.test(name) && (rules === 'any' || isPortable(name))) continue;
    const why = whyIllegal(name) ?? whyNotPortable(name);
    throw new Refusal('InvalidName', `Name ${index + 1} of ${names.length} in RelativePath cannot be used. ${why}`, {
      target: 'RelativePath',
      hint: 'Send names with / between them, and none before the first or after the last: Invoices/2026/March.',
    });
  }
  return names;
}

/** The order of UTF-8 bytes, which is that of code points; JavaScript's own order puts surrogates before U+E000. */
export function compareNameKeys(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) {
    const difference = toOrdinal(a.charCodeAt(index)) - toOrdinal(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates, which stand for the code points after U+FFFF, behind everything else. */
function toOrdinal(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Two names are the same when their keys are equal. */
export function toNameKey(name: string): string {
  return name.normalize('NFC');
}

const marks = /\p{M}+/gu;
const digits = /\d+/g;
const ascii = /^[ -~]*$/;
/** Names have at most 255 characters, so a run of digits has no more. */
const lengthDigits = 3;

/** Orders names as people expect: digits count as numbers, case and accents do not count. Names whose keys are equal are ordered by
 *  their code points. Each run of digits is preceded by its length, so that longer numbers come later; the zero before it keeps
 *  numbers before letters. */
export function toNaturalKey(nameKey: string): string {
  // To upper case first: ß becomes ss.
  const folded = ascii.test(nameKey)
    ? nameKey.toLowerCase()
    : nameKey.normalize('NFD').replace(marks, '').toUpperCase().toLowerCase();
  return folded.replace(digits, (run) => {
    const number = run.replace(/^0+(?=\d)/, '');
    return `0${String(number.length).padStart(lengthDigits, '0')}${number}`;
  });
}

/**
 * The name to try when `name` is taken: "a.pdf" becomes "a (2).pdf". A folder has no extension, nor has ".profile".
 * The result is another name and as legal as `name`: the stem is shortened where 255 characters would be exceeded.
 */
export function toRenamed(name: string, n: number, kind: 'folder' | 'file'): string {
  const suffix = ` (${n})`;
  const dot = kind === 'file' ? name.lastIndexOf('.') : -1;
  let extension = dot > 0 ? name.slice(dot) : '';
  let room = maxCodePoints - suffix.length - countCodePoints(extension);
  // An "extension" that leaves no room for a stem is part of the stem. Two, because one may still be taken away below.
  if (room < 2) {
    extension = '';
    room = maxCodePoints - suffix.length;
  }
  const stem = name.slice(0, name.length - extension.length);
  const renamed = firstCodePoints(stem, room) + suffix + extension;
  // A name of full length that already ends in this suffix would come out as itself.
  if (toNameKey(renamed) !== toNameKey(name)) return renamed;
  return firstCodePoints(stem, room - 1) + suffix + extension;
}

const plainHeader = /^[\x20-\x24\x26-\x7E]*$/;
const extendedPrefix = /^UTF-8'[A-Za-z0-9-]*'/i;
// `ignoreBOM` keeps a leading U+FEFF, so that it is refused instead of silently dropped.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of a name header as Node gives it, one character per byte: percent-encoded UTF-8, RFC 8187, or raw UTF-8.
 * A `%` without two hexadecimal digits after it stands for itself.
 * A name that itself begins with UTF-8'' has to have its apostrophes encoded.
 */
export function decodeNameHeader(raw: string): string {
  const name = decodeHeader(raw);
  if (name !== null) return name;
  throw new Refusal('InvalidName', 'The name is not valid UTF-8.', {
    target: 'FileName',
    hint: 'Send the name as percent-encoded UTF-8, for example caf%C3%A9.txt.',
  });
}

/** Any text that travels in a header as a name does; null: it is not valid UTF-8. */
export function decodeHeader(raw: string): string | null {
  const encoded = raw.replace(extendedPrefix, '');
  if (plainHeader.test(encoded)) return encoded;
  const bytes = encoded.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}

function isPortable(name: string): boolean {
  return !windowsCharacter.test(name) && !name.endsWith('.') && !windowsDevice.test(name);
}

function whyIllegal(name: string): string | null {
  if (name === '') return 'The name is empty.';
  if (name === '.' || name === '..') return `"${name}" is not a name: it means a place in a path.`;
  const forbidden = findCharacter(name, forbiddenCharacter);
  if (forbidden !== null) return `A name cannot contain ${forbidden}.`;
  const length = countCodePoints(name);
  if (length > maxCodePoints) return `The name has ${length} characters; at most ${maxCodePoints} are allowed.`;
  // No surrogates among white space, so the first and the last code unit will do.
  if (whiteSpace.test(name.charAt(0))) return `The name begins with white space, ${describe(name, 0)}.`;
  if (whiteSpace.test(name.slice(-1))) return `The name ends with white space, ${describe(name, name.length - 1)}.`;
  return null;
}

function whyNotPortable(name: string): string {
  const forbidden = findCharacter(name, windowsCharacter);
  if (forbidden !== null) return `Windows does not allow names that contain ${forbidden}.`;
  const device = windowsDevice.exec(name);
  if (device !== null) return `The name begins, at position 1, with the Windows device name ${device[1]}.`;
  return `The name ends with a dot, ${describe(name, name.length - 1)}, which Windows does not allow.`;
}

function findCharacter(name: string, pattern: RegExp): string | null {
  const index = name.search(pattern);
  return index < 0 ? null : quote(name, index);
}

/** Punctuation as itself; what cannot be seen by its code point. */
function quote(name: string, index: number): string {
  const character = name.charAt(index);
  if (!/[\p{P}\p{S}]/u.test(character)) return `the character ${describe(name, index)}`;
  return `"${character}" (position ${countCodePoints(name.slice(0, index)) + 1})`;
}

function describe(name: string, index: number): string {
  const hex = (name.codePointAt(index) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${hex} at position ${countCodePoints(name.slice(0, index)) + 1}`;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function firstCodePoints(text: string, count: number): string {
  return text.length <= count ? text : Array.from(text).slice(0, count).join('');
}
