// Sends the events of the journal to webhooks: to each in the journal's order, one at a time, and its position moves only when
// the receiver has taken the event. So an event may arrive twice, after a crash for instance, but never not at all. One node of a
// cluster does it at a time. Receivers that are slow or gone delay only themselves: each webhook has its own loop, and what the
// catalog stores of them locks nothing that saves need.

import { anySpace } from '../catalog/commits.ts';
import type { WebhookWork } from '../catalog/verbs/webhook-deliveries.ts';
import type { SpaceChange } from '../catalog/verbs/webhook-events.ts';
import { isOfEntry } from '../domain/webhook-events.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { byOperator } from '../operations/origin.ts';
import { type Attempt, attemptDelivery, type RenderEvent, type WebhookEvent } from '../operations/webhook-message.ts';
import type { Timer } from '../runtime/clock.ts';
import { Turns } from '../runtime/turns.ts';
import type { Job } from './job.ts';
import { pageChanges, WebhookJournal } from './webhook-journal.ts';
import { toRetryDelay } from './webhook-retries.ts';

/** How soon another node takes over. */
const claimEveryMs = 2000;
/** How soon it is noticed what was not announced in this process. */
const lookEveryMs = 1000;
/** Pause after a wake-up: one look at the journal for many saves. */
const restMs = 150;
/** A position that moves without an event, because none matched, is stored so rarely. */
const storeAfterPositions = 5000;
const storeAfterMs = 10 * 60 * 1000;
const disableAfterMs = 3 * 24 * 60 * 60 * 1000;
const keptDeliveries = 10_000;
const trimEvery = 500;
const nothing = { entry: null, path: null };

interface WebhooksOptions {
  render: RenderEvent;
  onError(error: unknown): void;
}

export function toWebhooksJob(options: WebhooksOptions): Job {
  return {
    name: 'webhooks',
    intervalMs: claimEveryMs,
    // It has a lock of its own: it never ends by itself.
    isExclusive: false,
    async run({ cabinet, runExclusive }, signal) {
      const deliver = (lost: AbortSignal) => new Deliveries(cabinet, options).run(AbortSignal.any([signal, lost]));
      await runExclusive(deliver, 'webhooks');
    },
  };
}

/** What this process knows of a webhook beside its row. */
interface Progress {
  revision: number;
  /** Everything up to here was taken or does not match. */
  scanned: number;
  storedAt: number;
  sinceTrim: number;
}

class Deliveries {
  readonly #cabinet: Cabinet;
  readonly #options: WebhooksOptions;
  readonly #progress = new Map<string, Progress>();
  readonly #running = new Map<string, Promise<void>>();
  /** Webhooks that were busy when there was something new. */
  readonly #skipped = new Set<string>();
  readonly #journal: WebhookJournal;
  readonly #turns = new Turns();
  #retry: Timer | null = null;

  constructor(cabinet: Cabinet, options: WebhooksOptions) {
    this.#cabinet = cabinet;
    this.#journal = new WebhookJournal(cabinet.catalog);
    this.#options = options;
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { commits } = this.#cabinet;
    const wake = () => commits.wakeAll();
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        const seen = commits.seen(anySpace);
        await this.#round(signal).catch((error) => this.#report(error, signal));
        await commits.wait(anySpace, seen, lookEveryMs, restMs);
      }
    } finally {
      this.#retry?.cancel();
      signal.removeEventListener('abort', wake);
      await Promise.all(this.#running.values());
    }
  }

  #report(error: unknown, signal: AbortSignal): void {
    if (!signal.aborted) this.#options.onError(error);
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { catalog, clock, commits } = this.#cabinet;
    const works = await catalog.listWebhookWork({});
    const known = new Set(works.map(({ id }) => id));
    for (const id of this.#progress.keys()) if (!known.has(id)) this.#progress.delete(id);
    this.#journal.begin(works);
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const work of works) {
      if (signal.aborted) return;
      if (this.#running.has(work.id)) this.#skipped.add(work.id);
      else if (work.retryAt !== null && work.retryAt > now) next = Math.min(next, work.retryAt);
      else this.#start(work, signal);
    }
    this.#retry?.cancel();
    this.#retry = next < now + disableAfterMs ? clock.after(next - now, () => commits.wakeAll()) : null;
  }

  #start(work: WebhookWork, signal: AbortSignal): void {
    const sending = this.#send(work, signal)
      .catch((error) => this.#report(error, signal))
      .then(() => {
        this.#running.delete(work.id);
        if (this.#skipped.delete(work.id)) this.#cabinet.commits.wakeAll();
      });
    this.#running.set(work.id, sending);
  }

  /** Sends what there is, until nothing is left or an attempt fails. */
  async #send(work: WebhookWork, signal: AbortSignal): Promise<void> {
    const progress = this.#progressOf(work);
    for (;;) {
      const page = await this.#journal.read(work.space, progress.scanned);
      for (const change of page.changes) {
        signal.throwIfAborted();
        if (await this.#journal.isWanted(work, change, page)) {
          await this.#turns.take();
          if (!(await this.#deliver(work, await this.#toEvent(work, change), signal))) return;
        }
        progress.scanned = change.position;
      }
      progress.scanned = Math.max(progress.scanned, page.upTo);
      if (page.changes.length === pageChanges) continue;
      return await this.#store(work, progress);
    }
  }

  #progressOf({ id, revision, position }: WebhookWork): Progress {
    const known = this.#progress.get(id);
    if (known?.revision === revision) return known;
    const progress = { revision, scanned: position, storedAt: this.#cabinet.clock.now(), sinceTrim: 0 };
    this.#progress.set(id, progress);
    return progress;
  }

  /** The entry as it is now. */
  async #toEvent({ space, spaceId }: WebhookWork, change: SpaceChange): Promise<WebhookEvent> {
    const { position, at, by, action, details, entry: subject } = change;
    const isAbout = isOfEntry(action);
    const shown = isAbout ? await this.#cabinet.catalog.showSubject({ space, entry: subject }) : nothing;
    return { id: `${spaceId}:${position}`, spaceId, position, at, by, action, subject, details, ...shown };
  }

  /** Whether the receiver took it and the next one may follow. */
  async #deliver(work: WebhookWork, event: WebhookEvent, signal: AbortSignal): Promise<boolean> {
    const { render } = this.#options;
    const attempt = await attemptDelivery(this.#cabinet, work, { event, attempt: work.attempts + 1, render }, signal);
    signal.throwIfAborted();
    if (attempt.outcome.error !== null) {
      await this.#noteFailure(work, attempt);
      return false;
    }
    const { id: webhook, revision } = work;
    const { delivery } = attempt;
    const hasMoved = await this.#cabinet.catalog.moveWebhook({ webhook, revision, position: event.position, delivery });
    Object.assign(work, { attempts: 0, failingSince: null });
    await this.#trim(work);
    return hasMoved;
  }

  async #noteFailure(work: WebhookWork, { delivery, outcome }: Attempt): Promise<void> {
    const { id: webhook, space, revision } = work;
    const origin = byOperator(this.#cabinet);
    const failingSince = work.failingSince ?? delivery.at;
    const disabled =
      outcome.status === 410 ? 'gone' : origin.at - failingSince >= disableAfterMs ? ('failing' as const) : null;
    const retryAt = origin.at + toRetryDelay(delivery.attempt, outcome.retryAfterMs);
    await this.#cabinet.catalog.failWebhook({
      ...{ webhook, space, revision, delivery, failingSince, retryAt, disabled },
      ...{ ...origin, by: `webhook:${webhook}` },
    });
    // The next round sets the timer.
    this.#cabinet.commits.wakeAll();
  }

  async #trim({ id, revision }: WebhookWork): Promise<void> {
    const progress = this.#progress.get(id);
    if (progress?.revision !== revision) return;
    progress.storedAt = this.#cabinet.clock.now();
    progress.sinceTrim += 1;
    if (progress.sinceTrim < trimEvery) return;
    progress.sinceTrim = 0;
    while ((await this.#cabinet.catalog.trimDeliveries({ webhook: id, keep: keptDeliveries })) > 0);
  }

  async #store({ id: webhook, position, revision }: WebhookWork, progress: Progress): Promise<void> {
    const { catalog, clock } = this.#cabinet;
    const isSoon = progress.scanned - position < storeAfterPositions && clock.now() - progress.storedAt < storeAfterMs;
    if (progress.scanned === position || isSoon) return;
    progress.storedAt = clock.now();
    await catalog.moveWebhook({ webhook, revision, position: progress.scanned, delivery: null });
  }
}
