import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStep, fromBase32, makeTotpSecret, toBase32, toOtpAuthUri, toStep, toTotpCode } from './totp.ts';

const secret = toBase32(Buffer.from('12345678901234567890'));

test('The codes are those of RFC 6238, appendix B', () => {
  const vectors: [seconds: number, code: string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ];
  for (const [seconds, code] of vectors) assert.equal(toTotpCode(secret, toStep(seconds * 1000), 8), code);
});

test('Base32 is that of RFC 4648, section 10, without padding', () => {
  const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
  for (const [text, encoded] of Object.entries(vectors)) {
    assert.equal(toBase32(Buffer.from(text)), encoded);
    assert.equal(fromBase32(encoded).toString(), text);
  }
  assert.match(makeTotpSecret(), /^[A-Z2-7]{32}$/);
});

test('A code is right for its own 30 seconds and for those before and after them', () => {
  const now = 1_700_000_000_000;
  const step = toStep(now);
  for (const [drift, found] of [
    [-2, null],
    [-1, step - 1],
    [0, step],
    [1, step + 1],
    [2, null],
  ] as const) {
    assert.equal(findStep(secret, toTotpCode(secret, step + drift), now), found, String(drift));
  }
  assert.equal(findStep(secret, '', now), null);
  assert.equal(findStep(secret, toTotpCode(secret, step, 8), now), null);
  assert.equal(findStep(makeTotpSecret(), 'äöü', now), null, 'six bytes that are no digits');
});

test('The address for authenticator apps names the service and the person', () => {
  assert.equal(
    toOtpAuthUri('ABC', { issuer: 'Cabinet files.example', user: 'ann@example.com' }),
    'otpauth://totp/Cabinet%20files.example:ann%40example.com?secret=ABC&issuer=Cabinet%20files.example&algorithm=SHA1&digits=6&period=30',
  );
});
