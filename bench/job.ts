// What the benchmark asks of the load generator and what it gets back: one JSON document each way, over standard input
// and output. Times are milliseconds unless the name says otherwise.

export const bodySizeBytes = 4096;

/** What a correct answer looks like: any 200, or an envelope whose first child is the saved file. */
export type Expectation = { kind: 'any' } | { kind: 'saved'; childrenCount: number | null };

export type Job = {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** Goes into every file name; no two jobs share one, so every save is of a new file. */
  label: string;
  areNamesOrdered: boolean;
  connections: number;
  expect: Expectation;
  /** Either a time (after a warm-up whose requests are answered and checked but not counted) or a number of requests. */
  limit: { seconds: number; warmupSeconds: number } | { requests: number };
  /** The server's process, whose CPU time and memory are read at the edges of the measured time. */
  serverPid: number;
};

export type Measurement = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  serverCpuMicros: number | null;
  serverPeakRssBytes: number | null;
  generatorCpuMicros: number;
  /** What the rest of the machine used of its cores meanwhile, 0 to 1. Above a few hundredths the timings are not worth much. */
  neighboursShare: number | null;
};

/** `answered` counts every checked answer, the warm-up's too; `failure` says what was got instead of the right answer. */
export type JobResult = { answered: number; measured: Measurement | null; failure: string | null };
