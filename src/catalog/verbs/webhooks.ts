// Webhooks of a space: adding, changing and removing them. `webhook-deliveries.ts` moves their positions.

import { folderNotFound } from '../../domain/missing.ts';
import { Refusal } from '../../domain/refusal.ts';
import { read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, rows, together, type Verb } from '../sql.ts';
import { insertInto, join, type Sql, sql } from '../statement.ts';
import { requireFolder } from './tree.ts';

const intoWebhooks = insertInto(
  'webhooks',
  'id space url events folder description secret state created_at created_by position revision attempts',
);

/** `paused`: by a person. `failing`: from the first failed attempt until a success. `disabled`: by the service. */
export type WebhookState = 'active' | 'paused' | 'failing' | 'disabled';

export interface Delivery {
  id: string;
  eventId: string;
  type: string;
  /** 1 for the first. */
  attempt: number;
  at: number;
  /** Null: there was no answer, and `error` says why. */
  status: number | null;
  durationMs: number;
  error: string | null;
  /** The beginning of the body of the answer. */
  response: string | null;
}

export interface Webhook {
  id: string;
  space: number;
  url: string;
  events: string[];
  /** Null: the whole space. */
  folderId: string | null;
  description: string;
  state: WebhookState;
  createdAt: number;
  createdBy: string;
  /** The last position of the journal that the receiver took. */
  position: number;
  lastDelivery: Delivery | null;
}

export interface WebhookRow {
  id: string;
  space: number;
  url: string;
  events: string;
  folder: string | null;
  description: string;
  state: WebhookState;
  created_at: number;
  created_by: string;
  position: number;
}

const columns = sql`id, space, url, events, folder, description, state, created_at, created_by, position`;

interface DeliveryRow {
  id: string;
  event_id: string;
  type: string;
  attempt: number;
  at: number;
  status: number | null;
  duration_ms: number;
  error: string | null;
  response: string | null;
}

const deliveryColumns = sql`id, event_id, type, attempt, at, status, duration_ms, error, response`;

function toDelivery({ event_id: eventId, duration_ms: durationMs, ...same }: DeliveryRow): Delivery {
  const { id, type, attempt, at, status, error, response } = same;
  return { id, eventId, type, attempt, at, status, durationMs, error, response };
}

function* toWebhook(found: WebhookRow): Verb<Webhook> {
  const { id, space, url, folder: folderId, description, state, position } = found;
  const last = yield* row<DeliveryRow>(
    sql`SELECT ${deliveryColumns} FROM webhook_deliveries WHERE webhook = ${id} ORDER BY id DESC LIMIT 1`,
  );
  return {
    ...{ id, space, url, events: JSON.parse(found.events) as string[], folderId, description, state, position },
    createdAt: found.created_at,
    createdBy: found.created_by,
    lastDelivery: last === undefined ? null : toDelivery(last),
  };
}

interface WebhookRef {
  space: number;
  id: string;
}

/** The oldest first: ids are in the order of their making. */
export const listWebhooks = read({}, function* listWebhooks({ space }: { space: number }): Verb<Webhook[]> {
  const found = yield* rows<WebhookRow>(sql`SELECT ${columns} FROM webhooks WHERE space = ${space} ORDER BY id`);
  return yield* together(found.map(toWebhook));
});

export const findWebhook = read({}, function* findWebhook(ref: WebhookRef): Verb<Webhook | null> {
  const found = yield* findRow(ref);
  return found === undefined ? null : yield* toWebhook(found);
});

function* findRow({ space, id }: WebhookRef): Verb<WebhookRow | undefined> {
  return yield* row<WebhookRow>(sql`SELECT ${columns} FROM webhooks WHERE space = ${space} AND id = ${id}`);
}

function* requireWebhook(ref: WebhookRef): Verb<Webhook> {
  const found = yield* findRow(ref);
  if (found === undefined) throw webhookNotFound();
  return yield* toWebhook(found);
}

export function webhookNotFound(): Refusal {
  return new Refusal('WebhookNotFound', 'There is no such webhook.');
}

export interface ListDeliveries {
  webhook: string;
  /** Older than the one with this id; null: from the newest. */
  before: string | null;
  limit: number;
}

/** The newest first. */
export const listDeliveries = read({}, function* listDeliveries({ webhook, before, limit }: ListDeliveries): Verb<
  Delivery[]
> {
  const older = before === null ? sql`` : sql`AND id < ${before}`;
  const found = yield* rows<DeliveryRow>(sql`SELECT ${deliveryColumns} FROM webhook_deliveries
      WHERE webhook = ${webhook} ${older} ORDER BY id DESC LIMIT ${limit}`);
  return found.map(toDelivery);
});

const maxPerSpace = 100;

export interface AddWebhook extends Origin, WebhookRef {
  url: string;
  events: readonly string[];
  folderId: string | null;
  description: string;
  /** Encrypted. */
  secret: string;
  /** Events after it are sent. */
  position: number;
}

export const addWebhook = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* addWebhook(input: AddWebhook): Verb<Webhook> {
    const { id, space, url, events, folderId, description, secret, position, at, by } = input;
    const known = yield* row<{ count: number }>(sql`SELECT count(*) AS count FROM webhooks WHERE space = ${space}`);
    if (Number(known?.count) >= maxPerSpace) {
      throw new Refusal('TooManyWebhooks', `A space has at most ${maxPerSpace} webhooks.`, {
        hint: 'Remove one that is no longer used.',
      });
    }
    yield* checkFolder(space, folderId);
    const patterns = JSON.stringify(events);
    yield* insert(intoWebhooks, [
      ...[id, space, url, patterns, folderId, description],
      ...[secret, 'active', at, by, position, 0, 0],
    ]);
    yield* note(input, space, 'webhook.created', id, { url });
    return yield* requireWebhook(input);
  },
);

function* checkFolder(space: number, folderId: string | null): Verb<void> {
  if (folderId === null) return;
  if (folderId.startsWith('-')) throw folderNotFound('FolderId');
  yield* requireFolder(space, folderId, 'FolderId');
}

export interface ChangeWebhook extends Origin, WebhookRef {
  /** Undefined, here and in the next: it stays. */
  url?: string | undefined;
  events?: readonly string[] | undefined;
  folderId?: string | null | undefined;
  description?: string | undefined;
  state?: 'active' | 'paused' | undefined;
}

/** What is set to `active` is tried at once. */
export const changeWebhook = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* changeWebhook(input: ChangeWebhook): Verb<Webhook> {
    const { space, id, url, events, folderId, description, state } = input;
    const before = yield* requireWebhook(input);
    if (folderId !== undefined) yield* checkFolder(space, folderId);
    const changes: Sql[] = [
      ...(url === undefined ? [] : [sql`url = ${url}`]),
      ...(events === undefined ? [] : [sql`events = ${JSON.stringify(events)}`]),
      ...(folderId === undefined ? [] : [sql`folder = ${folderId}`]),
      ...(description === undefined ? [] : [sql`description = ${description}`]),
      ...(state === undefined ? [] : [sql`state = ${state}, attempts = 0, failing_since = NULL, retry_at = NULL`]),
    ];
    if (changes.length === 0) return before;
    yield* execute(sql`UPDATE webhooks SET ${join([...changes, sql`revision = revision + 1`], ', ')} WHERE id = ${id}`);
    yield* note(input, space, 'webhook.changed', id, {
      ...(url !== undefined && { url }),
      ...(state !== undefined && { state }),
    });
    return yield* requireWebhook(input);
  },
);

/** What the log has of it is removed later, in slices. */
export const removeWebhook = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* removeWebhook(input: Origin & WebhookRef): Verb<void> {
    const { url } = yield* requireWebhook(input);
    yield* execute(sql`DELETE FROM webhooks WHERE id = ${input.id}`);
    yield* note(input, input.space, 'webhook.removed', input.id, { url });
  },
);

export interface RotateWebhook extends Origin, WebhookRef {
  /** Encrypted. */
  secret: string;
  /** The replaced secret signs too, until then. */
  previousUntil: number;
}

export const rotateWebhook = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* rotateWebhook(input: RotateWebhook): Verb<Webhook> {
    yield* requireWebhook(input);
    yield* execute(sql`UPDATE webhooks SET previous_secret = secret, previous_until = ${input.previousUntil},
      secret = ${input.secret}, revision = revision + 1 WHERE id = ${input.id}`);
    yield* note(input, input.space, 'webhook.rotated', input.id, {});
    return yield* requireWebhook(input);
  },
);

export interface ReplayWebhook extends Origin, WebhookRef {
  /** The first position that is sent again. */
  from: number;
}

export const replayWebhook = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* replayWebhook(input: ReplayWebhook): Verb<Webhook> {
    const { id, space, from } = input;
    yield* requireWebhook(input);
    yield* execute(sql`UPDATE webhooks SET position = ${from - 1}, attempts = 0, retry_at = NULL,
      revision = revision + 1 WHERE id = ${id}`);
    yield* note(input, space, 'webhook.replayed', id, { from });
    return yield* requireWebhook(input);
  },
);
