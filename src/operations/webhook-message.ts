// One event for one webhook: what is sent, and one attempt to send it.

import { randomUUIDv7 } from 'node:crypto';
import type { WebhookWork } from '../catalog/verbs/webhook-deliveries.ts';
import type { Delivery } from '../catalog/verbs/webhooks.ts';
import type { Entry } from '../domain/entry.ts';
import { toEventType } from '../domain/webhook-events.ts';
import type { Cabinet } from './cabinet.ts';
import { decryptSecret } from './encrypted-secrets.ts';
import { signMessage } from './webhook-secrets.ts';
import type { Outcome } from './webhook-sender.ts';

export interface WebhookEvent {
  id: string;
  spaceId: string;
  position: number;
  at: number;
  by: string;
  action: string;
  /** What it is about; empty: nothing that has an id. */
  subject: string;
  /** As the journal has them. */
  details: string;
  /** As it is when it is sent; null: there is none, or no more. */
  entry: Entry | null;
  path: string | null;
}

/** The body of an event. The faces know how things are written. */
export type RenderEvent = (event: WebhookEvent) => string;

/** An event as every webhook that gets it sends it: only signatures differ. */
export interface Message {
  id: string;
  type: string;
  body: string;
}

export function toMessage(event: WebhookEvent, render: RenderEvent): Message {
  return { id: event.id, type: toEventType(event.action), body: render(event) };
}

export interface Attempt {
  delivery: Delivery;
  outcome: Outcome;
}

/** Sends the event once, with a new time and signature. */
export async function attemptDelivery(
  { clock, webhookKey, webhookSender }: Pick<Cabinet, 'clock' | 'webhookKey' | 'webhookSender'>,
  webhook: WebhookWork,
  { message, attempt }: { message: Message; attempt: number },
  signal?: AbortSignal,
): Promise<Attempt> {
  const at = clock.now();
  const { id: eventId, type, body } = message;
  const { previousSecret, previousUntil } = webhook;
  const isPreviousValid = previousSecret !== null && previousUntil !== null && at < previousUntil;
  const stored = isPreviousValid ? [webhook.secret, previousSecret] : [webhook.secret];
  const secrets = stored.map((secret) => decryptSecret(webhookKey, webhook.id, secret));
  const headers = {
    'Content-Type': 'application/cloudevents+json',
    'User-Agent': 'Cabinet-Webhooks',
    ...signMessage(secrets, { id: eventId, atMs: at, body }),
  };
  const outcome = await webhookSender.send({ url: webhook.url, headers, body, attempt }, signal);
  const { status, durationMs, error, response } = outcome;
  return { outcome, delivery: { id: randomUUIDv7(), eventId, type, attempt, at, status, durationMs, error, response } };
}
