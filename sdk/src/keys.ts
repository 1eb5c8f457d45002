// Idempotency keys: made once for a call, sent with every attempt of it.

export function makeKey(): string {
  // `crypto.randomUUID` is missing in pages that did not come over TLS.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
