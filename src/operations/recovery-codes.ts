// Recovery codes: shown once, each replaces a second factor once. 80 random bits; only an HMAC with a key that the catalog does
// not have is stored, which is fast: nobody can guess such a code.

import { createHmac, randomBytes } from 'node:crypto';
import type { Cabinet } from './cabinet.ts';
import { toBase32 } from './totp.ts';

const count = 10;
const codeBytes = 10;

type Key = Pick<Cabinet, 'secondFactorKey'>;

export function makeRecoveryCodes(key: Key): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: count }, () => {
    return toBase32(randomBytes(codeBytes))
      .toLowerCase()
      .replaceAll(/.{4}(?=.)/g, '$&-');
  });
  return { codes, hashes: codes.map((code) => hashRecoveryCode(key, code)) };
}

/** However it was typed. */
export function hashRecoveryCode({ secondFactorKey }: Key, code: string): string {
  const plain = code.toLowerCase().replaceAll(/[^a-z2-7]/g, '');
  return createHmac('sha256', secondFactorKey).update(plain).digest('hex');
}
