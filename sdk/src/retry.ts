// Trying again: after a lost connection where repeating does no harm, and after an answer that asks to wait.

import type { Cabinet } from './connect.ts';
import { CabinetError } from './errors.ts';

export interface Attempted {
  send: () => Promise<Response>;
  /** Whether sending it twice does what sending it once does. Otherwise it is sent again only if it cannot have arrived. */
  isRepeatable: boolean;
  /** The body is left to the caller to read, if it is a success. Otherwise an answer that breaks off is a lost connection. */
  isStreamed?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;
/** Longer than this we do not sleep without the caller knowing: the error tells when to come back. */
const longestWaitSeconds = 60;

/** The first answer that does not ask to come back later, or the last one. */
export async function sendPatiently(cabinet: Cabinet, attempted: Attempted): Promise<Response> {
  const { send, isRepeatable, isStreamed = false, signal } = attempted;
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

/** How long the service, or a proxy before it, asks to wait. */
function toWaitMs({ status, headers }: Response, isRepeatable: boolean, attempt: number): number | null {
  const text = headers.get('retry-after');
  if (text !== null && /^\d+$/.test(text)) {
    const seconds = Number(text);
    const isMeant = status >= 500 || status === 403 || status === 429;
    return isMeant && seconds <= longestWaitSeconds ? Math.max(seconds * 1000, toPauseMs(attempt)) : null;
  }
  // What a proxy says when the service behind it has gone away, perhaps after it did what was asked.
  return isRepeatable && (status === 502 || status === 503 || status === 504) ? toPauseMs(attempt) : null;
}

export function toPauseMs(attempt: number): number {
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  return longest / 2 + (Math.random() * longest) / 2;
}

/** By the Fetch standard, a network error is a TypeError, and nothing but that. A mistake in our call is one too, without a
 *  cause in Node; browsers give no cause at all. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError || causeCode(error) !== undefined;
}

const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

function wasNeverSent(error: unknown): boolean {
  return neverSent.includes(causeCode(error) ?? '');
}

function causeCode(error: unknown): string | undefined {
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown };
  const told = cause?.code ?? code;
  return typeof told === 'string' ? told : undefined;
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
