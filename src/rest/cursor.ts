// Cursors: where a next page begins, as text that clients hand back. Authenticated, so that one of another list, of
// another service or an edited one is refused rather than guessed at.
// Format: base64url of a JSON array [list, …place], a dot, 16 bytes of HMAC-SHA-256. `list` says what is paged, so that a
// cursor is good for that alone.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../domain/refusal.ts';

const macBytes = 16;

export type Place = readonly (string | number | null)[];

export function toCursorText(key: string, list: string, place: Place): string {
  const payload = Buffer.from(JSON.stringify([list, ...place])).toString('base64url');
  return `${payload}.${toMac(key, payload).toString('base64url')}`;
}

/** The place as it was given to `toCursorText`: whoever reads it knows its types. */
export function readCursor<P extends Place>(key: string, list: string, text: string): P {
  const [payload, mac, ...rest] = text.split('.');
  if (payload === undefined || mac === undefined || rest.length > 0) throw invalidCursor();
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== macBytes || !timingSafeEqual(given, toMac(key, payload))) throw invalidCursor();
  const [of, ...place] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, ...Place];
  if (of !== list) throw invalidCursor();
  return place as unknown as P;
}

function toMac(key: string, payload: string): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, macBytes);
}

function invalidCursor(): Refusal {
  return new Refusal('InvalidCursor', 'This cursor is not one of ours, or not of this list.', {
    target: 'cursor',
    hint: 'Follow the Link header of the page before, as it is.',
  });
}
