// The scrub: every so often, slowly and in the background, everything is read and verified as by `cabinet verify`. What is found
// goes to the log and into the metrics. When it was done last stands in the catalog; one that a restart has cut begins anew.

import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { type VerifyReport, verifyEnvironment } from '../maintenance/maintenance.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import type { Environment } from '../server/environment.ts';
import { folderOf } from '../server/storage.ts';
import type { EnvironmentMetrics } from '../telemetry/environment-metrics.ts';

const dayMs = 24 * 60 * 60 * 1000;
const mostLogged = 100;
const setting = 'scrub';

interface Done {
  at: number;
  problems: number;
}

export class Scrubber {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #running = new Map<EnvironmentName, Promise<void>>();
  #ending = new AbortController();

  constructor(config: Config, log: Logger, clock = systemClock) {
    this.#config = config;
    this.#log = log;
    this.#clock = clock;
  }

  /** Begins one if it is time for it. */
  async look(environment: Environment, metrics: EnvironmentMetrics): Promise<void> {
    const { name } = environment;
    const { scrub, catalog } = this.#config;
    // PostgreSQL and S3 look after their own.
    if (scrub === null || catalog.kind !== 'sqlite' || this.#running.has(name)) return;
    const running = this.#run(environment, metrics, scrub)
      .catch((error) => {
        if (!this.#ending.signal.aborted) this.#log.error({ environment: name, err: error }, 'scrubbing failed');
      })
      .finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    await running;
  }

  async #run(
    { name, cabinet }: Environment,
    metrics: EnvironmentMetrics,
    { days, bytesPerSecond }: { days: number; bytesPerSecond: number },
  ): Promise<void> {
    const text = await cabinet.catalog.findSetting({ name: setting });
    const last = text === null ? null : (JSON.parse(text) as Done);
    if (last !== null) metrics.setScrub(last.at, last.problems);
    const since = last?.at ?? statSync(folderOf(this.#config, name)).birthtimeMs;
    if (this.#clock.now() - since < days * dayMs) return;
    const watched = { progress: () => undefined, signal: this.#ending.signal };
    const report = await verifyEnvironment({ places: this.#config, name, watched }, bytesPerSecond);
    this.#tell(name, report);
    const done: Done = { at: this.#clock.now(), problems: report.problemCount };
    metrics.setScrub(done.at, done.problems);
    await cabinet.catalog.setSetting({ name: setting, value: JSON.stringify(done) });
  }

  #tell(name: EnvironmentName, { problems, problemCount, bytes, entries }: VerifyReport): void {
    for (const { what, problem, hurt } of problems.slice(0, mostLogged)) {
      this.#log.error({ environment: name, what, problem, hurt }, 'damage was found');
    }
    this.#log.info({ environment: name, entries, bytes, problems: problemCount }, 'everything was verified');
  }

  /** What is under way is broken off. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#running.values());
    this.#ending = new AbortController();
  }
}
