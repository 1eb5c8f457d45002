// What is accepted from outside issuers, apart from the keys. The configuration imports it, so it loads nothing large.

export const outsideAlgorithms: readonly string[] = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** HTTPS, or HTTP on loopback. */
export function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.has(url.hostname));
}
