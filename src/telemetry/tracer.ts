// Spans: what a request did and how long each part took. The span of a request is started here; its parts find it through
// `AsyncLocalStorage`. A request whose trace is not recorded costs one comparison.
// Spans contain routes, verbs, sizes and statuses; never ids of entries, names, actors or anything that a client sent.

import { AsyncLocalStorage } from 'node:async_hooks';
import { newSpanId, newTraceId, readTraceParent } from './traceparent.ts';

/** The numbers of OTLP (opentelemetry-proto, trace.proto). */
const spanKinds = { internal: 1, server: 2 } as const;

export type Attributes = Record<string, string | number>;

export interface EndedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: number;
  /** Since 1970. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  isFailed: boolean;
}

export interface SpanSink {
  /** Never waits and never throws. */
  take(span: EndedSpan): void;
}

export class Span {
  readonly traceId: string;
  readonly spanId = newSpanId();
  readonly attributes: Attributes = {};
  name: string;
  isFailed = false;
  readonly #sink: SpanSink;
  readonly #parentSpanId: string | null;
  readonly #kind: number;
  readonly #startMs = performance.timeOrigin + performance.now();

  constructor(sink: SpanSink, name: string, { traceId, parentSpanId, kind }: SpanPlace) {
    this.#sink = sink;
    this.name = name;
    this.traceId = traceId;
    this.#parentSpanId = parentSpanId;
    this.#kind = kind;
  }

  end(): void {
    this.#sink.take({
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: this.#parentSpanId,
      name: this.name,
      kind: this.#kind,
      startMs: this.#startMs,
      endMs: performance.timeOrigin + performance.now(),
      attributes: this.attributes,
      isFailed: this.isFailed,
    });
  }
}

interface SpanPlace {
  traceId: string;
  parentSpanId: string | null;
  kind: number;
}

export class Tracer {
  readonly #sink: SpanSink;
  readonly #share: number;
  readonly #current = new AsyncLocalStorage<Span>();

  /** `share`: of the traces that start here, the part that is recorded (0 to 1). With a `traceparent` the client decides. */
  constructor(sink: SpanSink, share: number) {
    this.#sink = sink;
    this.#share = share;
  }

  /** The span of a request; null: its trace is not recorded. */
  begin(traceparent: string | undefined, name: string): Span | null {
    const parent = readTraceParent(traceparent);
    if (parent !== null) {
      const { traceId, spanId, isSampled } = parent;
      return isSampled ? new Span(this.#sink, name, { traceId, parentSpanId: spanId, kind: spanKinds.server }) : null;
    }
    if (Math.random() >= this.#share) return null;
    return new Span(this.#sink, name, { traceId: newTraceId(), parentSpanId: null, kind: spanKinds.server });
  }

  /** Runs work as part of a span. */
  within<Result>(span: Span, work: () => Result): Result {
    return this.#current.run(span, work);
  }

  /** A child of the current span; null where nothing is recorded. */
  part(name: string): Span | null {
    const current = this.#current.getStore();
    if (current === undefined) return null;
    const { traceId, spanId: parentSpanId } = current;
    return new Span(this.#sink, name, { traceId, parentSpanId, kind: spanKinds.internal });
  }
}
