// The tokens of locks in the header `If` (RFC 4918, section 10.4). The API takes them from there and evaluates nothing else of it.

import type { IncomingMessage } from 'node:http';

/** Null: the header was not sent. */
export function readLockTokens({ headers }: IncomingMessage): string[] | null {
  const header = headers.if;
  if (typeof header !== 'string') return null;
  return [...header.matchAll(/\(([^()]*)\)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/<([^<>]*)>/g)].map(([, token = '']) => token),
  );
}
