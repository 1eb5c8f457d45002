// Ends the service again and again under the load of 64 clients: by SIGKILL at random moments, by SIGKILL at the Nth write,
// sync, rename … of its own, and by SIGTERM. What was answered must be there; after SIGTERM nothing else may be.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../interface/client.ts';
import { listIncoming, type Started } from '../service/service.ts';
import { checkStopped, type Ground, openGround, type Preload, renew, startOn } from './ground.ts';
import { Ledger, type Step } from './ledger.ts';
import { Random } from './random.ts';
import { percentile, Report } from './report.ts';
import type { CallKind } from './shim.ts';
import { Client, runLoad } from './workload.ts';

const writers = 64;
/** A data folder is begun anew after so many ends, so that what is checked stays small. */
const endsPerFolder = 20;
/** A point that the load does not come by is not waited for any longer. */
const pointMs = 10_000;
const points: CallKind[] = ['write', 'sync', 'rename', 'open', 'unlink', 'truncate'];

export interface KillOptions {
  kills: number;
  seed: number;
  preload?: Preload | null;
  /** No data folder is begun after this long: for a machine that is slow. */
  mostMs?: number;
  /** Every so many ends one is a SIGTERM, after which everything is checked. */
  termEvery?: number;
  /** An end comes when at least so much was answered since the start, however slow the machine is. */
  leastAnswered?: number;
}

type End =
  | { how: 'random'; afterMs: number }
  | { how: 'point'; kind: CallKind; nth: number; isAfter: boolean }
  | { how: 'term' };

export async function runKills(options: KillOptions): Promise<Report> {
  const { kills, seed, mostMs = Number.POSITIVE_INFINITY } = options;
  const begun = performance.now();
  const report = new Report(`kills (seed ${seed})`);
  const random = new Random(seed);
  const readyMs: number[] = [];
  for (let done = 0; done < kills && performance.now() - begun < mostMs; done += endsPerFolder) {
    const life = new Life(report, random.fork(), options);
    try {
      await life.run(done, Math.min(kills, done + endsPerFolder));
    } catch (error) {
      report.wrong(`ends ${done}…: ${error instanceof Error ? error.stack : error}`);
    } finally {
      readyMs.push(...life.readyMs);
      await life.close();
    }
  }
  report.count('ready p50 ms', percentile(readyMs, 0.5));
  report.count('ready p99 ms', percentile(readyMs, 0.99));
  return report;
}

function isRunning({ process }: Started): boolean {
  return process.exitCode === null && process.signalCode === null;
}

/** One data folder and all the ends that it sees. */
class Life {
  readonly readyMs: number[] = [];
  readonly #report: Report;
  readonly #random: Random;
  readonly #termEvery: number;
  readonly #leastAnswered: number;
  readonly #ground: Ground;
  readonly #ledger = new Ledger();
  /** Steps that were under way at a SIGTERM. */
  readonly #strict = new Set<Step>();
  #caller: Caller | null = null;
  #service: Started | null = null;

  constructor(report: Report, random: Random, { preload = null, termEvery = 5, leastAnswered = 0 }: KillOptions) {
    this.#report = report;
    this.#random = random;
    this.#termEvery = termEvery;
    this.#leastAnswered = leastAnswered;
    this.#ground = openGround({ isWatched: true, preload });
  }

  async run(from: number, to: number): Promise<void> {
    for (let index = from; index < to; index += 1) {
      const isLast = index === to - 1;
      await this.#end(
        index,
        isLast || index % this.#termEvery === this.#termEvery - 1 ? { how: 'term' } : this.#choose(),
      );
    }
    this.#report.add('steps answered', this.#ledger.count('done'));
    this.#report.add('in doubt', this.#ledger.count('doubt'));
    for (const surprise of this.#ledger.surprises) this.#report.wrong(surprise);
  }

  #choose(): End {
    const random = this.#random;
    if (this.#ground.watching === null || random.isTrue(0.4)) return { how: 'random', afterMs: random.between(5, 400) };
    const kind = random.pick(points);
    const most = kind === 'write' ? 400 : kind === 'truncate' ? 2 : 30;
    return { how: 'point', kind, nth: random.between(1, most), isAfter: random.isTrue(0.5) };
  }

  async #end(index: number, end: End): Promise<void> {
    const begun = performance.now();
    this.#ground.watching?.control.disarm();
    const service = await startOn(this.#ground);
    this.#service = service;
    this.readyMs.push(performance.now() - begun);
    this.#caller = await renew(this.#ground, service.production, this.#caller);
    const client = new Client(this.#caller, writers);
    let isOver = false;
    const { random, ledger } = { random: this.#random.fork(), ledger: this.#ledger };
    const enough = ledger.count('done') + this.#leastAnswered;
    let isLoaded = true;
    const load = runLoad({ client, ledger, random, writers, prefix: `e${index}`, isOver: () => isOver }).finally(() => {
      isLoaded = false;
    });
    while (ledger.count('done') < enough && isLoaded && isRunning(service)) await sleep(5);
    await this.#stop(service, end);
    isOver = true;
    await load;
    client.close();
    this.#report.add(
      end.how === 'term' ? 'SIGTERM' : end.how === 'random' ? 'SIGKILL at random' : 'SIGKILL at points',
      1,
    );
    if (end.how === 'term') this.#check(index, service);
  }

  async #stop(service: Started, end: End): Promise<void> {
    const { process } = service;
    const exited = isRunning(service) ? once(process, 'exit') : Promise.resolve();
    if (end.how === 'point' && this.#ground.watching !== null) {
      const action = end.isAfter ? 'killAfter' : 'killBefore';
      this.#ground.watching.control.arm({ action, nth: end.nth, kinds: [end.kind] });
      const isReached = await Promise.race([exited.then(() => true), sleep(pointMs, false, { ref: false })]);
      if (!isReached) this.#report.add('points not reached', 1);
    } else await sleep(end.how === 'random' ? end.afterMs : this.#random.between(50, 500));
    await service.stop(end.how === 'term' ? 'SIGTERM' : 'SIGKILL');
  }

  #check(index: number, service: Started): void {
    const where = `after end ${index}`;
    if (service.process.exitCode !== 0) {
      this.#report.wrong(
        `${where}: SIGTERM ended it with ${service.process.exitCode} ${service.process.signalCode}: ${service.errors()}`,
      );
    }
    for (const { name, steps } of this.#ledger.stories) {
      const last = steps.at(-1);
      if (name.startsWith(`e${index}-`) && last?.outcome === 'doubt' && !last.hasGivenUp) this.#strict.add(last);
    }
    const problems = checkStopped(this.#ground, {
      stories: this.#ledger.stories,
      isAnswered: ({ outcome }) => outcome === 'done',
      isDoubtAllowed: (step) => !this.#strict.has(step),
    });
    this.#report.tell(problems, where);
    const left = listIncoming(this.#ground.dataFolder);
    if (left.length > 0) this.#report.wrong(`${where}: ${left.length} half files are left`);
  }

  async close(): Promise<void> {
    await this.#service?.stop('SIGKILL');
    this.#ground.close();
  }
}
