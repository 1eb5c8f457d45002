// Whether response times distinguish two kinds of requests: medians, and a rank test of Mann and Whitney.

export interface Compared {
  medianMs: [number, number];
  /** By how much of the smaller one the medians differ. */
  difference: number;
  /** The chance of ranks as uneven as these, were the two alike. */
  p: number;
}

export type Ask = () => Promise<unknown>;

/** One after the other, in random order, so that what else the machine does falls on both alike. */
export async function compareTimes(asks: [Ask, Ask], times: number): Promise<Compared> {
  const order = shuffle([...Array(times).fill(0), ...Array(times).fill(1)] as (0 | 1)[]);
  const tookMs: [number[], number[]] = [[], []];
  for (const which of order) {
    const begin = performance.now();
    await asks[which]();
    tookMs[which].push(performance.now() - begin);
  }
  return compare(...tookMs);
}

export function compare(one: number[], other: number[]): Compared {
  const medianMs: [number, number] = [median(one), median(other)];
  const difference = Math.max(...medianMs) / Math.min(...medianMs) - 1;
  return { medianMs, difference, p: rankTest(one, other) };
}

/** With as many as these, the sum of ranks is normally distributed. */
function rankTest(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))];
  all.sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (const [index, { isOne }] of all.entries()) if (isOne) rankSum += index + 1;
  const [n, m] = [one.length, other.length];
  const u = rankSum - (n * (n + 1)) / 2;
  const z = Math.abs(u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return 2 * upperTail(z);
}

/** P(Z > z) of the normal distribution; Abramowitz and Stegun 26.2.17, good to 7 decimals. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce(
    (sum, c) => (sum + c) * t,
    0,
  );
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function shuffle<T>(values: T[]): T[] {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const at = Math.floor(Math.random() * (last + 1));
    [values[last], values[at]] = [values[at] as T, values[last] as T];
  }
  return values;
}
