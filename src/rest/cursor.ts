// Cursors: where the next page starts, as text that clients send back. They are authenticated, so that a cursor of another
// list or another service, or an edited one, is refused.
// Format: base64url of a JSON array [list, …cursor], a dot, 16 bytes of HMAC-SHA-256. `list` names what is paged, so that a
// cursor works for that list only.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../domain/refusal.ts';

const macBytes = 16;

export type Cursor = readonly (string | number | null)[];

export function toCursorText(key: string, list: string, cursor: Cursor): string {
  const payload = Buffer.from(JSON.stringify([list, ...cursor])).toString('base64url');
  return `${payload}.${toMac(key, payload).toString('base64url')}`;
}

/** The cursor that was passed to `toCursorText`; the caller knows its types. */
export function readCursor<C extends Cursor>(key: string, list: string, text: string): C {
  const [payload, mac, ...rest] = text.split('.');
  if (payload === undefined || mac === undefined || rest.length > 0) throw invalidCursor();
  const actual = Buffer.from(mac, 'base64url');
  if (actual.length !== macBytes || !timingSafeEqual(actual, toMac(key, payload))) throw invalidCursor();
  const [name, ...cursor] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, ...Cursor];
  if (name !== list) throw invalidCursor();
  return cursor as unknown as C;
}

function toMac(key: string, payload: string): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, macBytes);
}

function invalidCursor(): Refusal {
  return new Refusal('InvalidCursor', 'The cursor is malformed, or belongs to another list.', {
    target: 'cursor',
    hint: 'Use the Link header of the previous page unchanged.',
  });
}
