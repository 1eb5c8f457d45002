// The metrics of one environment: counters of its requests, saves, batches and blobs, and gauges that are read from its parts when
// metrics are scraped.

import { type Clock, systemClock } from '../runtime/clock.ts';
import type { Counter, Histogram, Reading } from './metrics.ts';
import { Registry } from './metrics.ts';
import { RequestMetrics } from './request-metrics.ts';

const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const blobBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Values that cost something are polled at most this often. */
const pollEveryMs = 10_000;
/** A scrape does not wait longer for them. */
const patienceMs = 1000;

export interface PoolReading {
  total: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

/** The state of the search index and the journal, which costs a query each. */
interface PolledState {
  search: { documents: number; behind: number; waiting: number; skipped: number };
  journalPosition: number;
}

/** What gauges read from an environment. */
export interface Parts {
  /** Null: contents are not on a local disk. */
  freeBytes(): number | null;
  /** Null: there is no connection pool. */
  pool(): PoolReading | null;
  isReady(): boolean;
  isReadyToWrite(): boolean;
  largeBodies(): number;
  bodyMemory(): number;
  archives(): number;
  poll(): Promise<PolledState>;
}

export class EnvironmentMetrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  readonly saves: { inline: Counter; blob: Counter };
  readonly savedBytes: { inline: Counter; blob: Counter };
  readonly blobPuts: { stored: Counter; failed: Counter };
  readonly blobPutSeconds: Histogram;
  readonly blobPutBytes: Counter;
  readonly blobOpens: Counter;
  readonly blobOpenBytes: Counter;
  putsUnderWay = 0;
  readonly #batchItems: Histogram;
  readonly #commitSeconds: Histogram;
  readonly #sweeps: { done: Counter; failed: Counter };
  #sweptAt: number | null = null;
  #scrub: { at: number | null; problems: number | null } = { at: null, problems: null };
  #parts: Parts | null = null;
  #uploads: { readonly usedBytes: number } | null = null;
  #polled: PolledState | null = null;
  #polledAt = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;

  constructor(environment: string, clock = systemClock) {
    this.#clock = clock;
    this.registry = new Registry({ environment });
    const { registry } = this;
    this.requests = new RequestMetrics(registry);
    const saves = registry.counters('cabinet_saves_total', 'Contents that were saved, by where they are kept');
    this.saves = { inline: saves({ kind: 'inline' }), blob: saves({ kind: 'blob' }) };
    const bytes = registry.counters('cabinet_saved_bytes_total', 'Bytes of contents that were saved');
    this.savedBytes = { inline: bytes({ kind: 'inline' }), blob: bytes({ kind: 'blob' }) };
    this.#batchItems = registry.histogram(
      'cabinet_catalog_batch_writes',
      'Writes in one commit, of one thread',
      batchBounds,
    );
    this.#commitSeconds = registry.histogram(
      'cabinet_catalog_batch_seconds',
      'A commit, from the first of its writes until it is durable',
      commitBounds,
    );
    const puts = registry.counters('cabinet_blob_puts_total', 'Large contents that were written');
    this.blobPuts = { stored: puts({ outcome: 'stored' }), failed: puts({ outcome: 'failed' }) };
    this.blobPutSeconds = registry.histogram('cabinet_blob_put_seconds', 'Writing a large content', blobBounds);
    this.blobPutBytes = registry.counter('cabinet_blob_put_bytes_total', 'Bytes that were given to the blob store');
    this.blobOpens = registry.counter('cabinet_blob_opens_total', 'Large contents that were read, whole or in part');
    this.blobOpenBytes = registry.counter('cabinet_blob_open_bytes_total', 'Bytes that were read from the blob store');
    registry.read('gauge', 'cabinet_blob_puts_in_progress', 'Large contents that arrive', () => this.putsUnderWay);
    const sweeps = registry.counters('cabinet_sweeps_total', 'Runs of the sweeper on this node');
    this.#sweeps = { done: sweeps({ outcome: 'done' }), failed: sweeps({ outcome: 'failed' }) };
    registry.read('gauge', 'cabinet_sweep_last_timestamp_seconds', 'When this node last swept', () => this.#sweptAt);
    registry.read('gauge', 'cabinet_scrub_last_timestamp_seconds', 'When all was verified last', () => this.#scrub.at);
    registry.read('gauge', 'cabinet_scrub_problems', 'What was found damaged then', () => this.#scrub.problems);
    registry.read('gauge', 'cabinet_upload_memory_bytes', 'Gathered and not yet written', () =>
      this.#uploads === null ? null : this.#uploads.usedBytes,
    );
    this.#readParts();
  }

  /** The memory that uploads of this thread hold. */
  watchUploads(uploads: { readonly usedBytes: number }): void {
    this.#uploads = uploads;
  }

  #readParts(): void {
    const gauge = (name: string, help: string, read: (parts: Parts) => Reading) =>
      this.registry.read('gauge', name, help, () => (this.#parts === null ? null : read(this.#parts)));
    gauge('cabinet_ready', 'Whether requests are answered', (parts) => (parts.isReady() ? 1 : 0));
    gauge('cabinet_ready_to_write', 'Whether saves are accepted', (parts) => (parts.isReadyToWrite() ? 1 : 0));
    gauge('cabinet_disk_free_bytes', 'Free where contents are kept', (parts) => parts.freeBytes());
    gauge('cabinet_large_bodies_in_progress', 'Large JSON bodies being read', (parts) => parts.largeBodies());
    gauge('cabinet_body_memory_bytes', 'Held for bodies that are read as a whole', (parts) => parts.bodyMemory());
    gauge('cabinet_archives_in_progress', 'Archives being sent', (parts) => parts.archives());
    gauge('cabinet_postgres_connections', 'Connections to PostgreSQL, by state', (parts) =>
      toPoolSamples(parts.pool()),
    );
    gauge('cabinet_postgres_waiting', 'Who waits for a connection', (parts) => parts.pool()?.waiting ?? null);
    const polled = (name: string, help: string, read: (state: PolledState) => number) =>
      gauge(name, help, () => (this.#polled === null ? null : read(this.#polled)));
    polled('cabinet_journal_position', 'The place of the last change', ({ journalPosition }) => journalPosition);
    polled('cabinet_search_documents', 'Entries in the search index', ({ search }) => search.documents);
    polled('cabinet_search_behind', 'Changes that the index has not seen', ({ search }) => search.behind);
    polled('cabinet_search_waiting', 'Documents whose text is not read yet', ({ search }) => search.waiting);
    polled('cabinet_search_skipped', 'Documents whose text cannot be read', ({ search }) => search.skipped);
  }

  /** The environment was opened. */
  open(parts: Parts): void {
    this.#parts = parts;
    this.#polledAt = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.#parts = null;
    this.#uploads = null;
    this.#polled = null;
  }

  countBatch(writes: number, seconds: number): void {
    this.#batchItems.observe(writes);
    this.#commitSeconds.observe(seconds);
  }

  countSweep(isDone: boolean, at: number): void {
    if (isDone) this.#sweptAt = at / 1000;
    (isDone ? this.#sweeps.done : this.#sweeps.failed).add();
  }

  /** The last time that everything was verified. */
  setScrub(at: number, problems: number): void {
    this.#scrub = { at: at / 1000, problems };
  }

  /** Where a poll takes too long, the last values are used. */
  async render(): Promise<string> {
    await this.#pollParts();
    return this.registry.render();
  }

  async #pollParts(): Promise<void> {
    const parts = this.#parts;
    if (parts === null || this.#clock.monotonic() - this.#polledAt < pollEveryMs) return;
    this.#polledAt = this.#clock.monotonic();
    const polling = parts.poll().then(
      (state) => {
        if (this.#parts === parts) this.#polled = state;
      },
      () => undefined,
    );
    await Promise.race([polling, new Promise<void>((resolve) => this.#clock.after(patienceMs, resolve))]);
  }
}

function toPoolSamples(pool: PoolReading | null): Reading {
  if (pool === null) return null;
  const { total, idle } = pool;
  const states = { used: total - idle, idle };
  return Object.entries(states).map(([state, value]) => ({ labels: { state }, value }));
}
