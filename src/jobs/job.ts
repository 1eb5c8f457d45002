// What a background job is: work on one environment that no request waits for.

import type { EnvironmentName } from '../domain/environment-name.ts';
import type { Cabinet } from '../operations/cabinet.ts';

export interface JobEnvironment {
  readonly name: EnvironmentName;
  readonly cabinet: Cabinet;
  /** Runs what one node of a cluster should do at a time; null: another node is doing it. */
  runExclusive<Result>(
    /** The signal is aborted when another node may be doing it too. */
    work: (lost: AbortSignal) => Promise<Result>,
    purpose?: 'sweep' | 'webhooks',
  ): Promise<Result | null>;
}

export interface Job {
  readonly name: string;
  /** Null: it runs only when it is triggered. */
  readonly intervalMs: number | null;
  /** Whether one node of a cluster runs it at a time, and the others skip it. They run it at other times: what must happen once a
   *  day has to keep when it last did. */
  readonly isExclusive: boolean;
  /** The signal is aborted when jobs stop, or when another node may run an exclusive one too. Then it ends soon, in any way: an error
   *  is ignored, and the next run continues. */
  run(environment: JobEnvironment, signal: AbortSignal): Promise<void>;
}
