// Cursors: where a next page begins, as text that clients hand back. Authenticated, so that one of another folder, of
// another service or an edited one is refused rather than guessed at.
// Format: base64url of the JSON [folder, kind, name key, excluded id or null], a dot, 16 bytes of HMAC-SHA-256.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Place } from '../catalog/entries.ts';
import { Refusal } from '../domain/refusal.ts';

export interface Cursor {
  folder: string;
  after: Place;
  exclude: string | null;
}

const macBytes = 16;

export function toCursorText(key: string, { folder, after, exclude }: Cursor): string {
  const payload = Buffer.from(JSON.stringify([folder, after.kind, after.nameKey, exclude])).toString('base64url');
  return `${payload}.${toMac(key, payload).toString('base64url')}`;
}

export function readCursor(key: string, folder: string, text: string): Cursor {
  const [payload, mac, ...rest] = text.split('.');
  if (payload === undefined || mac === undefined || rest.length > 0) throw invalidCursor();
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== macBytes || !timingSafeEqual(given, toMac(key, payload))) throw invalidCursor();
  const [of, kind, nameKey, exclude] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    Place['kind'],
    string,
    string | null,
  ];
  if (of !== folder) throw invalidCursor();
  return { folder, after: { kind, nameKey }, exclude };
}

function toMac(key: string, payload: string): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, macBytes);
}

function invalidCursor(): Refusal {
  return new Refusal('InvalidCursor', 'This cursor is not one of ours, or not of this folder.', {
    target: 'cursor',
    hint: 'Follow the Link header of the page before, as it is.',
  });
}
