// A full disk, on small file systems of their own: saves are refused and leave nothing, what is stored is read and removed
// all the same, and saving goes on by itself when there is space again.

import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { ftruncateSync, mkdirSync, openSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasProgram, skipWithoutMount } from '../service/programs.ts';
import { listIncoming, type Started } from '../service/service.ts';
import { checkStopped, type Ground, openGround, renew, startOn } from './ground.ts';
import { Ledger, type Step, type Story } from './ledger.ts';
import { Random } from './random.ts';
import { percentile, Report } from './report.ts';
import { Client, runLoad, take } from './workload.ts';

const mib = 1024 * 1024;
/** XFS is not made smaller than 300 MiB. Saved files stay: each round takes `leftBytes`, and what is saved until the service reads
 *  the free space again, so ten rounds filled 96 MiB for good. */
const kinds = [
  { name: 'ext4', sizeBytes: 256 * mib, program: 'mkfs.ext4', words: ['-q', '-m', '0'] },
  { name: 'xfs', sizeBytes: 320 * mib, program: 'mkfs.xfs', words: ['-q'] },
] as const;
/** Left for the load to use up: enough for the log of SQLite to grow first. */
const leftBytes = 6 * mib;
const refusalsPerRound = 40;
const writers = 16;
/** It is a second; a busy machine gets more. */
const resumeMs = 20_000;
const reserveBytes = 16 * mib;

export async function runDiskFull({ seed, rounds }: { seed: number; rounds: number }): Promise<Report> {
  const report = new Report(`disk full (seed ${seed})`);
  const resumedMs: number[] = [];
  let done = 0;
  for (const kind of kinds) {
    const ground = openGround({ isWatched: false });
    const image = mount(ground, kind);
    if (image === null) {
      report.count(kind.name, 'SKIPPED');
      ground.close();
      continue;
    }
    const trial = new Trial(report, { ...ground, dataFolder: join(image.folder, 'data') }, image.folder, seed);
    try {
      for (const reserve of [0, reserveBytes]) await trial.run(kind.name, reserve, rounds);
      done += 1;
    } catch (error) {
      report.wrong(`${kind.name}: ${error instanceof Error ? error.stack : error}`);
    } finally {
      resumedMs.push(...trial.resumedMs);
      await trial.close();
      image.unmount();
      ground.close();
    }
  }
  report.isSkipped = done === 0 && report.problems.length === 0;
  report.count('resumes p50 ms', percentile(resumedMs, 0.5));
  report.count('slowest ms', percentile(resumedMs, 1));
  return report;
}

interface Mounted {
  folder: string;
  unmount(): void;
}

/** Null: not as root, or without the program that makes it. */
function mount(ground: Ground, { name, sizeBytes, program, words }: (typeof kinds)[number]): Mounted | null {
  if (skipWithoutMount(`a full disk of ${name}`) || !hasProgram(program)) return null;
  const image = join(ground.folder, 'image');
  const folder = join(ground.folder, 'disk');
  ftruncateSync(openSync(image, 'w'), sizeBytes);
  mkdirSync(folder);
  if (spawnSync(program, [...words, image]).status !== 0) return null;
  if (spawnSync('mount', ['-o', 'loop', image, folder]).status !== 0) {
    console.error(`SKIPPED: a full disk of ${name} (loop devices cannot be mounted here)`);
    return null;
  }
  return { folder, unmount: () => void spawnSync('umount', [folder]) };
}

/** One file system; with each reserve the service is started anew on what is there. */
class Trial {
  readonly resumedMs: number[] = [];
  readonly #report: Report;
  readonly #ground: Ground;
  readonly #disk: string;
  readonly #random: Random;
  readonly #ledger = new Ledger();
  #caller: Client['caller'] | null = null;
  #service: Started | null = null;
  #count = 0;

  constructor(report: Report, ground: Ground, disk: string, seed: number) {
    this.#report = report;
    this.#ground = ground;
    this.#disk = disk;
    this.#random = new Random(seed);
  }

  async run(name: string, reserve: number, rounds: number): Promise<void> {
    const service = await startOn(this.#ground, { CABINET_RESERVE: String(reserve) });
    this.#service = service;
    this.#caller = await renew(this.#ground, service.production, this.#caller);
    const client = new Client(this.#caller, writers);
    for (let round = 0; round < rounds; round += 1) {
      const where = `${name}, reserve ${reserve}, round ${round}`;
      await this.#fillAndFree(client, where, reserve);
      this.#report.add('rounds', 1);
    }
    client.close();
    const code = await service.stop();
    if (code !== 0) this.#report.wrong(`${name}: it ended with ${code}: ${service.errors()}`);
    this.#check(`${name}, reserve ${reserve}`);
  }

  async #fillAndFree(client: Client, where: string, reserve: number): Promise<void> {
    const random = this.#random;
    const ledger = this.#ledger;
    // One of each that is there before the disk is full.
    const kept = await this.#save(client, 2000);
    const doomed = await this.#save(client, 150_000);
    const before = ledger.count('refused');
    this.#fill(reserve + leftBytes);
    const isOver = () => ledger.count('refused') - before >= refusalsPerRound;
    this.#count += 1;
    const prefix = `f${this.#count}`;
    await runLoad({ client, ledger, random: random.fork(), writers, prefix, isOver });
    if (!isOver()) this.#report.wrong(`${where}: the load ended before the disk was full`);
    await this.#read(client, kept, where);
    // Without a reserve the disk may be full to the last byte, and then nothing can be written down at all.
    if (reserve > 0 && !(await take({ client, ledger, random }, doomed, 'purge', null))) {
      this.#report.wrong(`${where}: nothing can be removed from the full disk`);
    }
    if (this.#service?.process.exitCode !== null) throw new Error(`the process has ended: ${this.#service?.errors()}`);
    rmSync(join(this.#disk, 'filler'));
    await this.#resume(client, where);
  }

  /** Leaves so many bytes. */
  #fill(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.#disk);
    const length = Math.max(bsize, bavail * bsize - bytes);
    const filled = spawnSync('fallocate', ['-l', String(length), join(this.#disk, 'filler')]);
    if (filled.status !== 0) throw new Error(`the disk cannot be filled: ${filled.stderr}`);
  }

  async #save(client: Client, sizeBytes: number): Promise<Story> {
    this.#count += 1;
    const story = this.#ledger.begin(`s${this.#count}`);
    const bytes = this.#random.bytes(sizeBytes);
    await take({ client, ledger: this.#ledger, random: this.#random }, story, 'file', bytes);
    return story;
  }

  async #read(client: Client, { id, steps }: Story, where: string): Promise<void> {
    const { status, body } = await client.ask({ method: 'GET', path: `/files/${id}/content` });
    if (hash('sha256', body) !== steps[0]?.sha256) this.#report.wrong(`${where}: reading gives ${status}, other bytes`);
  }

  async #resume(client: Client, where: string): Promise<void> {
    const begun = performance.now();
    for (;;) {
      const story = await this.#save(client, 150_000);
      if (story.steps[0]?.outcome === 'done') break;
      if (performance.now() - begun > resumeMs) return this.#report.wrong(`${where}: saving does not go on`);
      await sleep(20);
    }
    this.resumedMs.push(performance.now() - begun);
  }

  #check(where: string): void {
    const inDoubt = new Set<Step>();
    for (const { name, steps } of this.#ledger.stories) {
      for (const step of steps) {
        if (step.outcome !== 'doubt' || step.hasGivenUp) continue;
        inDoubt.add(step);
        this.#report.wrong(`${where}: ${step.kind} of ${name} was neither done nor refused`);
      }
    }
    const isAnswered = ({ outcome }: Step) => outcome === 'done';
    const isDoubtAllowed = (step: Step) => !inDoubt.has(step);
    this.#report.tell(checkStopped(this.#ground, { stories: this.#ledger.stories, isAnswered, isDoubtAllowed }), where);
    const left = listIncoming(this.#ground.dataFolder);
    if (left.length > 0) this.#report.wrong(`${where}: ${left.length} half files are left`);
    for (const surprise of this.#ledger.surprises.splice(0)) this.#report.wrong(surprise);
    this.#report.count('answered', this.#ledger.count('done'));
    this.#report.count('refused', this.#ledger.count('refused'));
  }

  async close(): Promise<void> {
    await this.#service?.stop('SIGKILL');
  }
}
