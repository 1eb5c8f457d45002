// Retries: after a lost connection if the request is repeatable, and after an answer with Retry-After.

import type { Cabinet } from './connect.ts';
import { CabinetError } from './errors.ts';

export interface Attempt {
  send: () => Promise<Response>;
  /** Sending it twice has the same effect as sending it once. Otherwise it is sent again only if it cannot have arrived. */
  isRepeatable: boolean;
  /** The caller reads the body of a success. Otherwise a truncated answer counts as a lost connection. */
  isStreamed?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

const firstPauseMs = 200;
const maxPauseMs = 10_000;
/** A longer wait is the caller's decision: the error has `retryAfter`. */
const maxWaitSeconds = 60;

/** The first answer that does not call for a retry, or the last one. */
export async function sendWithRetries(cabinet: Cabinet, attempt: Attempt): Promise<Response> {
  const { send, isRepeatable, isStreamed = false, signal } = attempt;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= cabinet.retries;
    try {
      const answer = await send();
      const response = isStreamed && answer.ok ? answer : await readWhole(answer);
      const waitMs = isLast ? null : toWaitMs(response, isRepeatable, attempt);
      if (waitMs === null) return response;
      await pause(waitMs, signal);
    } catch (error) {
      if (signal?.aborted === true || !isConnectionLost(error)) throw error;
      if (isLast || !(isRepeatable || wasNeverSent(error))) throw toUnreachable(cabinet, error);
      await pause(toPauseMs(attempt), signal);
    }
  }
}

async function readWhole(response: Response): Promise<Response> {
  const { status, headers } = response;
  const bytes = await response.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
}

/** How long to wait before the next attempt; null if the answer is final. */
function toWaitMs({ status, headers }: Response, isRepeatable: boolean, attempt: number): number | null {
  const text = headers.get('retry-after');
  if (text !== null && /^\d+$/.test(text)) {
    const seconds = Number(text);
    const isMeant = status >= 500 || status === 403 || status === 429;
    return isMeant && seconds <= maxWaitSeconds ? Math.max(seconds * 1000, toPauseMs(attempt)) : null;
  }
  // What a proxy says when the service behind it has gone away, perhaps after it carried out the request.
  return isRepeatable && (status === 502 || status === 503 || status === 504) ? toPauseMs(attempt) : null;
}

export function toPauseMs(attempt: number): number {
  const longest = Math.min(maxPauseMs, firstPauseMs * 2 ** attempt);
  return longest / 2 + (Math.random() * longest) / 2;
}

/** The Fetch standard reports a network error as a plain TypeError, as it does an invalid call. Browsers give no cause that would
 *  distinguish them. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError || causeCode(error) !== undefined;
}

const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

function wasNeverSent(error: unknown): boolean {
  return neverSent.includes(causeCode(error) ?? '');
}

function causeCode(error: unknown): string | undefined {
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown };
  const value = cause?.code ?? code;
  return typeof value === 'string' ? value : undefined;
}

export function toUnreachable(cabinet: Cabinet, cause: unknown): CabinetError {
  const why = causeCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
  return new CabinetError('Unreachable', `Cabinet at ${cabinet.url} did not answer: ${why}.`, { cause });
}

/** Sleeps, unless the signal ends it. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
