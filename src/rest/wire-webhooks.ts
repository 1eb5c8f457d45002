// Renders webhooks, their deliveries, and the events that they send: CloudEvents 1.0 in structured mode.

import type { Delivery, Webhook } from '../catalog/verbs/webhooks.ts';
import { toEventType } from '../domain/webhook-events.ts';
import type { WebhookEvent } from '../operations/webhook-message.ts';
import type { WebhookWithSecret } from '../operations/webhooks.ts';
import { renderEntry, renderTime } from './wire.ts';
import { toDetails } from './wire-managing.ts';

function toWebhook(webhook: Webhook): object {
  const { id, url, events, folderId, description, state, createdAt, createdBy, position, lastDelivery } = webhook;
  return {
    Id: id,
    Url: url,
    Events: events,
    FolderId: folderId,
    Description: description,
    State: state,
    CreatedAt: renderTime(createdAt),
    CreatedBy: createdBy,
    Position: position,
    LastDelivery: lastDelivery === null ? null : toDelivery(lastDelivery),
  };
}

function toDelivery({ id, eventId, type, attempt, at, status, durationMs, error, response }: Delivery): object {
  return {
    Id: id,
    EventId: eventId,
    Type: type,
    Attempt: attempt,
    At: renderTime(at),
    Status: status,
    DurationMs: durationMs,
    Error: error,
    Response: response,
  };
}

export function renderWebhook(webhook: Webhook): string {
  return JSON.stringify({ Webhook: toWebhook(webhook) });
}

export function renderWebhooks(webhooks: readonly Webhook[]): string {
  return JSON.stringify({ Webhooks: webhooks.map(toWebhook) });
}

/** The only answers that contain a secret. */
export function renderWebhookWithSecret({ webhook, secret }: WebhookWithSecret): string {
  return JSON.stringify({ Webhook: toWebhook(webhook), Secret: secret });
}

export function renderDelivery(delivery: Delivery): string {
  return JSON.stringify({ Delivery: toDelivery(delivery) });
}

export function renderDeliveries(deliveries: readonly Delivery[]): string {
  return JSON.stringify({ Deliveries: deliveries.map(toDelivery) });
}

/** The body that is sent. `publicUrl` is that of the environment, without a slash at the end. */
export function renderWebhookEvent(publicUrl: string, event: WebhookEvent): string {
  const { id, spaceId, position, at, by, action, subject, details, entry, path } = event;
  const { through: _, ...others } = JSON.parse(details) as Record<string, unknown>;
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: `${publicUrl}/v1/contentmanagement/spaces/${spaceId}`,
    type: toEventType(action),
    ...(subject !== '' && { subject }),
    time: renderTime(at),
    datacontenttype: 'application/json',
    data: {
      Position: position,
      Action: action,
      By: by,
      ...(entry !== null && { Entry: JSON.parse(renderEntry(entry)) as object }),
      ...(path !== null && { Path: path }),
      Details: toDetails(others),
    },
  });
}
