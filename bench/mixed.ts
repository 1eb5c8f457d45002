// The scenario `mixed`: a realistic load over a million entries: of ten requests seven read a file, two list a page and one saves,
// in random order, over many connections. Every response is checked: the bytes, the length of the page, the saved file.

import { hash, randomBytes } from 'node:crypto';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours, untilQuiet } from './cost.ts';
import { type Filled, Filling } from './fill.ts';
import { bodySizeBytes } from './job.ts';
import { type Options, warmupOf } from './options.ts';
import { readDiskBytes, readPeakRssBytes, readThreadMicros, resetPeakRss } from './process-cost.ts';
import { type Scenario, say } from './scenario.ts';
import { type Application, catalogFile, createFolder, register, type Service, startService } from './service.ts';
import { difference, divide, layOut, median, medianKnown, quantile, show } from './table.ts';

const inFlight = 32;
const filesInFolder = 1000;
const pageSize = 100;
const sampledFiles = 20_000;
const least = { reads: 0.7, lists: 0.9 };

const kinds = ['read', 'list', 'save'] as const;
type Kind = (typeof kinds)[number];
type Times = Record<Kind, { perSecond: number; p50Ms: number; p95Ms: number; p99Ms: number }>;
type Round = {
  requests: number;
  times: Times;
  cpuMicros: number | null;
  writtenBytes: number | null;
  savedBytes: number;
};
type Ground = { files: Filled[]; folders: { id: string; count: number }[] };

export const mixed: Scenario = {
  what: '70 % reads, 20 % lists, 10 % saves over a million entries',
  size: 1_000_000,
  async run(children, options) {
    const application = await register(children, options);
    const ground = await fill(catalogFile(children), application, options.size ?? 0);
    const service = await startService(children, options, application);
    say('waiting until everything is indexed');
    await untilQuiet(children, service, options);
    const day = new Day(service, ground, await createFolder(service, 'saved'));
    await day.run(warmupOf(1, options));
    const neighbours = new Neighbours();
    resetPeakRss(service.pid);
    const rounds: Round[] = [];
    for (let round = 1; round <= options.rounds; round++) rounds.push(await measure(day, service.pid, options));
    day.close();
    const facts = [
      `${options.size} entries`,
      `${inFlight} at a time`,
      `medians of ${options.rounds} rounds of ${options.seconds} s`,
      `others ${show(neighbours.percent(), 0)} %`,
    ];
    const rssBytes = readPeakRssBytes(service.pid);
    const markdown = `${describeConditions(options, facts)}\n\n${toTable(rounds)}\n\n${toTotal(rounds, rssBytes)}\n`;
    return { markdown, isHeld: true, figures: { rounds, rssBytes } };
  },
};

async function fill(path: string, application: Application, size: number): Promise<Ground> {
  say(`filling in ${size} entries`);
  const filling = await Filling.open(path, application);
  const folders: Ground['folders'] = [];
  const files: Filled[] = [];
  const perFolder = Math.max(1, Math.ceil((sampledFiles * filesInFolder) / Math.max(1, size)));
  while (filling.entries < size) {
    const folder = await filling.addFolder(filling.root, `folder ${folders.length}`);
    const count = Math.max(1, Math.min(filesInFolder, size - filling.entries));
    folders.push({ id: folder, count });
    files.push(...(await filling.addFiles(folder, count, Math.min(count, perFolder))));
  }
  await filling.close();
  return { files, folders };
}

async function measure(day: Day, pid: number, { seconds }: Options): Promise<Round> {
  const [cpuBefore, diskBefore] = [readThreadMicros(pid), readDiskBytes(pid)];
  const times = await day.run(seconds);
  return {
    requests: kinds.reduce((sum, kind) => sum + times[kind].length, 0),
    times: {
      read: toTimes(times.read, seconds),
      list: toTimes(times.list, seconds),
      save: toTimes(times.save, seconds),
    },
    cpuMicros: difference(readThreadMicros(pid), cpuBefore),
    writtenBytes: difference(readDiskBytes(pid), diskBefore),
    savedBytes: times.save.length * bodySizeBytes,
  };
}

function toTimes(each: number[], seconds: number): Times[Kind] {
  const sorted = each.toSorted((left, right) => left - right);
  const [p50Ms = 0, p95Ms = 0, p99Ms = 0] = [0.5, 0.95, 0.99].map((share) => quantile(sorted, share));
  return { perSecond: each.length / seconds, p50Ms, p95Ms, p99Ms };
}

class Day {
  readonly #client: Client;
  readonly #ground: Ground;
  readonly #folder: string;
  readonly #body = randomBytes(bodySizeBytes);
  #saved = 0;

  constructor(service: Service, ground: Ground, folder: string) {
    this.#client = new Client(service);
    this.#ground = ground;
    this.#folder = folder;
  }

  async run(seconds: number): Promise<Record<Kind, number[]>> {
    const times: Record<Kind, number[]> = { read: [], list: [], save: [] };
    const until = performance.now() + 1000 * seconds;
    const work = async () => {
      while (performance.now() < until) {
        const [kind, ms] = await this.#one();
        times[kind].push(ms);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    return times;
  }

  close(): void {
    this.#client.close();
  }

  async #one(): Promise<[Kind, number]> {
    const chosen = Math.random();
    if (chosen < least.reads) return ['read', await this.#read()];
    if (chosen < least.lists) return ['list', await this.#list()];
    return ['save', await this.#save()];
  }

  async #read(): Promise<number> {
    const { id, sha256 } = pick(this.#ground.files);
    const { body, ms } = await this.#client.ask(`/files/${id}/content`);
    if (hash('sha256', body) !== sha256) throw new Error(`${id} has other bytes`);
    return ms;
  }

  async #list(): Promise<number> {
    const { id, count } = pick(this.#ground.folders);
    const { body, ms } = await this.#client.ask(`/folders/${id}?limit=${pageSize}`);
    const { Children } = JSON.parse(body.toString()) as { Children: unknown[] };
    if (Children.length !== Math.min(count, pageSize)) throw new Error(`a page of ${Children.length} entries`);
    return ms;
  }

  async #save(): Promise<number> {
    const name = `${this.#saved++}.bin`;
    const headers = { FolderId: this.#folder, FileName: name, Prefer: 'return=minimal' };
    const { body, ms } = await this.#client.ask('/files', { method: 'POST', headers, body: this.#body });
    const { Children } = JSON.parse(body.toString()) as { Children: { Name: string; Size: number }[] };
    const [saved] = Children;
    if (saved?.Name !== name || saved.Size !== bodySizeBytes)
      throw new Error(`${name}: saved ${JSON.stringify(saved)}`);
    return ms;
  }
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(from.length * Math.random())] as T;
}

function toTable(rounds: Round[]): string {
  const rows = kinds.map((kind) => {
    const each = (read: (times: Times[Kind]) => number) => median(rounds.map(({ times }) => read(times[kind])));
    const rates = rounds.map(({ times }) => times[kind].perSecond);
    return [
      kind,
      median(rates).toFixed(0),
      `${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)}`,
      each(({ p50Ms }) => p50Ms).toFixed(2),
      each(({ p95Ms }) => p95Ms).toFixed(2),
      each(({ p99Ms }) => p99Ms).toFixed(2),
    ];
  });
  return layOut(['', 'requests/s', 'lowest–highest', 'p50 ms', 'p95 ms', 'p99 ms'], rows);
}

function toTotal(rounds: Round[], rssBytes: number | null): string {
  const cpuMicros = medianKnown(rounds.map((round) => divide(round.cpuMicros, round.requests)));
  const written = medianKnown(rounds.map((round) => divide(round.writtenBytes, round.savedBytes)));
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  return `In all ${requests} requests, ${show(cpuMicros, 0)} µs of processor time each, ${show(written, 1)} bytes given to the disk for each that was saved, at most ${show(divide(rssBytes, 1024 * 1024), 0)} MiB.`;
}
