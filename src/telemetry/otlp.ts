// Sends spans to a collector: OTLP over HTTP in JSON (opentelemetry.io/docs/specs/otlp), one batch at a time. The queue is
// bounded: while the collector is slow or unreachable, spans are dropped and counted, and no request ever waits.

import { type Clock, systemClock, type Timer } from '../runtime/clock.ts';
import type { Attributes, EndedSpan, SpanSink } from './tracer.ts';

const maxQueued = 4096;
const maxBatch = 512;
const sendEveryMs = 1000;
const sendTimeoutMs = 5000;
const longestRestMs = 60_000;
/** "Retryable response codes" of the specification. */
const retryable = new Set([429, 502, 503, 504]);

interface OtlpOptions {
  /** The collector's address; `/v1/traces` is added. */
  endpoint: string;
  /** Attributes of all spans: `service.name` and others. */
  resource: Attributes;
  /** How long closing waits for the remaining spans to be sent. */
  lastSendMs: number;
  /** Called once for each outage. */
  onOutage(error: unknown): void;
  clock?: Clock;
}

export class OtlpExporter implements SpanSink {
  sent = 0;
  dropped = 0;
  readonly #url: string;
  readonly #headers: Record<string, string> = { 'Content-Type': 'application/json' };
  readonly #options: OtlpOptions;
  readonly #clock: Clock;
  readonly #timer: Timer;
  #queue: EndedSpan[] = [];
  #sending: Promise<void> | null = null;
  #failures = 0;
  #restUntil = 0;

  constructor(options: OtlpOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const url = new URL(options.endpoint);
    if (url.username !== '') {
      const pair = [url.username, url.password].map(decodeURIComponent).join(':');
      this.#headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    }
    this.#url = `${url.origin}${url.pathname.replace(/\/+$/, '')}/v1/traces`;
    this.#timer = this.#clock.every(sendEveryMs, () => this.#send());
  }

  get waiting(): number {
    return this.#queue.length;
  }

  take(span: EndedSpan): void {
    if (this.#queue.length >= maxQueued) {
      this.dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length === maxBatch) this.#send();
  }

  #send(): void {
    if (this.#queue.length === 0 || this.#clock.monotonic() < this.#restUntil) return;
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = null;
      // More may have arrived meanwhile.
      if (this.#queue.length >= maxBatch) this.#send();
    });
  }

  async #sendBatch(timeoutMs = sendTimeoutMs): Promise<void> {
    const batch = this.#queue.splice(0, maxBatch);
    try {
      const isKept = await this.#post(batch, timeoutMs);
      if (isKept) this.sent += batch.length;
      else this.dropped += batch.length;
      this.#failures = 0;
    } catch (error) {
      this.#putBack(batch);
      this.#rest(error);
    }
  }

  /** False: the collector will never accept it. Rejects if a retry may succeed. */
  async #post(batch: readonly EndedSpan[], timeoutMs: number): Promise<boolean> {
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: renderSpans(this.#options.resource, batch),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel();
    if (retryable.has(answer.status)) throw new Error(`the collector answers ${answer.status}`);
    if (!answer.ok && this.#failures === 0) this.#options.onOutage(new Error(`the collector answers ${answer.status}`));
    return answer.ok;
  }

  #putBack(batch: EndedSpan[]): void {
    const room = maxQueued - this.#queue.length;
    this.dropped += Math.max(0, batch.length - room);
    this.#queue = [...batch.slice(0, room), ...this.#queue];
  }

  #rest(error: unknown): void {
    if (this.#failures === 0) this.#options.onOutage(error);
    this.#failures += 1;
    this.#restUntil = this.#clock.monotonic() + Math.min(longestRestMs, sendEveryMs * 2 ** this.#failures);
  }

  /** Sends the remaining spans within the time limit, as long as the collector accepts them. */
  async close(): Promise<void> {
    this.#timer.cancel();
    const { lastSendMs } = this.#options;
    const deadline = this.#clock.monotonic() + lastSendMs;
    await Promise.race([this.#sending, new Promise<void>((resolve) => this.#clock.after(lastSendMs, resolve))]);
    const known = this.#failures;
    while (this.#queue.length > 0 && this.#failures <= known) {
      const left = Math.ceil(deadline - this.#clock.monotonic());
      if (left <= 0) return;
      await this.#sendBatch(left);
    }
  }
}

const scope = { name: 'cabinet' };
const statusError = 2;

function renderSpans(resource: Attributes, spans: readonly EndedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes: toAttributes(resource) }, scopeSpans: [{ scope, spans: spans.map(toSpan) }] },
    ],
  });
}

function toSpan({ startMs, endMs, attributes, isFailed, parentSpanId, ...rest }: EndedSpan): object {
  return {
    ...rest,
    ...(parentSpanId !== null && { parentSpanId }),
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(endMs),
    attributes: toAttributes(attributes),
    ...(isFailed && { status: { code: statusError } }),
  };
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
}

/** More digits than a number has. */
function toNanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}
