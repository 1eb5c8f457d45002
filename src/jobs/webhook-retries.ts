// When a failed delivery is tried again.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const delays = [5 * second, 30 * second, 2 * minute, 15 * minute];
/** Up to so much is added, so that receivers that failed together are not all tried at once. */
const jitter = 0.1;

/** After the failure number `attempt`; later if the receiver wants it so. */
export function toRetryDelay(attempt: number, retryAfterMs: number | null, random = Math.random()): number {
  const delay = delays[attempt - 1] ?? hour;
  return Math.max(Math.round(delay * (1 + jitter * random)), retryAfterMs ?? 0);
}
