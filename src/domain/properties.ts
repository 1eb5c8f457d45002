// What a client may attach to an entry: its properties and its object type (docs/contract.md §2 and §8.1).
// Hides the limits and the key names that are dangerous as keys of JavaScript objects.

import { Refusal } from './refusal.ts';

export const maxKeys = 100;
export const maxKeyBytes = 128;
export const maxValueBytes = 4 * 1024;
export const maxTotalBytes = 64 * 1024;
const dangerousKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const objectType = /^[A-Za-z0-9:._-]{1,128}$/;

/** Limits count bytes of UTF-8; the total includes keys and values. */
export function checkProperties(value: unknown, target = 'Properties'): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('InvalidField', `${target} must be an object of strings.`, { target });
  }
  const entries = Object.entries(value);
  if (entries.length > maxKeys) {
    throw new Refusal('InvalidField', `${target} has ${entries.length} keys; at most ${maxKeys} are allowed.`, {
      target,
    });
  }
  const checked: Array<[string, string]> = [];
  let totalBytes = 0;
  for (const [key, text] of entries) {
    const problem = findKeyProblem(key) ?? findValueProblem(text);
    if (problem !== null) throw new Refusal('InvalidField', `${target}: the key ${quote(key)} ${problem}.`, { target });
    totalBytes += Buffer.byteLength(key) + Buffer.byteLength(text);
    if (totalBytes > maxTotalBytes) {
      throw new Refusal('InvalidField', `${target} exceeds ${maxTotalBytes} bytes in all at the key ${quote(key)}.`, {
        target,
      });
    }
    checked.push([key, text]);
  }
  return Object.fromEntries(checked);
}

export function checkObjectType(value: unknown): string {
  if (typeof value === 'string' && objectType.test(value)) return value;
  throw new Refusal('InvalidField', 'ObjectType must be 1 to 128 characters of A-Z, a-z, 0-9, ":", ".", "_" and "-".', {
    target: 'ObjectType',
  });
}

function findKeyProblem(key: string): string | null {
  if (key === '') return 'is empty';
  if (dangerousKeys.has(key)) return 'is reserved';
  if (!key.isWellFormed()) return 'has a lone surrogate';
  if (Buffer.byteLength(key) > maxKeyBytes) return `is longer than ${maxKeyBytes} bytes`;
  return null;
}

function findValueProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'has a value that is not a string';
  if (!value.isWellFormed()) return 'has a value with a lone surrogate';
  if (Buffer.byteLength(value) > maxValueBytes) return `has a value longer than ${maxValueBytes} bytes`;
  return null;
}

// JSON escapes what could not be sent back, and a key may be as long as the whole request.
function quote(key: string): string {
  return JSON.stringify(key.length <= 64 ? key : `${key.slice(0, 64)}…`);
}

/** In an order that does not depend on how they were sent. */
export function toSortedProperties(properties: Record<string, string> | null): [string, string][] | null {
  return properties === null ? null : Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What is to be set, or by null removed. */
export type PropertyChanges = Record<string, string | null>;

/** Every key and value by itself; what comes out of merging is checked whole. */
export function checkPropertyChanges(value: unknown, target = 'Properties'): PropertyChanges {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('InvalidField', `${target} must be an object of strings, or null where a key is to be removed.`, {
      target,
    });
  }
  const changes = Object.entries(value);
  checkProperties(Object.fromEntries(changes.filter(([, text]) => text !== null)), target);
  return value as PropertyChanges;
}

/** `null` removes a key. */
export function mergeProperties(present: Record<string, string>, changes: PropertyChanges): Record<string, string> {
  const merged = new Map(Object.entries(present));
  for (const [key, text] of Object.entries(changes)) {
    if (text === null) merged.delete(key);
    else merged.set(key, text);
  }
  return checkProperties(Object.fromEntries(merged));
}
