// Webhooks of the caller's space, for its managers. `jobs/webhooks.ts` sends the events.

import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { Delivery, Webhook } from '../catalog/verbs/webhooks.ts';
import { type Caller, type SpaceAccess, toFolderIdIn } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { isEventPattern, testAction } from '../domain/webhook-events.ts';
import { requireSpace } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { encryptSecret } from './encrypted-secrets.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';
import { attemptDelivery, type RenderEvent, toMessage } from './webhook-message.ts';
import { makeWebhookSecret } from './webhook-secrets.ts';

export const maxEventPatterns = 100;
export const maxDescriptionChars = 1000;
export const maxOverlapSeconds = 604_800;
export const defaultOverlapSeconds = 86_400;

export async function listWebhooks(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<Webhook>> {
  const { space } = requireSpace(caller, 'manage');
  const listed = await catalog.listWebhooks({ space });
  return toPage(
    listed.filter(({ id }) => after === null || id > after),
    limit,
    ({ id }) => id,
  );
}

export async function showWebhook({ catalog }: Cabinet, caller: Caller, id: string): Promise<Webhook> {
  return await requireWebhook(catalog, requireSpace(caller, 'manage'), id);
}

async function requireWebhook(catalog: Cabinet['catalog'], { space }: SpaceAccess, id: string): Promise<Webhook> {
  const webhook = await catalog.findWebhook({ space, id });
  if (webhook === null) throw new Refusal('WebhookNotFound', 'There is no such webhook.');
  return webhook;
}

export interface WebhookWithSecret {
  webhook: Webhook;
  /** Shown once. */
  secret: string;
}

interface NewWebhook {
  url: string;
  events: readonly string[];
  /** Null: the whole space. */
  folderId: string | null;
  description: string;
}

export async function addWebhook(cabinet: Cabinet, caller: Caller, request: NewWebhook): Promise<WebhookWithSecret> {
  const access = requireSpace(caller, 'manage');
  const { url, events, folderId, description } = request;
  checkEvents(events);
  checkDescription(description);
  await cabinet.webhookSender.checkUrl(url);
  // In the order of time, so that ids sort by it.
  const id = randomUUIDv7();
  const secret = makeWebhookSecret();
  const ends = await cabinet.catalog.findJournalEnds({});
  const webhook = await cabinet.catalog.addWebhook({
    ...{ id, space: access.space, url, events: [...new Set(events)], description },
    folderId: toFolder(access, folderId),
    secret: encryptSecret(cabinet.webhookKey, id, secret),
    position: ends?.last ?? 0,
    ...byCaller(cabinet, caller),
  });
  wake(cabinet);
  return { webhook, secret };
}

/** `-root-` is the root of the space. */
function toFolder(access: SpaceAccess, folderId: string | null): string | null {
  return folderId === null || folderId === '' ? null : toFolderIdIn(access, folderId);
}

/** Whoever delivers looks at once. */
function wake({ commits }: Cabinet): void {
  commits.wakeAll();
}

function checkEvents(events: readonly string[]): void {
  const unknown = events.find((pattern) => !isEventPattern(pattern));
  if (unknown === undefined && events.length > 0 && events.length <= maxEventPatterns) return;
  const problem =
    unknown === undefined
      ? `Events must have 1 to ${maxEventPatterns} patterns.`
      : `There is no event ${JSON.stringify(unknown)}.`;
  throw new Refusal('InvalidField', problem, {
    target: 'Events',
    hint: 'Send *, groups such as file.*, or events such as folder.created. docs/webhooks.md lists all events.',
  });
}

function checkDescription(description: string): void {
  const isGood = description.isWellFormed() && !/[\0\u202a-\u202e\u2066-\u2069]/u.test(description);
  if (isGood && [...description].length <= maxDescriptionChars) return;
  throw new Refusal('InvalidField', `A description has at most ${maxDescriptionChars} characters of text.`, {
    target: 'Description',
  });
}

interface WebhookChange {
  id: string;
  /** Undefined, here and in the next: it stays. */
  url: string | undefined;
  events: readonly string[] | undefined;
  folderId: string | null | undefined;
  description: string | undefined;
  state: 'active' | 'paused' | undefined;
}

export async function changeWebhook(cabinet: Cabinet, caller: Caller, change: WebhookChange): Promise<Webhook> {
  const access = requireSpace(caller, 'manage');
  const { id, url, events, folderId, description, state } = change;
  const before = await requireWebhook(cabinet.catalog, access, id);
  if (events !== undefined) checkEvents(events);
  if (description !== undefined) checkDescription(description);
  if (url !== undefined) await cabinet.webhookSender.checkUrl(url);
  if (state === 'active') await checkKept(cabinet, access, before.position + 1, 'State');
  const webhook = await cabinet.catalog.changeWebhook({
    ...{ space: access.space, id, url, description, state },
    events: events === undefined ? undefined : [...new Set(events)],
    folderId: folderId === undefined ? undefined : toFolder(access, folderId),
    ...byCaller(cabinet, caller),
  });
  wake(cabinet);
  return webhook;
}

export async function removeWebhook(cabinet: Cabinet, caller: Caller, id: string): Promise<void> {
  const { space } = requireSpace(caller, 'manage');
  await cabinet.catalog.removeWebhook({ space, id, ...byCaller(cabinet, caller) });
}

export async function rotateWebhook(
  cabinet: Cabinet,
  caller: Caller,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<WebhookWithSecret> {
  const { space } = requireSpace(caller, 'manage');
  const secret = makeWebhookSecret();
  const origin = byCaller(cabinet, caller);
  const webhook = await cabinet.catalog.rotateWebhook({
    ...{ space, id, secret: encryptSecret(cabinet.webhookKey, id, secret) },
    previousUntil: origin.at + overlapSeconds * 1000,
    ...origin,
  });
  return { webhook, secret };
}

/** Sends a test event now, whatever the state of the webhook. It is not repeated. */
export async function testWebhook(
  cabinet: Cabinet,
  caller: Caller,
  { id, render }: { id: string; render: RenderEvent },
): Promise<Delivery> {
  const access = requireSpace(caller, 'manage');
  const { position } = await requireWebhook(cabinet.catalog, access, id);
  const work = await cabinet.catalog.findWebhookWork({ id });
  if (work === null) throw new Refusal('WebhookNotFound', 'There is no such webhook.');
  const event = {
    ...{ id: `test:${randomUUID()}`, spaceId: access.spaceId, position, at: cabinet.clock.now(), by: caller.actor },
    ...{ action: testAction, subject: id, details: '{}', entry: null, path: null },
  };
  const { delivery } = await attemptDelivery(cabinet, work, { message: toMessage(event, render), attempt: 1 });
  await cabinet.catalog.logDelivery({ webhook: id, delivery });
  return delivery;
}

/** The newest first. */
export async function listDeliveries(
  { catalog }: Cabinet,
  caller: Caller,
  { id, after, limit }: ListRequest & { id: string },
): Promise<Page<Delivery>> {
  await requireWebhook(catalog, requireSpace(caller, 'manage'), id);
  const listed = await catalog.listDeliveries({ webhook: id, before: after, limit: limit + 1 });
  return toPage(listed, limit, (delivery) => delivery.id);
}

interface ReplayRequest {
  id: string;
  /** The first position that is sent again, or the time from which on. */
  from: { position: number } | { since: number };
}

export async function replayWebhook(cabinet: Cabinet, caller: Caller, { id, from }: ReplayRequest): Promise<Webhook> {
  const access = requireSpace(caller, 'manage');
  const { space } = access;
  await requireWebhook(cabinet.catalog, access, id);
  const first =
    'position' in from ? from.position : await cabinet.catalog.findPositionSince({ space, since: from.since });
  if (first === null) throw expired('Since');
  await checkKept(cabinet, access, first, 'FromPosition');
  const webhook = await cabinet.catalog.replayWebhook({ space, id, from: first, ...byCaller(cabinet, caller) });
  wake(cabinet);
  return webhook;
}

/** Whether the changes from a position on are all there. */
async function checkKept({ catalog }: Cabinet, { space }: SpaceAccess, from: number, target: string): Promise<void> {
  const { keptAfter, upTo } = await catalog.listSpaceJournal({ space, after: 0, limit: 1 });
  if (from <= keptAfter) throw expired(target);
  const last = (await catalog.findJournalEnds({}))?.last ?? upTo;
  if (from <= last + 1) return;
  throw new Refusal('InvalidField', `The journal ends at ${last}.`, {
    target,
    hint: 'Send a position up to this one.',
  });
}

function expired(target: string): Refusal {
  return new Refusal('CursorExpired', 'The events from there on are no longer kept.', {
    target,
    hint: 'Replay from a later position, after reading the tree with GET /changes?from=snapshot.',
  });
}
