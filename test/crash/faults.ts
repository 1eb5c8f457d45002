// The Nth call fails: for every N of a scripted run of all kinds of saves, of a start and of a stop, with each error that a
// disk or a system can give, and with short writes. Nothing may be answered that is not kept, a failed sync is never tried
// again and ends the process with 70, and after the next start everything answered is there.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../interface/client.ts';
import { listIncoming, type Started } from '../service/service.ts';
import { checkStopped, type Ground, openGround, type Preload, renew, startOn } from './ground.ts';
import { Ledger, type Step } from './ledger.ts';
import { Random } from './random.ts';
import { percentile, Report } from './report.ts';
import { runScript } from './script.ts';
import { type Arming, allKinds, type CallKind, type Fired } from './shim.ts';
import { Client, take } from './workload.ts';

/** It ends within a second; a busy machine gets ten. */
const endMs = 10_000;
const endCode = 70;
const startFailedCode = 1;
/** What is checked whole stays small. */
const roundsPerFolder = 40;

type Fault = Omit<Arming, 'nth'> & {
  /** How many calls there are at its place. */
  calls?: number;
};
type Phase = 'work' | 'start' | 'stop';

const faults: Record<string, Fault> = {
  EIO: { action: 'fail', error: 'EIO' },
  ENOSPC: { action: 'fail', error: 'ENOSPC', kinds: ['open', 'write', 'sync', 'truncate', 'rename', 'mkdir'] },
  EMFILE: { action: 'fail', error: 'EMFILE', kinds: ['open'] },
  EROFS: { action: 'fail', error: 'EROFS', kinds: ['open', 'write', 'truncate', 'rename', 'unlink', 'mkdir'] },
  'short write': { action: 'shorten', kinds: ['write'] },
  'short write, then full': { action: 'shortenThenFail', error: 'ENOSPC', kinds: ['write'] },
  'EIO at a sync': { action: 'fail', error: 'EIO', kinds: ['sync'] },
};

/** Only what happens to blobs: fewer, for finding what is known to be wrong there. */
const ofBlobs: Record<string, Fault> = {
  'blob writes': {
    action: 'shortenThenFail',
    error: 'ENOSPC',
    kinds: ['write'],
    place: 'production/incoming/',
    calls: 3,
  },
  'blob syncs': { action: 'fail', error: 'EIO', kinds: ['sync'], place: 'production/incoming/', calls: 3 },
};
const known = { ...faults, ...ofBlobs };

export interface FaultsOptions {
  seed: number;
  /** How many of all the calls are failed, evenly spread; null: every one. */
  size: number | null;
  preload?: Preload | null;
  /** Only these faults, in this phase. */
  only?: { faults: readonly string[]; phases: readonly Phase[] };
}

interface Trial {
  name: string;
  phase: Phase;
  nth: number;
}

export async function runFaults({ seed, size, preload = null, only }: FaultsOptions): Promise<Report> {
  const report = new Report(`faults (seed ${seed})`);
  const random = new Random(seed);
  const wanted = only ?? { faults: Object.keys(faults), phases: ['work', 'start', 'stop'] };
  const trials: Trial[] = [];
  const first = new Bench(report, random.fork(), preload);
  try {
    if (!first.isWatched) {
      report.isSkipped = true;
      return report;
    }
    for (const phase of wanted.phases) {
      const countCalls = await first.rehearse(phase);
      for (const name of wanted.faults) trials.push(...toTrials(name, phase, countCalls(known[name] as Fault)));
    }
  } finally {
    await first.close();
  }
  report.count('calls', trials.length);
  const chosen = size === null ? trials : pickEvenly(trials, size, random);
  const endedMs: number[] = [];
  for (let at = 0; at < chosen.length; at += roundsPerFolder) {
    const bench = new Bench(report, random.fork(), preload);
    try {
      for (const trial of chosen.slice(at, at + roundsPerFolder)) await bench.run(trial);
      await bench.finish();
    } catch (error) {
      report.wrong(`${bench.where}: ${error instanceof Error ? error.stack : error}`);
    } finally {
      endedMs.push(...bench.endedMs);
      await bench.close();
    }
  }
  report.count('slowest end ms', percentile(endedMs, 1));
  return report;
}

function toTrials(name: string, phase: Phase, calls: number): Trial[] {
  return Array.from({ length: calls }, (_, index) => ({ name, phase, nth: index + 1 }));
}

function pickEvenly(trials: readonly Trial[], size: number, random: Random): Trial[] {
  const step = Math.max(1, trials.length / size);
  const picked: Trial[] = [];
  for (let at = random.next() * step; at < trials.length; at += step) picked.push(trials[Math.floor(at)] as Trial);
  return picked;
}

/** One data folder on which faults are tried, one after the other. */
class Bench {
  readonly endedMs: number[] = [];
  where = 'before the first fault';
  readonly #report: Report;
  readonly #random: Random;
  readonly #ground: Ground;
  readonly #ledger = new Ledger();
  /** Steps that failed although the process went on: they were not done. */
  readonly #strict = new Set<Step>();
  #caller: Caller | null = null;
  #service: Started | null = null;
  #rounds = 0;
  /** When the last process ended. */
  #endedAt = 0;

  constructor(report: Report, random: Random, preload: Preload | null) {
    this.#report = report;
    this.#random = random;
    this.#ground = openGround({ isWatched: true, preload });
  }

  get isWatched(): boolean {
    return this.#ground.watching !== null;
  }

  get #control() {
    if (this.#ground.watching === null) throw new Error('faults need the shim');
    return this.#ground.watching.control;
  }

  /** Without a fault; tells how many calls of some kinds there were. */
  async rehearse(phase: Phase): Promise<(fault: Fault) => number> {
    await this.#require();
    if (phase === 'start') await this.#stop();
    this.#control.arm({ action: 'none', nth: 0 });
    if (phase === 'work') await this.#work();
    else if (phase === 'start') await this.#require();
    else await this.#stop();
    const counts = new Map(allKinds.map((kind) => [kind, this.#control.countCalls([kind])]));
    const sum = (kinds: readonly CallKind[]) => kinds.reduce((total, kind) => total + (counts.get(kind) ?? 0), 0);
    return ({ calls, kinds = allKinds }) => calls ?? sum(kinds);
  }

  async run(trial: Trial): Promise<void> {
    const { name, phase, nth } = trial;
    this.where = `${name} at call ${nth} of ${phase}`;
    const arming = { ...(known[name] as Fault), nth };
    if (phase === 'start') await this.#failStart(arming);
    else {
      await this.#require();
      this.#control.arm(arming);
      if (phase === 'work') await this.#failWork();
      else await this.#failStop();
    }
    this.#control.disarm();
    this.#report.add('tried', 1);
  }

  async #failWork(): Promise<void> {
    const service = this.#service as Started;
    const steps = await this.#work();
    const fired = this.#control.look();
    if (!fired.isFired) return this.#report.add('not met', 1);
    if (isFatal(fired) || isGone(service) || !(await this.#canSave())) await this.#expectEnd(service, fired);
    else for (const step of steps) if (step.outcome === 'doubt') this.#strict.add(step);
  }

  /** What can promise nothing any more answers nothing with 200, and ends in a moment. */
  async #canSave(): Promise<boolean> {
    const client = new Client(this.#caller as Caller, 1);
    const load = { client, ledger: this.#ledger, random: this.#random };
    const isDone = await take(load, this.#ledger.begin(`r${this.#rounds}-probe`), 'file', this.#random.bytes(100));
    client.close();
    return isDone;
  }

  async #expectEnd(service: Started, fired: Fired): Promise<void> {
    const { process } = service;
    if (!isGone(service)) await Promise.race([once(process, 'exit'), sleep(endMs, null, { ref: false })]);
    const at = `${this.where} (${fired.kind} of ${fired.path})`;
    if (!isGone(service)) this.#report.wrong(`${at}: it goes on`);
    else if (process.exitCode !== endCode) {
      this.#report.wrong(`${at}: it ended with ${process.exitCode} ${process.signalCode}: ${service.errors()}`);
    } else this.#report.add('ended with 70', 1);
    this.endedMs.push(this.#endedAt - fired.atMs);
    // The checkpointer may be at the same sync as the writer, before either knows.
    const again = this.#control.look().syncsAgain;
    const allowed = fired.path.endsWith('.db-wal') ? 1 : 0;
    if (fired.kind === 'sync' && isFatal(fired) && again > allowed)
      this.#report.wrong(`${at}: synced again ${again} times`);
    await service.stop('SIGKILL');
    this.#service = null;
  }

  /** It comes up all the same, or says why not; then it comes up without the fault. */
  async #failStart(arming: Arming): Promise<void> {
    await this.#require();
    // What recovery does is more than what a start after an orderly end does.
    await this.#service?.stop('SIGKILL');
    this.#service = null;
    this.#control.arm(arming);
    const started = await this.#start().catch((error: Error) => error);
    const fired = this.#control.look();
    this.#control.disarm();
    if (!fired.isFired) this.#report.add('not met', 1);
    if (started instanceof Error) this.#report.add('starts refused', 1);
    else {
      this.#service = started;
      if (isFatal(fired)) await this.#expectEnd(started, fired);
      else await started.stop('SIGKILL');
      this.#service = null;
    }
    await this.#require();
  }

  async #failStop(): Promise<void> {
    const service = this.#service as Started;
    await this.#stop(true);
    const fired = this.#control.look();
    if (!fired.isFired) return this.#report.add('not met', 1);
    const at = `${this.where} (${fired.kind} of ${fired.path})`;
    const { exitCode, signalCode } = service.process;
    const isKnown = exitCode === 0 || exitCode === endCode || exitCode === startFailedCode;
    if (!isKnown) this.#report.wrong(`${at}: it ended with ${exitCode} ${signalCode}: ${service.errors()}`);
    if (isFatal(fired) && exitCode === 0) this.#report.wrong(`${at}: a failed sync, and it ended with 0`);
  }

  async #work(): Promise<Step[]> {
    this.#rounds += 1;
    const client = new Client(this.#caller as Caller, 4);
    const load = { client, ledger: this.#ledger, random: this.#random };
    const steps = await runScript(load, `r${this.#rounds}`);
    client.close();
    return steps;
  }

  /** A service that runs without faults. */
  async #require(): Promise<void> {
    if (this.#service !== null && !isGone(this.#service)) return;
    if (this.#service !== null) this.#judgeLateEnd(this.#service);
    this.#service = await this.#start();
    this.#caller = await renew(this.#ground, this.#service.production, this.#caller);
  }

  /** Checkpoints run beside the work: what fails there may end the service after the work was looked at. */
  #judgeLateEnd({ process: { exitCode } }: Started): void {
    const { isFired, kind, path, atMs } = this.#control.look();
    if (isFired && exitCode === endCode) {
      this.#report.add('ended with 70', 1);
      this.endedMs.push(this.#endedAt - atMs);
    } else this.#report.wrong(`${this.where} (${kind} of ${path}): it ended later, with ${exitCode}`);
  }

  async #start(): Promise<Started> {
    const service = await startOn(this.#ground);
    service.process.once('exit', () => {
      this.#endedAt = Date.now();
    });
    return service;
  }

  async #stop(isFailing = false): Promise<void> {
    const service = this.#service;
    this.#service = null;
    const code = await service?.stop();
    if (!isFailing && code !== 0)
      this.#report.wrong(`${this.where}: SIGTERM ended it with ${code}: ${service?.errors()}`);
  }

  async finish(): Promise<void> {
    await this.#require();
    await this.#stop();
    const problems = checkStopped(this.#ground, {
      stories: this.#ledger.stories,
      isAnswered: ({ outcome }) => outcome === 'done',
      isDoubtAllowed: (step) => !this.#strict.has(step),
    });
    this.#report.tell(problems, `the faults up to ${this.where}`);
    const left = listIncoming(this.#ground.dataFolder);
    if (left.length > 0) this.#report.wrong(`the faults up to ${this.where}: ${left.length} half files are left`);
    this.#report.add('steps answered', this.#ledger.count('done'));
    for (const surprise of this.#ledger.surprises) this.#report.wrong(surprise);
  }

  async close(): Promise<void> {
    await this.#service?.stop('SIGKILL');
    this.#ground.close();
  }
}

function isGone({ process }: Started): boolean {
  return process.exitCode !== null || process.signalCode !== null;
}

/** After a failed sync of these nothing can be promised. */
function isFatal({ kind, path }: Fired): boolean {
  return kind === 'sync' && /^production\/(catalog\.db|incoming\/|blobs\/)/.test(path);
}
