// Codes of authenticator apps: TOTP (RFC 6238) with SHA-1, 6 digits and 30 seconds, which is what all of them understand.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const secretBytes = 20;
const stepMs = 30_000;
const digits = 6;
/** Clocks of phones are a little off: the codes before and after the current one are right too. */
const driftSteps = 1;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** In base32 (RFC 4648), as people type it. */
export function makeTotpSecret(): string {
  return toBase32(randomBytes(secretBytes));
}

export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31];
    value &= 0xff;
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31];
}

export function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text) {
    value = ((value << 5) | alphabet.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

export function toStep(now: number): number {
  return Math.floor(now / stepMs);
}

/** HOTP (RFC 4226) of the step. */
export function toTotpCode(secret: string, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** length).padStart(length, '0');
}

/** The step whose code it is. Null: of none that is right now. */
export function findStep(secret: string, code: string, now: number): number | null {
  const presented = Buffer.from(code);
  if (presented.length !== digits) return null;
  const current = toStep(now);
  let found: number | null = null;
  for (let step = current - driftSteps; step <= current + driftSteps; step += 1) {
    if (timingSafeEqual(presented, Buffer.from(toTotpCode(secret, step)))) found = step;
  }
  return found;
}

/** What an authenticator app reads, from a QR code or by a link. */
export function toOtpAuthUri(secret: string, { issuer, user }: { issuer: string; user: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(user)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}
