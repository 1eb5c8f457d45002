// Passwords of shares: whoever uses a link shows the password itself, or the pass of a page that has checked it.
// A pass: the time until which it is valid, a dot, and the HMAC-SHA-256 of the share's id, its stored hash and that time. A new
// password has another hash, so that earlier passes end.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { StoredShare } from '../catalog/verbs/shares.ts';
import { Refusal } from '../domain/refusal.ts';
import { atMost } from '../runtime/cache-size.ts';
import type { Cabinet } from './cabinet.ts';
import { TooBusy } from './passwords.ts';
import { maxSharePassword } from './shares.ts';
import { busySeconds } from './sign-in-limits.ts';

export const passMs = 12 * 60 * 60 * 1000;

export interface ShownPassword {
  /** Null: none was sent. */
  password: string | null;
  /** Of pages, by share. */
  passes: ReadonlyMap<string, string>;
  /** Of whoever uses the link. */
  address: string;
}

/** Passwords that were right a moment ago: a client reads a file in many pieces. Only their HMAC is kept. */
const rightOnes = new LRUCache<string, true>({ ...atMost(10_000), ttl: 60_000 });
const ownKey = randomBytes(32);

export async function checkSharePassword(cabinet: Cabinet, share: StoredShare, shown: ShownPassword): Promise<void> {
  const { password: stored, id } = share;
  if (stored === null || isPass(cabinet, share, shown.passes.get(id) ?? '')) return;
  const { password, address } = shown;
  if (password === null) {
    throw new Refusal('SharePasswordMissing', 'This link needs a password.', {
      target: 'SharePassword',
      hint: 'Send it in the header SharePassword, percent-encoded.',
    });
  }
  const key = createHmac('sha256', ownKey)
    .update(JSON.stringify([id, stored, password]))
    .digest('base64');
  if (rightOnes.has(key)) return;
  const giveBack = cabinet.shareLimits.begin(id, address);
  if (!(await isRight(cabinet, { password, stored, source: `share ${id} ${address}` }, giveBack))) {
    throw new Refusal('SharePasswordInvalid', 'The password of the link is wrong.', { target: 'SharePassword' });
  }
  giveBack();
  rightOnes.set(key, true);
}

async function isRight(
  { isPassword }: Cabinet,
  { password, stored, source }: { password: string; stored: string; source: string },
  giveBack: () => void,
): Promise<boolean> {
  if ([...password].length > maxSharePassword) return false;
  try {
    return await isPassword(password, stored, source);
  } catch (error) {
    giveBack();
    if (!(error instanceof TooBusy)) throw error;
    throw new Refusal('TooManyRequests', 'Too many passwords are being checked at once.', {
      retryAfterSeconds: busySeconds,
    });
  }
}

export function toPass({ shareKey, clock }: Cabinet, share: StoredShare): string {
  const until = clock.now() + passMs;
  return `${until}.${sign(shareKey, share, until)}`;
}

function isPass({ shareKey, clock }: Cabinet, share: StoredShare, pass: string): boolean {
  const [, until = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(pass) ?? [];
  if (until === '' || Number(until) <= clock.now()) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(shareKey, share, Number(until))));
}

function sign(key: Uint8Array, { id, password }: StoredShare, until: number): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['pass', id, password, until]))
    .digest('base64url');
}
