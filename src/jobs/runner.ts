// Runs the background jobs of one environment, at intervals or when they are triggered. A job never runs twice at the same time.
// Exclusive jobs take turns, because they share one lock of the cluster and the connection that holds it.

import type { Clock, Timer } from '../runtime/clock.ts';
import type { Job, JobEnvironment } from './job.ts';

interface JobRunnerOptions {
  clock: Clock;
  onError(error: unknown, job: Job): void;
}

interface State {
  readonly job: Job;
  running: Promise<void> | null;
  /** Whether it was triggered while it ran, too late to be noticed by that run. */
  isTriggered: boolean;
}

export class JobRunner {
  readonly #environment: JobEnvironment;
  readonly #options: JobRunnerOptions;
  readonly #states = new Map<string, State>();
  readonly #timers: Timer[] = [];
  readonly #stopping = new AbortController();
  /** The last of the jobs that take turns. */
  #turn: Promise<void> = Promise.resolve();

  constructor(environment: JobEnvironment, options: JobRunnerOptions) {
    this.#environment = environment;
    this.#options = options;
  }

  /** Runs jobs with an interval now and then at each interval; the others wait for `trigger`. */
  start(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const state: State = { job, running: null, isTriggered: false };
      this.#states.set(job.name, state);
      if (job.intervalMs === null || this.#isStopped) continue;
      this.#timers.push(this.#options.clock.every(job.intervalMs, () => this.#run(state)));
      this.#run(state);
    }
  }

  /** Runs a job now, or once more if it is running: what it has already passed may have changed. */
  trigger(name: string): void {
    const state = this.#states.get(name);
    if (state === undefined) throw new Error(`there is no job ${name}`);
    if (state.running !== null) state.isTriggered = true;
    else this.#run(state);
  }

  /** Resolves when no job is running. From then on none will. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer.cancel();
    this.#stopping.abort();
    await Promise.all([...this.#states.values()].map(({ running }) => running));
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #run(state: State): void {
    if (state.running !== null || this.#isStopped) return;
    state.isTriggered = false;
    const { isExclusive } = state.job;
    const running = isExclusive ? this.#turn.then(() => this.#runGuarded(state)) : this.#runGuarded(state);
    if (isExclusive) this.#turn = running;
    state.running = running.then(() => {
      state.running = null;
      if (state.isTriggered) this.#run(state);
    });
  }

  async #runGuarded({ job }: State): Promise<void> {
    if (this.#isStopped) return;
    let signal = this.#stopping.signal;
    const runExclusively = (lost: AbortSignal) => {
      signal = AbortSignal.any([signal, lost]);
      return job.run(this.#environment, signal);
    };
    try {
      await (job.isExclusive ? this.#environment.runExclusive(runExclusively) : job.run(this.#environment, signal));
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error, job);
    }
  }
}
