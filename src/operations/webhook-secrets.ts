// Secrets of webhooks: made here, stored encrypted, and used to sign by Standard Webhooks. `docs/formats.md` has the format.

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export function makeWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

export function encryptSecret(key: Uint8Array, webhook: string, secret: string): string {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(webhook));
  const encrypted = [nonce, encryption.update(secret), encryption.final(), encryption.getAuthTag()];
  return Buffer.concat(encrypted).toString('base64url');
}

/** Throws an error if it was encrypted with another key or for another webhook. */
export function decryptSecret(key: Uint8Array, webhook: string, stored: string): string {
  const encrypted = Buffer.from(stored, 'base64url');
  const decryption = createDecipheriv(cipher, key, encrypted.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(webhook)).setAuthTag(encrypted.subarray(-tagBytes));
  const text = decryption.update(encrypted.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decryption.final()]).toString();
}

/** The headers of one attempt. Every secret signs. */
export function signMessage(
  secrets: readonly string[],
  { id, atMs, body }: { id: string; atMs: number; body: string },
): Record<string, string> {
  const timestamp = `${Math.floor(atMs / 1000)}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
