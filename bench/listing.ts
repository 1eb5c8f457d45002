// The scenario `listing`: whether anything costs more in a folder of very many children than in one of a thousand. Pages in every
// order, saves, renames and look-ups by path, in both folders in turn; what is promised is the ratio.

import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { type Cost, measureBatch, untilQuiet } from './cost.ts';
import { type Filled, Filling } from './fill.ts';
import { findPages, limits, orders, type Pages, places } from './listing-pages.ts';
import { type Changes, toChanges } from './listing-changes.ts';
import type { Options } from './options.ts';
import { type Scenario, say } from './scenario.ts';
import { catalogFile, register, type Service, startService } from './service.ts';
import { divide, layOut, medianKnown, median, show } from './table.ts';

const smallSize = 1000;
const mostRatio = 1.5;
/** Entries that one batch of pages lists: enough for the CPU clock. */
const entriesInBatch = 10_000;
const changesInBatch = 200;
const changesInFlight = 8;
const returnedFiles = 2000;

export type Folder = { id: string; path: string; count: number; files: Filled[] };

/** `fresh`: a folder for each round's saves, so that the small one stays small. */
type Built = { small: Folder; large: Folder; fresh: Folder[] };

type Cell = { what: string; small: Cost[]; large: Cost[] };
type Row = { what: string; small: Cost; large: Cost; timeRatio: number; cpuRatio: number | null };

export const listing: Scenario = {
  what: 'pages, saves, renames and look-ups in a folder of very many entries beside one of 1,000',
  size: 1_000_000,
  async run(children, options) {
    const application = await register(children, options);
    const built = await build(children, application, options);
    const service = await startService(children, options, application);
    await untilQuiet(service.pid, 1800);
    const client = new Client(service);
    const pages = await measurePages(client, service, built, options.rounds);
    const changes = await measureChanges(client, service, built, options.rounds);
    client.close();
    const rows = [...pages, ...changes].map(toRow);
    const facts = [`${built.large.count} and ${built.small.count} entries`, `medians of ${options.rounds} rounds`];
    const markdown = toMarkdown(rows, describeConditions(options, facts));
    return { markdown, isHeld: rows.every(isHeld), figures: { rows } };
  },
};

async function build(
  children: Children,
  application: Awaited<ReturnType<typeof register>>,
  { size, rounds }: Options,
): Promise<Built> {
  const count = size ?? 0;
  say(`filling a folder with ${count} files`);
  const startMs = performance.now();
  const filling = await Filling.open(catalogFile(children), application);
  const add = async (name: string, files: number): Promise<Folder> => {
    const id = await filling.addFolder(filling.root, name);
    return { id, path: `/${name}`, count: files, files: await filling.addFiles(id, files, returnedFiles) };
  };
  const small = await add('small', smallSize);
  const fresh: Folder[] = [];
  for (let round = 0; round < rounds; round++) fresh.push(await add(`fresh-${round}`, smallSize));
  const large = await add('large', count);
  await filling.close();
  say(`filled in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  return { small, large, fresh };
}

async function measurePages(client: Client, { pid }: Service, built: Built, rounds: number): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const order of orders) {
    say(`listing by ${order}`);
    const found = { small: await findPages(client, built.small, order), large: await findPages(client, built.large, order) };
    for (const limit of limits) {
      for (const place of places) {
        const cell: Cell = { what: `page by ${order}, ${place}, limit ${limit}`, small: [], large: [] };
        for (let round = 0; round < rounds; round++) {
          for (const which of ['small', 'large'] as const) {
            const requests = toPageRequests(client, found[which], { limit, place });
            cell[which].push(await measureBatch(pid, requests, 1));
          }
        }
        cells.push(cell);
      }
    }
  }
  return cells;
}

function toPageRequests(client: Client, pages: Pages, { limit, place }: { limit: number; place: keyof Pages }) {
  return Array.from({ length: Math.ceil(entriesInBatch / limit) }, (_, index) => async () => {
    const urls = pages[place][limit] ?? [];
    const url = urls[index % urls.length];
    if (url === undefined) throw new Error(`no page ${place} of ${limit}`);
    return (await client.ask(url)).ms;
  });
}

async function measureChanges(client: Client, { pid }: Service, built: Built, rounds: number): Promise<Cell[]> {
  const changes: Changes = toChanges(client);
  const cells = Object.keys(changes).map((what): Cell => ({ what, small: [], large: [] }));
  for (let round = 0; round < rounds; round++) {
    say(`saves, renames and look-ups, round ${round + 1}`);
    for (const cell of cells) {
      for (const which of ['small', 'large'] as const) {
        const folder = which === 'large' ? built.large : (built.fresh[round] as Folder);
        const change = changes[cell.what] as Changes[string];
        const requests = Array.from({ length: changesInBatch }, (_, index) => () => change(folder, index));
        cell[which].push(await measureBatch(pid, requests, changesInFlight));
      }
    }
  }
  return cells;
}

function toRow({ what, small, large }: Cell): Row {
  const [low, high] = [toMedian(small), toMedian(large)];
  return {
    what,
    small: low,
    large: high,
    timeRatio: high.ms / low.ms,
    cpuRatio: divide(high.cpuMicros, low.cpuMicros),
  };
}

function toMedian(costs: readonly Cost[]): Cost {
  return { ms: median(costs.map(({ ms }) => ms)), cpuMicros: medianKnown(costs.map(({ cpuMicros }) => cpuMicros)) };
}

function isHeld({ timeRatio, cpuRatio }: Row): boolean {
  return timeRatio <= mostRatio && (cpuRatio ?? 0) <= mostRatio;
}

function toMarkdown(rows: Row[], conditions: string): string {
  const head = ['', 'small ms', 'large ms', 'time ratio', 'small CPU µs', 'large CPU µs', 'CPU ratio', `≤ ${mostRatio}`];
  const cells = rows.map((row) => [
    row.what,
    show(row.small.ms, 2),
    show(row.large.ms, 2),
    show(row.timeRatio, 2),
    show(row.small.cpuMicros, 0),
    show(row.large.cpuMicros, 0),
    show(row.cpuRatio, 2),
    isHeld(row) ? 'holds' : 'missed',
  ]);
  return `${conditions}\n\n${layOut(head, cells)}\n`;
}
