// Secrets that are needed again in plain form, encrypted with a key that the catalog does not have: AES-256-GCM, stored as
// base64url of nonce, ciphertext and tag. The purpose is authenticated: what was encrypted for one record is useless in another.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export function encryptSecret(key: Uint8Array, purpose: string, secret: string): string {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(purpose));
  const encrypted = [nonce, encryption.update(secret), encryption.final(), encryption.getAuthTag()];
  return Buffer.concat(encrypted).toString('base64url');
}

/** Throws an error if it was encrypted with another key or for another purpose. */
export function decryptSecret(key: Uint8Array, purpose: string, stored: string): string {
  const encrypted = Buffer.from(stored, 'base64url');
  const decryption = createDecipheriv(cipher, key, encrypted.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(purpose)).setAuthTag(encrypted.subarray(-tagBytes));
  const text = decryption.update(encrypted.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decryption.final()]).toString();
}
