// The scenario `mixed`: what a busy day looks like over a million entries: of ten requests seven read a file, two list a page and one
// saves, in no order, over many connections at once. Every answer is checked: the bytes read, the page's length, the saved name.

import { randomBytes } from 'node:crypto';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours, Taken, untilQuiet } from './cost.ts';
import { type Filled, Filling } from './fill.ts';
import { bodySizeBytes } from './job.ts';
import { warmupOf } from './options.ts';
import { readPeakRssBytes, readThreadMicros, resetPeakRss } from './process-cost.ts';
import { type Scenario, say } from './scenario.ts';
import { type Application, catalogFile, createFolder, register, type Service, startService } from './service.ts';
import { divide, layOut, quantile, show } from './table.ts';

const inFlight = 32;
const filesInFolder = 1000;
const pageSize = 100;
const sampledFiles = 20_000;
const least = { reads: 0.7, lists: 0.9 };

type Kind = 'read' | 'list' | 'save';
type Ground = { files: Filled[]; folders: string[] };

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
    const taken = new Taken();
    resetPeakRss(service.pid);
    const before = readThreadMicros(service.pid);
    const times = await day.run(options.seconds * options.rounds);
    const cpuMicros = difference(readThreadMicros(service.pid), before);
    const [othersPercent, takenPercent] = [neighbours.percent(), taken.percent()];
    day.close();
    const rssBytes = readPeakRssBytes(service.pid);
    const table = toTable(times, options.seconds * options.rounds);
    const requests = [...times.values()].reduce((sum, each) => sum + each.length, 0);
    const total = `In all ${requests} requests, ${show(divide(cpuMicros, requests), 0)} µs of processor time each, at most ${show(divide(rssBytes, 1024 * 1024), 0)} MiB.`;
    const facts = [
      `${options.size} entries`,
      `${inFlight} at a time`,
      `others ${show(othersPercent, 0)} %`,
      `of which the host took ${takenPercent.toFixed(0)} %`,
    ];
    const markdown = `${describeConditions(options, facts)}\n\n${table}\n\n${total}\n`;
    return { markdown, isHeld: true, figures: { times: Object.fromEntries(times), cpuMicros, rssBytes } };
  },
};

async function fill(path: string, application: Application, size: number): Promise<Ground> {
  say(`filling in ${size} entries`);
  const filling = await Filling.open(path, application);
  const folders: string[] = [];
  const files: Filled[] = [];
  const perFolder = Math.max(1, Math.ceil((sampledFiles * filesInFolder) / Math.max(1, size)));
  while (filling.entries < size) {
    const folder = await filling.addFolder(filling.root, `folder ${folders.length}`);
    folders.push(folder);
    const count = Math.max(1, Math.min(filesInFolder, size - filling.entries));
    files.push(...(await filling.addFiles(folder, count, Math.min(count, perFolder))));
  }
  await filling.close();
  return { files, folders };
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

  async run(seconds: number): Promise<Map<Kind, number[]>> {
    const times = new Map<Kind, number[]>([
      ['read', []],
      ['list', []],
      ['save', []],
    ]);
    const until = performance.now() + 1000 * seconds;
    const work = async () => {
      while (performance.now() < until) {
        const [kind, ms] = await this.#one();
        times.get(kind)?.push(ms);
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

  /** What was filled in begins with its own id. */
  async #read(): Promise<number> {
    const { id } = pick(this.#ground.files);
    const { body, ms } = await this.#client.ask(`/files/${id}/content`);
    if (!id.startsWith(body.toString('latin1', 0, id.length))) throw new Error(`${id} has other bytes`);
    return ms;
  }

  async #list(): Promise<number> {
    const { body, ms } = await this.#client.ask(`/folders/${pick(this.#ground.folders)}?limit=${pageSize}`);
    const { Children } = JSON.parse(body.toString()) as { Children: unknown[] };
    if (Children.length === 0 || Children.length > pageSize) throw new Error(`a page of ${Children.length} entries`);
    return ms;
  }

  async #save(): Promise<number> {
    const name = `${this.#saved++}.bin`;
    const headers = { FolderId: this.#folder, FileName: name, Prefer: 'return=minimal' };
    const { body, ms } = await this.#client.ask('/files', { method: 'POST', headers, body: this.#body });
    const { Children } = JSON.parse(body.toString()) as { Children: { Name: string }[] };
    if (Children[0]?.Name !== name) throw new Error(`saved ${Children[0]?.Name} instead of ${name}`);
    return ms;
  }
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(from.length * Math.random())] as T;
}

function difference(end: number | null, start: number | null): number | null {
  return end === null || start === null ? null : end - start;
}

function toTable(times: Map<Kind, number[]>, seconds: number): string {
  const rows = [...times].map(([kind, each]) => {
    const sorted = each.toSorted((left, right) => left - right);
    const shown = [0.5, 0.95, 0.99].map((share) => quantile(sorted, share).toFixed(2));
    return [kind, (each.length / seconds).toFixed(0), ...shown];
  });
  return layOut(['', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms'], rows);
}
