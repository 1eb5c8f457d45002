// The job of the load generator and its result: one JSON document each way, over standard input and output. Times are
// milliseconds unless the name says otherwise.

/** Of a save, unless a job says otherwise. */
export const bodySizeBytes = 4096;

/** What a correct answer looks like: one status, a status and so many bytes, or a 200 with an envelope whose first child is the
 *  saved file. */
export type Expectation =
  | { kind: 'status'; status: number }
  | { kind: 'content'; status: number; sizeBytes: number }
  | { kind: 'saved'; childrenCount: number | null };

export type Job = {
  port: number;
  /** POST unless said. */
  method?: 'POST' | 'PUT' | 'GET';
  /** `{name}` in it, or else the header FileName, is the name of the file. */
  path: string;
  /** Of a GET: read in turns, instead of `path`. */
  paths?: readonly string[];
  headers: Record<string, string>;
  bodyBytes?: number;
  /** Every save has the same bytes; otherwise no two have. */
  isBodyRepeated?: boolean;
  /** Goes into every file name; no two jobs share one, so every save is of a new file. */
  label: string;
  areNamesOrdered: boolean;
  /** So many names take turns: from the second round on, saves are new versions. */
  distinctNames?: number;
  connections: number;
  expect: Expectation;
  /** Either a time (after a warm-up whose requests are answered and checked but not counted) or a number of requests. */
  limit: { seconds: number; warmupSeconds: number } | { requests: number };
  /** The server's processes, whose CPU time, memory and writing are read at the edges of the measured time. */
  serverPids: readonly number[];
};

export type Measurement = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  serverCpuMicros: number | null;
  serverPeakRssBytes: number | null;
  /** Given to the disk, as the kernel counts it. */
  serverDiskBytes: number | null;
  generatorCpuMicros: number;
  /** What the rest of the machine used of its cores meanwhile, 0 to 1. Above a few hundredths the timings are not worth much. */
  neighboursShare: number | null;
};

/** `answered` counts every checked answer, the warm-up's too; `failure` says what was got instead of the right answer. */
export type JobResult = { answered: number; measured: Measurement | null; failure: string | null };
