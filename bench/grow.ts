// The scenario `grow`: what a save, a page and the start cost while a cabinet grows, a tenth of all entries in one folder. At
// each size the service is started anew on the same data.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Curve, drawCurves } from './chart.ts';
import type { Children } from './children.ts';
import { Client, readNextLink } from './client.ts';
import { describeConditions } from './conditions.ts';
import { type Cost, measureBatch, Taken, untilQuiet } from './cost.ts';
import { Filling } from './fill.ts';
import { bodySizeBytes } from './job.ts';
import type { Options } from './options.ts';
import { type Scenario, say } from './scenario.ts';
import { type Application, catalogFile, register, type Service, startService } from './service.ts';
import { layOut, show } from './table.ts';

const filesInFolder = 1000;
const firstSize = 10_000;
const requests = 2000;
const inFlight = 32;
const pageSize = 100;
const mostPages = 1000;

type Point = { entries: number; startMs: number; save: Cost; page: Cost; middle: Cost; takenPercent: number };

export const grow: Scenario = {
  what: 'saves, pages and the start while a cabinet grows tenfold again and again',
  size: 1_000_000,
  async run(children, options) {
    const application = await register(children, options);
    const growth = await Growth.begin(catalogFile(children), application);
    const points: Point[] = [];
    for (let entries = Math.min(firstSize, options.size ?? 0); entries <= (options.size ?? 0); entries *= 10) {
      await growth.reach(entries);
      points.push(await measure(children, options, { application, large: growth.large, entries }));
    }
    drawChart(points, options);
    return { markdown: toMarkdown(points, options), isHeld: true, figures: { points } };
  },
};

/** Fills more and more in. Of ten entries one goes into the large folder, the others into folders of a thousand. */
class Growth {
  large = '';
  readonly #path: string;
  readonly #application: Application;
  #entries = 0;
  #folders = 0;

  private constructor(path: string, application: Application) {
    this.#path = path;
    this.#application = application;
  }

  static async begin(path: string, application: Application): Promise<Growth> {
    const growth = new Growth(path, application);
    const filling = await Filling.open(path, application);
    growth.large = await filling.addFolder(filling.root, 'large');
    await filling.close();
    return growth;
  }

  async reach(entries: number): Promise<void> {
    say(`filling up to ${entries} entries`);
    const filling = await Filling.open(this.#path, this.#application);
    const more = entries - this.#entries;
    await filling.addFiles(this.large, Math.floor(more / 10), 0, this.#entries);
    while (filling.entries < more) {
      const folder = await filling.addFolder(filling.root, `folder ${this.#folders++}`);
      await filling.addFiles(folder, Math.min(filesInFolder, Math.max(0, more - filling.entries)));
    }
    await filling.close();
    this.#entries = entries;
  }
}

type At = { application: Application; large: string; entries: number };

async function measure(children: Children, options: Options, { application, large, entries }: At): Promise<Point> {
  const begun = performance.now();
  const service = await startService(children, options, application);
  const startMs = performance.now() - begun;
  await untilQuiet(children, service, options);
  const client = new Client(service);
  await saves(client, service, { large, label: `warm-${entries}` });
  const taken = new Taken();
  const save = await saves(client, service, { large, label: `saved-${entries}` });
  const page = await pages(client, service, [`/folders/${large}?limit=${pageSize}`]);
  const middle = await pages(client, service, await findMiddle(client, large));
  const takenPercent = taken.percent();
  client.close();
  await children.end([service.pid]);
  const ms = [startMs, save.ms, page.ms, middle.ms].map((each) => each.toFixed(2));
  say(`${entries} entries: start, save, first page and another one in ${ms.join(', ')} ms`);
  return { entries, startMs, save, page, middle, takenPercent };
}

function pages(client: Client, { pid }: Service, urls: readonly string[]): Promise<Cost> {
  const one = (url: string) => async () => {
    const { body, ms } = await client.ask(url);
    const { Children: listed } = JSON.parse(body.toString()) as { Children: unknown[] };
    if (listed.length !== pageSize) throw new Error(`a page of ${listed.length} entries`);
    return ms;
  };
  return measureBatch(
    pid,
    Array.from({ length: requests }, (_, index) => one(urls[index % urls.length] as string)),
    inFlight,
  );
}

/** Pages behind the first, which is kept: all of a small folder, the next thousand of a larger one. Finding them has read each once. */
async function findMiddle(client: Client, large: string): Promise<string[]> {
  const urls: string[] = [];
  let next = readNextLink((await client.ask(`/folders/${large}?limit=${pageSize}`)).headers);
  while (next !== null && urls.length < mostPages) {
    urls.push(next);
    next = readNextLink((await client.ask(next)).headers);
  }
  // The last one may be short.
  return urls.slice(0, Math.max(1, urls.length - 1));
}

function saves(client: Client, { pid }: Service, { large, label }: { large: string; label: string }): Promise<Cost> {
  const one = (index: number) => async () => {
    const headers = { FolderId: large, FileName: `${label}-${index}`, Prefer: 'return=minimal' };
    const { body, ms } = await client.ask('/files', { method: 'POST', headers, body: randomBytes(bodySizeBytes) });
    const { Children } = JSON.parse(body.toString()) as { Children: { Name: string }[] };
    if (Children[0]?.Name !== headers.FileName) throw new Error(`saved ${Children[0]?.Name}, not ${headers.FileName}`);
    return ms;
  };
  return measureBatch(
    pid,
    Array.from({ length: requests }, (_, index) => one(index)),
    inFlight,
  );
}

function toMarkdown(points: Point[], options: Options): string {
  const facts = [`a tenth of all entries in one folder`, `${requests} requests, ${inFlight} at a time`];
  const rows = points.map(({ entries, startMs, save, page, middle, takenPercent }) => [
    entries.toLocaleString('en'),
    startMs.toFixed(0),
    save.ms.toFixed(2),
    show(save.cpuMicros, 0),
    page.ms.toFixed(2),
    show(page.cpuMicros, 0),
    middle.ms.toFixed(2),
    show(middle.cpuMicros, 0),
    takenPercent.toFixed(0),
  ]);
  const costs = ['save, p50 ms', 'save, CPU µs', 'first 100, p50 ms', 'CPU µs', 'others, p50 ms', 'CPU µs'];
  const head = ['entries', 'start, ms', ...costs, 'taken by the host, %'];
  return `${describeConditions(options, facts)}\n\n${layOut(head, rows)}\n`;
}

function drawChart(points: Point[], { outFile }: Options): void {
  if (outFile === null) return;
  const of = (label: string, read: (point: Point) => number | null): Curve => ({
    label,
    points: points.map((point) => [point.entries, read(point) ?? 0]),
  });
  const curves = [
    of('a save into a folder of a tenth of them, µs of processor time', ({ save }) => save.cpuMicros),
    of('a page of 100 of that folder behind the first, µs of processor time', ({ middle }) => middle.cpuMicros),
    of('the start, ms', ({ startMs }) => startMs),
  ];
  mkdirSync(dirname(outFile), { recursive: true });
  const title = 'What a save, a page and the start take, by entries in the cabinet';
  writeFileSync(outFile.replace(/\.md$/, '.svg'), drawCurves(title, curves));
}
