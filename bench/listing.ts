// The scenario `listing`: whether a folder of very many children costs more than one of a thousand. Pages in every order, saves,
// renames and look-ups by path, in both folders in turn; the promise is the ratio. A small folder that is read again and again is cached,
// a million entries are not: so pages are also compared with those of many small folders whose files arrived mixed.

import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { type Cost, measureBatch, Neighbours, type Request, untilQuiet } from './cost.ts';
import { type Filled, Filling } from './fill.ts';
import { type Changes, toChanges } from './listing-changes.ts';
import { findPages, limits, orders, type Pages, places } from './listing-pages.ts';
import type { Options } from './options.ts';
import { readPeakRssBytes } from './process-cost.ts';
import { type Scenario, say } from './scenario.ts';
import { type Application, catalogFile, register, startService } from './service.ts';
import { divide, layOut, median, medianKnown, show } from './table.ts';

const smallSize = 1000;
const mostRatio = 1.5;
const changesInFlight = 8;
const returnedFiles = 2000;
/** So many of the scattered folders are read in turn: together far more than what the service keeps in memory. */
const scatteredRead = 40;

export type Folder = { id: string; path: string; count: number; files: Filled[] };

/** `fresh`: a folder for each round's saves, so that what is small stays small. `scattered`: small ones that were filled together. */
type Built = { small: Folder; large: Folder; fresh: Folder[]; scattered: Folder[] };

type Which = 'small' | 'large' | 'scattered';
type Cell = { what: string } & Partial<Record<Which, Cost[]>>;
type Row = { what: string; small: Cost; large: Cost; timeRatio: number; cpuRatio: number | null };

export const listing: Scenario = {
  what: 'pages, saves, renames and look-ups in a folder of very many entries beside one of 1,000',
  size: 1_000_000,
  async run(children, options) {
    const application = await register(children, options);
    const built = await build(children, application, options);
    const service = await startService(children, options, application);
    await untilQuiet(children, service, options);
    const client = new Client(service);
    const neighbours = new Neighbours();
    const cells = await new Measuring(client, service.pid, options).measureAll(built);
    client.close();
    const rows = cells.map((cell) => toRow(cell, 'small'));
    const fair = cells.filter(({ scattered }) => scattered !== undefined).map((cell) => toRow(cell, 'scattered'));
    const facts = [
      `${built.large.count} and ${built.small.count} entries`,
      `medians of ${options.rounds} rounds`,
      `others used ${show(neighbours.percent(), 0)} %`,
    ];
    const markdown = [
      describeConditions(options, facts),
      toTable(rows),
      `The same pages, held against those of ${built.scattered.length} folders of ${smallSize} in turn, whose files arrived among each other:`,
      toTable(fair),
      `The service took at most ${show(divide(readPeakRssBytes(service.pid), 1024 * 1024), 0)} MiB.`,
    ].join('\n\n');
    return { markdown, isHeld: [...rows, ...fair].every(isHeld), figures: { rows, fair, cells } };
  },
};

async function build(children: Children, application: Application, { size, rounds }: Options): Promise<Built> {
  // Whole long pages, so that the last one is as long as the others.
  const count = Math.max(1, Math.round((size ?? 0) / smallSize)) * smallSize;
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
  const scattered = await addScattered(filling, count / smallSize);
  await filling.close();
  say(`filled in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  return { small, large, fresh, scattered };
}

/** As many entries as the large folder has, in small ones, a file for each in turn. Returns some of them, taken evenly. */
async function addScattered(filling: Filling, count: number): Promise<Folder[]> {
  say(`filling ${count} folders with ${smallSize} files each`);
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await filling.addFolder(filling.root, `scattered-${index}`));
  for (let index = 0; index < smallSize; index++) for (const id of ids) await filling.addFiles(id, 1, 0, index);
  const every = Math.max(1, Math.floor(count / scatteredRead));
  const folders = ids.map((id, index) => ({ id, path: `/scattered-${index}`, count: smallSize, files: [] }));
  return folders.filter((_, index) => index % every === 0).slice(0, scatteredRead);
}

class Measuring {
  readonly #client: Client;
  readonly #pid: number;
  readonly #rounds: number;
  /** How much one batch does: enough for the CPU clock, and less where little is built. */
  readonly #listedInBatch: number;
  readonly #changesInBatch: number;

  constructor(client: Client, pid: number, { rounds, size }: Options) {
    this.#client = client;
    this.#pid = pid;
    this.#rounds = rounds;
    this.#listedInBatch = Math.max(1000, Math.min(20_000, (size ?? 0) / 5));
    this.#changesInBatch = Math.max(20, Math.min(200, (size ?? 0) / 100));
  }

  async measureAll(built: Built): Promise<Cell[]> {
    const cells: Cell[] = [];
    for (const order of orders) {
      say(`listing by ${order}`);
      const scattered: Pages[] = [];
      for (const folder of built.scattered) scattered.push(await findPages(this.#client, folder, order));
      const pages = {
        small: [await findPages(this.#client, built.small, order)],
        large: [await findPages(this.#client, built.large, order)],
        scattered,
      };
      for (const limit of limits) {
        for (const place of places) {
          const toBatch = (which: Which) =>
            this.#toPageRequests(
              pages[which].flatMap((found) => found[place][limit] ?? []),
              limit,
            );
          cells.push(
            await this.#inTurn(
              ['small', 'large', 'scattered'],
              `page by ${order}, ${place}, limit ${limit}`,
              toBatch,
              1,
            ),
          );
        }
      }
    }
    for (const [what, change] of Object.entries(toChanges(this.#client))) {
      say(what);
      const toBatch = (which: Which, round: number) =>
        this.#toChangeRequests(change, which === 'small' ? built.fresh[round] : built.large);
      cells.push(await this.#inTurn(['small', 'large'], what, toBatch, changesInFlight));
    }
    return cells;
  }

  /** They take turns, so that a slow minute of the machine falls on all. */
  async #inTurn(
    compared: Which[],
    what: string,
    toBatch: (which: Which, round: number) => Request[],
    inFlight: number,
  ): Promise<Cell> {
    const costs = compared.map((which) => [which, [] as Cost[]] as const);
    for (let round = 0; round < this.#rounds; round++) {
      for (const [which, measured] of round % 2 === 0 ? costs : costs.toReversed())
        measured.push(await measureBatch(this.#pid, toBatch(which, round), inFlight));
    }
    return { what, ...Object.fromEntries(costs) };
  }

  #toPageRequests(urls: Pages[keyof Pages][number], limit: number): Request[] {
    return Array.from({ length: Math.ceil(this.#listedInBatch / limit) }, (_, index) => async () => {
      // Taken from all over the folder: a page that was just read is cheaper.
      const url = urls[(index * 37) % urls.length];
      if (url === undefined) throw new Error('there is no such page');
      return (await this.#client.ask(url)).ms;
    });
  }

  #toChangeRequests(change: Changes[string], folder: Folder | undefined): Request[] {
    if (folder === undefined) throw new Error('there is no folder for this round');
    return Array.from({ length: this.#changesInBatch }, (_, index) => () => change(folder, index));
  }
}

function toRow({ what, large = [], ...cell }: Cell, against: 'small' | 'scattered'): Row {
  const [low, high] = [toMedian(cell[against] ?? []), toMedian(large)];
  const cpuRatio = divide(high.cpuMicros, low.cpuMicros);
  return { what, small: low, large: high, timeRatio: high.ms / low.ms, cpuRatio };
}

function toMedian(costs: readonly Cost[]): Cost {
  return { ms: median(costs.map(({ ms }) => ms)), cpuMicros: medianKnown(costs.map(({ cpuMicros }) => cpuMicros)) };
}

function isHeld({ timeRatio, cpuRatio }: Row): boolean {
  return timeRatio <= mostRatio && (cpuRatio ?? 0) <= mostRatio;
}

function toTable(rows: Row[]): string {
  const head = [
    '',
    'small ms',
    'large ms',
    'time ratio',
    'small CPU µs',
    'large CPU µs',
    'CPU ratio',
    `≤ ${mostRatio}`,
  ];
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
  const worst = Math.max(...rows.map(({ timeRatio }) => timeRatio));
  const worstCpu = Math.max(...rows.map(({ cpuRatio }) => cpuRatio ?? 0));
  const summary = `Highest ratio: time ${show(worst, 2)}, CPU ${show(worstCpu, 2)}; ${rows.filter(isHeld).length} of ${rows.length} hold.`;
  return `${layOut(head, cells)}\n\n${summary}`;
}
