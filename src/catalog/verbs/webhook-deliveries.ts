// Deliveries of webhooks: which webhooks have something to do, what became of an attempt, and the log of the attempts. These
// writes lock only the row of their webhook, so that no save waits for them.

import { noSpace, read, write } from '../declaration.ts';
import { insert, note, type Origin, returning, returningRow, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import type { Delivery, WebhookState } from './webhooks.ts';

const intoDeliveries = insertInto(
  'webhook_deliveries',
  'id webhook event_id type attempt at status duration_ms error response',
);

/** A webhook as whoever sends its events needs it. */
export interface WebhookWork {
  id: string;
  space: number;
  spaceId: string;
  url: string;
  events: string[];
  folderId: string | null;
  state: WebhookState;
  /** Encrypted, and so is the previous one. */
  secret: string;
  previousSecret: string | null;
  previousUntil: number | null;
  position: number;
  revision: number;
  /** Failed ones, for the next event. */
  attempts: number;
  failingSince: number | null;
  /** Null: at once. */
  retryAt: number | null;
}

interface WorkRow {
  id: string;
  space: number;
  space_id: string;
  url: string;
  events: string;
  folder: string | null;
  state: WebhookState;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  position: number;
  revision: number;
  attempts: number;
  failing_since: number | null;
  retry_at: number | null;
}

const selection = sql`SELECT webhooks.id AS id, webhooks.space AS space, spaces.id AS space_id, url, events, folder, state,
  secret, previous_secret, previous_until, position, revision, attempts, failing_since, retry_at
  FROM webhooks JOIN spaces ON spaces.space = webhooks.space`;

function toWork(found: WorkRow): WebhookWork {
  const { id, space, url, state, secret, position, revision, attempts } = found;
  return {
    ...{ id, space, spaceId: found.space_id, url, events: JSON.parse(found.events) as string[], state },
    ...{ folderId: found.folder, secret, previousSecret: found.previous_secret, previousUntil: found.previous_until },
    ...{ position, revision, attempts, failingSince: found.failing_since, retryAt: found.retry_at },
  };
}

/** The webhooks of all spaces that are not paused or disabled. */
export const listWebhookWork = read({}, function* listWebhookWork(_: Record<string, never>): Verb<WebhookWork[]> {
  const found = yield* rows<WorkRow>(
    sql`${selection} WHERE state IN ('active', 'failing') ORDER BY webhooks.space, webhooks.id`,
  );
  return found.map(toWork);
});

/** Whatever its state. */
export const findWebhookWork = read({}, function* findWebhookWork({ id }: { id: string }): Verb<WebhookWork | null> {
  const found = yield* row<WorkRow>(sql`${selection} WHERE webhooks.id = ${id}`);
  return found === undefined ? null : toWork(found);
});

/** The events after it are still needed; null: there is no webhook that waits for any. */
export const findWebhookFloor = read({}, function* findWebhookFloor(_: Record<string, never>): Verb<number | null> {
  const found = yield* row<{ position: number | null }>(
    sql`SELECT min(position) AS position FROM webhooks WHERE state IN ('active', 'failing')`,
  );
  return found?.position ?? null;
});

const shared = { space: () => noSpace, lock: 'shared', pages: 'unchanged', isAnnounced: false } as const;

function* log(webhook: string, delivery: Delivery): Verb<void> {
  const { id, eventId, type, attempt, at, status, durationMs, error, response } = delivery;
  yield* insert(intoDeliveries, [id, webhook, eventId, type, attempt, at, status, durationMs, error, response]);
}

export const logDelivery = write(
  shared,
  function* logDelivery({ webhook, delivery }: { webhook: string; delivery: Delivery }): Verb<void> {
    yield* log(webhook, delivery);
  },
);

export interface MoveWebhook {
  webhook: string;
  /** Nothing moves if the webhook was changed since. */
  revision: number;
  position: number;
  /** What the receiver took, to be logged; empty: there was nothing to send up to this position. */
  deliveries: readonly Delivery[];
}

/** The receivers took everything up to these positions. Returns the ids of the webhooks that moved. */
export const moveWebhooks = write(
  { ...shared, isPatient: true },
  function* moveWebhooks({ moves }: { moves: readonly MoveWebhook[] }): Verb<string[]> {
    const moved: string[] = [];
    // In one order everywhere, so that two transactions never wait for each other's rows.
    for (const move of moves.toSorted((left, right) => (left.webhook < right.webhook ? -1 : 1))) {
      if (yield* moveOne(move)) moved.push(move.webhook);
    }
    return moved;
  },
);

function* moveOne({ webhook, revision, position, deliveries }: MoveWebhook): Verb<boolean> {
  const healed =
    deliveries.length === 0 ? sql`` : sql`, state = 'active', attempts = 0, failing_since = NULL, retry_at = NULL`;
  const moved = yield* returningRow(sql`UPDATE webhooks SET position = ${position} ${healed}
    WHERE id = ${webhook} AND revision = ${revision} AND position < ${position} AND state IN ('active', 'failing')
    RETURNING id`);
  for (const delivery of deliveries) yield* log(webhook, delivery);
  return moved !== undefined;
}

export interface FailWebhook extends Origin {
  webhook: string;
  space: number;
  revision: number;
  delivery: Delivery;
  retryAt: number;
  failingSince: number;
  /** Why nothing more is sent; null: it is tried again. */
  disabled: 'gone' | 'failing' | null;
}

export const failWebhook = write(shared, function* failWebhook(input: FailWebhook): Verb<boolean> {
  const { webhook, space, revision, delivery, retryAt, failingSince, disabled } = input;
  const state = disabled === null ? 'failing' : 'disabled';
  const failed = yield* returningRow(sql`UPDATE webhooks SET state = ${state}, attempts = ${delivery.attempt},
    failing_since = ${failingSince}, retry_at = ${retryAt}
    WHERE id = ${webhook} AND revision = ${revision} AND state IN ('active', 'failing') RETURNING id`);
  yield* log(webhook, delivery);
  if (failed !== undefined && disabled !== null) {
    yield* note(input, space, 'webhook.disabled', webhook, { reason: disabled });
  }
  return failed !== undefined;
});

/** Removes the oldest of a webhook beyond the newest `keep`. Returns how many, at most 1000. */
export const trimDeliveries = write(
  shared,
  function* trimDeliveries({ webhook, keep }: { webhook: string; keep: number }): Verb<number> {
    const oldest = yield* row<{ id: string }>(sql`SELECT id FROM webhook_deliveries WHERE webhook = ${webhook}
      ORDER BY id DESC LIMIT 1 OFFSET ${keep}`);
    if (oldest === undefined) return 0;
    const removed = yield* returning(sql`DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
      WHERE webhook = ${webhook} AND id <= ${oldest.id} ORDER BY id LIMIT 1000) RETURNING id`);
    return removed.length;
  },
);

/** Removes what is older than `before`, and what belongs to removed webhooks. Returns how many, at most 2000. */
export const forgetDeliveries = write(shared, function* forgetDeliveries({ before }: { before: number }): Verb<number> {
  const old = yield* returning(sql`DELETE FROM webhook_deliveries WHERE id IN
      (SELECT id FROM webhook_deliveries WHERE at < ${before} ORDER BY at LIMIT 1000) RETURNING id`);
  const ownerless = yield* returning(sql`DELETE FROM webhook_deliveries WHERE id IN
      (SELECT webhook_deliveries.id FROM webhook_deliveries LEFT JOIN webhooks ON webhooks.id = webhook
       WHERE webhooks.id IS NULL LIMIT 1000) RETURNING id`);
  return old.length + ownerless.length;
});
