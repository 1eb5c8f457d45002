// Webhooks of a space, and the verification of what they send. `verifyWebhook` needs only Web Crypto, so it runs in Node, in
// workers and in browsers.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Entry, Webhook, WebhookDeliveries, WebhookDelivery, Webhooks, WebhookWithSecret } from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

/** The webhooks of the space, the oldest first. */
export async function* listWebhooks(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<Webhook, void, undefined> {
  const pages = eachPage((cursor) => webhooksPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Webhooks } of pages) yield* Webhooks;
}

export function webhooksPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<Webhooks>> {
  return callPage(cabinet, 'GET /webhooks', { query, signal });
}

export async function showWebhook(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<Webhook> {
  return (await call(cabinet, 'GET /webhooks/{id}', { ...options, path: { id } })).Webhook;
}

export interface WebhookRequest {
  url: string;
  /** `*`, groups such as `file.*`, or actions such as `folder.created`. */
  events: readonly string[];
  /** Null: the whole space. */
  folderId?: string | null | undefined;
  description?: string | undefined;
}

/** The answer has the secret, which is shown once. */
export function addWebhook(
  cabinet: Cabinet,
  { url, events, folderId, description }: WebhookRequest,
  options: CallOptions = {},
): Promise<WebhookWithSecret> {
  const json = { Url: url, Events: [...events], ...toJson({ folderId, description }) };
  return call(cabinet, 'POST /webhooks', { ...options, json });
}

export interface WebhookChange extends Partial<WebhookRequest> {
  id: string;
  state?: 'active' | 'paused' | undefined;
}

export async function changeWebhook(
  cabinet: Cabinet,
  { id, url, events, folderId, description, state }: WebhookChange,
  options: CallOptions = {},
): Promise<Webhook> {
  const json = {
    ...(url !== undefined && { Url: url }),
    ...(events !== undefined && { Events: [...events] }),
    ...toJson({ folderId, description }),
    ...(state !== undefined && { State: state }),
  };
  const request = { ...options, path: { id }, json, isRepeatable: true } as const;
  return (await call(cabinet, 'PATCH /webhooks/{id}', request)).Webhook;
}

function toJson({ folderId, description }: Pick<Partial<WebhookRequest>, 'folderId' | 'description'>) {
  return {
    ...(folderId !== undefined && { FolderId: folderId }),
    ...(description !== undefined && { Description: description }),
  };
}

export async function removeWebhook(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'DELETE /webhooks/{id}', { ...options, path: { id } });
}

/** A new secret; the old one signs too for `overlapSeconds` (a day by default). */
export function rotateWebhook(
  cabinet: Cabinet,
  { id, overlapSeconds }: { id: string; overlapSeconds?: number | undefined },
  options: CallOptions = {},
): Promise<WebhookWithSecret> {
  const json = overlapSeconds === undefined ? {} : { OverlapSeconds: overlapSeconds };
  return call(cabinet, 'POST /webhooks/{id}/rotate', { ...options, path: { id }, json });
}

/** Sends a test event, and returns what became of it. */
export async function testWebhook(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<WebhookDelivery> {
  return (await call(cabinet, 'POST /webhooks/{id}/test', { ...options, path: { id } })).Delivery;
}

/** What was sent to a webhook, newest first. */
export async function* listDeliveries(
  cabinet: Cabinet,
  id: string,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<WebhookDelivery, void, undefined> {
  const pages = eachPage((cursor) => deliveriesPage(cabinet, id, { signal, limit: pageSize, cursor }));
  for await (const { Deliveries } of pages) yield* Deliveries;
}

export function deliveriesPage(
  cabinet: Cabinet,
  id: string,
  { signal, ...query }: PageOptions = {},
): Promise<Paged<WebhookDeliveries>> {
  return callPage(cabinet, 'GET /webhooks/{id}/deliveries', { path: { id }, query, signal });
}

/** Sends everything again from a position of the journal or from a time on. */
export async function replayWebhook(
  cabinet: Cabinet,
  { id, from }: { id: string; from: number | Date },
  options: CallOptions = {},
): Promise<Webhook> {
  const json = typeof from === 'number' ? { FromPosition: from } : { Since: from.toISOString() };
  return (await call(cabinet, 'POST /webhooks/{id}/replay', { ...options, path: { id }, json })).Webhook;
}

/** An event as a webhook receives it: a CloudEvent. */
export interface WebhookEvent {
  specversion: '1.0';
  /** The same each time that the event is sent. */
  id: string;
  source: string;
  /** `cabinet.file.saved`, … */
  type: string;
  /** The id of the entry. */
  subject?: string;
  time: string;
  data: {
    Position: number;
    Action: string;
    By: string;
    /** As it was when the event was sent; absent once it is gone. */
    Entry?: Entry;
    Path?: string;
    Details: Record<string, unknown>;
  };
}

/** Why a message is not to be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

type HeaderSource = { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>;

interface VerifyOptions {
  /** How old, or how far in the future, a message may be; 300 by default. */
  toleranceSeconds?: number;
  /** The current time in milliseconds. */
  now?: number;
}

/** Checks a message by Standard Webhooks with any of the secrets, and returns its event. `body` must be exactly what arrived. */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  ) as [string, string, string];
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const age = Math.abs(now / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds)
    throw new WebhookVerificationError('The timestamp is too old or too new.');
  const message = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const candidates = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []));
  for (const secret of [secrets].flat()) {
    const key = await toKey(secret);
    for (const candidate of candidates) {
      const signature = fromBase64(candidate);
      // Web Crypto compares in constant time.
      if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, message)))
        return JSON.parse(text) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError('No signature is valid.');
}

function readHeader(headers: HeaderSource, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : findIgnoringCase(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

function isHeaders(headers: HeaderSource): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

function findIgnoringCase(headers: Readonly<Record<string, string | string[] | undefined>>, name: string) {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

function toKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === null) throw new WebhookVerificationError('A secret is not whsec_ and base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
