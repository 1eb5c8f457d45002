// What the service remembers between two requests without storing it: encrypted, for one purpose, and only for a while.

import type { Cabinet } from './cabinet.ts';
import { decryptSecret, encryptSecret } from './encrypted-secrets.ts';

type Context = Pick<Cabinet, 'secondFactorKey' | 'clock'>;

export function closeTicket(
  { secondFactorKey, clock }: Context,
  purpose: string,
  content: object,
  lifetimeMs: number,
): string {
  return encryptSecret(secondFactorKey, purpose, JSON.stringify({ content, until: clock.now() + lifetimeMs }));
}

/** Null: it is of another purpose, too old, or not ours. */
export function openTicket<Content>(
  { secondFactorKey, clock }: Context,
  purpose: string,
  ticket: string,
): Content | null {
  let text: string;
  try {
    text = decryptSecret(secondFactorKey, purpose, ticket);
  } catch {
    return null;
  }
  const { content, until } = JSON.parse(text) as { content: Content; until: number };
  return clock.now() < until ? content : null;
}
