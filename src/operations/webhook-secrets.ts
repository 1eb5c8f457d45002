// Secrets of webhooks: made here, stored encrypted (`encrypted-secrets.ts`), and used to sign by Standard Webhooks. `docs/formats.md` has the format.

import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

export function makeWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
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
