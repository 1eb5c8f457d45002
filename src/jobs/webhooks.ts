// Sends the events of the journal to webhooks: to each in the journal's order, one at a time, and its position moves only when
// the receiver has taken the event. So an event may arrive twice, after a crash for instance, but never not at all. One node of a
// cluster does it at a time. Receivers that are slow or gone delay only themselves: each webhook has its own loop, and what the
// catalog stores of them locks nothing that saves need.

import { anySpace } from '../catalog/commits.ts';
import type { WebhookWork } from '../catalog/verbs/webhook-deliveries.ts';
import type { SpaceChange } from '../catalog/verbs/webhook-events.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { byOperator } from '../operations/origin.ts';
import { type Attempt, attemptDelivery, type RenderEvent } from '../operations/webhook-message.ts';
import type { Timer } from '../runtime/clock.ts';
import { Turns } from '../runtime/turns.ts';
import type { Job } from './job.ts';
import { pageChanges, WebhookJournal } from './webhook-journal.ts';
import { WebhookMessages } from './webhook-messages.ts';
import { WebhookPositions } from './webhook-positions.ts';
import { toRetryDelay } from './webhook-retries.ts';

/** How soon another node takes over. */
const claimEveryMs = 2000;
/** How soon it is noticed what was not announced in this process. */
const lookEveryMs = 1000;
/** Pause after a wake-up: one look at the journal for many saves. Longer while no webhook wants any of them. */
const restMs = { busy: 150, quiet: 400 };
/** A position that moves without an event, because none matched, is stored so rarely. */
const storeAfterPositions = 5000;
const storeAfterMs = 10 * 60 * 1000;
const disableAfterMs = 3 * 24 * 60 * 60 * 1000;
const keptDeliveries = 10_000;
const trimEvery = 500;

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
  readonly #messages: WebhookMessages;
  readonly #positions: WebhookPositions;
  readonly #turns = new Turns();
  #retry: Timer | null = null;

  constructor(cabinet: Cabinet, options: WebhooksOptions) {
    this.#cabinet = cabinet;
    this.#journal = new WebhookJournal(cabinet.catalog);
    this.#messages = new WebhookMessages(cabinet, options.render);
    this.#positions = new WebhookPositions(cabinet.catalog);
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
        const isBusy = await this.#round(signal).catch((error) => this.#report(error, signal));
        await commits.wait(anySpace, seen, lookEveryMs, isBusy === true ? restMs.busy : restMs.quiet);
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

  /** Whether a webhook has begun to send. */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { catalog, clock, commits } = this.#cabinet;
    const works = await catalog.listWebhookWork({});
    const known = new Set(works.map(({ id }) => id));
    for (const id of this.#progress.keys()) if (!known.has(id)) this.#progress.delete(id);
    this.#journal.begin(works);
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    let isBusy = false;
    for (const work of works) {
      if (signal.aborted) return false;
      if (this.#running.has(work.id)) this.#skipped.add(work.id);
      else if (work.retryAt !== null && work.retryAt > now) next = Math.min(next, work.retryAt);
      else if (await this.#isDue(work)) {
        this.#start(work, signal);
        isBusy = true;
      }
    }
    this.#retry?.cancel();
    this.#retry = next < now + disableAfterMs ? clock.after(next - now, () => commits.wakeAll()) : null;
    return isBusy;
  }

  /** Most webhooks watch a folder in which nothing has changed: they need no loop of their own. */
  async #isDue(work: WebhookWork): Promise<boolean> {
    const progress = this.#progressOf(work);
    const page = await this.#journal.read(work.space, progress.scanned);
    if (page.changes.length === pageChanges || (await this.#journal.isConcerned(work, page))) return true;
    progress.scanned = Math.max(progress.scanned, page.upTo);
    return this.#isStoreDue(work, progress);
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
      const changes = await this.#journal.select(work, page);
      if (changes.length > 0 && !(await this.#sendAll(work, changes, { progress, signal }))) return;
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

  /** Whether the receiver took all of them and more may follow. */
  async #sendAll(
    work: WebhookWork,
    changes: readonly SpaceChange[],
    { progress, signal }: { progress: Progress; signal: AbortSignal },
  ): Promise<boolean> {
    const { id: webhook, revision } = work;
    for (const change of changes) {
      signal.throwIfAborted();
      await this.#turns.take();
      const attempt = await this.#attempt(work, change, signal);
      signal.throwIfAborted();
      if (attempt.outcome.error !== null) {
        await this.#noteFailure(work, attempt);
        return false;
      }
      // The next event follows when this is stored: so a crash repeats one at most.
      const { position } = change;
      const deliveries = [attempt.delivery];
      if (!(await this.#positions.store({ webhook, revision, position, deliveries }))) return false;
      progress.scanned = position;
      Object.assign(work, { attempts: 0, failingSince: null });
      await this.#trim(work, progress);
    }
    return true;
  }

  async #attempt(work: WebhookWork, change: SpaceChange, signal: AbortSignal): Promise<Attempt> {
    const message = await this.#messages.find(work, change);
    return await attemptDelivery(this.#cabinet, work, { message, attempt: work.attempts + 1 }, signal);
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

  async #trim({ id }: WebhookWork, progress: Progress): Promise<void> {
    progress.storedAt = this.#cabinet.clock.now();
    progress.sinceTrim += 1;
    if (progress.sinceTrim < trimEvery) return;
    progress.sinceTrim = 0;
    while ((await this.#cabinet.catalog.trimDeliveries({ webhook: id, keep: keptDeliveries })) > 0);
  }

  #isStoreDue({ position }: WebhookWork, { scanned, storedAt }: Progress): boolean {
    if (scanned === position) return false;
    return scanned - position >= storeAfterPositions || this.#cabinet.clock.now() - storedAt >= storeAfterMs;
  }

  async #store(work: WebhookWork, progress: Progress): Promise<void> {
    if (!this.#isStoreDue(work, progress)) return;
    progress.storedAt = this.#cabinet.clock.now();
    const { id: webhook, revision } = work;
    await this.#positions.store({ webhook, revision, position: progress.scanned, deliveries: [] });
  }
}
