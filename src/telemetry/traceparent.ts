// The header `traceparent` (W3C Trace Context, w3.org/TR/trace-context, section 3.2): which trace a request belongs to, its
// parent span, and whether the trace is recorded.

import { randomFillSync } from 'node:crypto';

interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  isSampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing = /^0+$/;

/** Null when it is missing or malformed: then the trace starts here. */
export function readTraceParent(header: string | undefined): TraceParent | null {
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = form.exec(header ?? '') ?? [];
  if (traceId === '' || version === 'ff' || nothing.test(traceId) || nothing.test(spanId)) return null;
  // "Future versions may be longer"; the first is not.
  if (version === '00' && rest !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const traceIdBytes = 16;
const spanIdBytes = 8;
/** Random bytes are fetched for many ids at a time. */
const pool = Buffer.alloc(4096);
let used = pool.length;

export function newTraceId(): string {
  return takeRandom(traceIdBytes);
}

export function newSpanId(): string {
  return takeRandom(spanIdBytes);
}

function takeRandom(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}
