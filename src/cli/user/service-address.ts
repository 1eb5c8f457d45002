// The address of a service as people type it.

import { UsageError } from './exit-codes.ts';

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function isLoopback(url: string): boolean {
  return loopback.test(new URL(url).hostname);
}

/** Without a scheme it is https, on this machine http. A word alone is most likely a mistake: it needs a scheme. */
export function toServiceUrl(typed: string): string {
  const hasScheme = /^https?:\/\//i.test(typed);
  const host = /^(\[[^\]]*\]|[^/:?#]*)/.exec(typed)?.[0] ?? '';
  const isLocal = loopback.test(host);
  const isWhole = hasScheme || isLocal || (host.includes('.') && !typed.includes('://'));
  const url = isWhole ? URL.parse(hasScheme ? typed : `${isLocal ? 'http' : 'https'}://${typed}`) : null;
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new UsageError(
      `${JSON.stringify(typed)} is not an address. Use one such as https://files.example.com or http://127.0.0.1:8080.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
