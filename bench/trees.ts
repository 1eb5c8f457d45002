// The scenario `trees`: a very large tree is copied, renamed, moved, trashed, restored and purged while saves continue. The promise is
// that no save waits for it.

import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours, untilQuiet } from './cost.ts';
import { Filling } from './fill.ts';
import type { Job } from './job.ts';
import type { Options } from './options.ts';
import type { SaverJob, SaverResult } from './saver.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { type Application, catalogFile, register, type Service, savesInto, startService } from './service.ts';
import { layOut, show } from './table.ts';
import { CatalogView, type Phase, type Tree, treePhases } from './tree-phases.ts';
import { isHeld, mostRatio, type PhaseRow, toPhaseRows } from './tree-report.ts';

const saverConnections = 8;
/** What a phase brings about may come a moment after its answer. */
const mostAfterPhaseMs = 1000;
const mostUsualMs = 30_000;

type Built = { trees: Tree[]; savesFolder: string; destination: string };

export const trees: Scenario = {
  what: 'copying, moving, trashing and purging a very large tree while saves go on',
  size: 1_000_000,
  async run(children, options) {
    const application = await register(children, options);
    const built = await build(children, application, options);
    const service = await startService(children, options, application);
    const measuring = new Measuring(children, service, options);
    const rows: PhaseRow[] = [];
    for (const tree of built.trees) rows.push(...(await measuring.measure(tree, built)));
    measuring.close();
    return { markdown: toMarkdown(rows, options, built), isHeld: rows.every(isHeld), figures: { rows } };
  },
};

async function build(children: Children, application: Application, options: Options): Promise<Built> {
  const startMs = performance.now();
  const size = options.size ?? 0;
  say(`filling trees with ${size} entries each: ${options.trees.join(', ')}`);
  const filling = await Filling.open(catalogFile(children), application);
  const savesFolder = await filling.addFolder(filling.root, 'saves');
  const destination = await filling.addFolder(filling.root, 'destination');
  const found: Tree[] = [];
  for (const shape of options.trees) found.push(await adders[shape](filling, size));
  await filling.close();
  say(`filled in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  return { trees: found, savesFolder, destination };
}

const adders = { wide: addWide, narrow: addNarrow };

/** As many folders as each has files. */
async function addWide(filling: Filling, size: number): Promise<Tree> {
  const before = filling.entries;
  const side = Math.max(2, Math.floor(Math.sqrt(size)));
  const id = await filling.addFolder(filling.root, 'wide');
  for (let index = 0; index < side; index++) {
    await filling.addFiles(await filling.addFolder(id, `folder ${index}`), side - 1);
  }
  return { id, name: `${side} folders of ${side - 1} files`, entries: filling.entries - before };
}

/** Folders of ten folders each, some levels down, each with a few files. */
async function addNarrow(filling: Filling, size: number): Promise<Tree> {
  const filesEach = 9;
  const before = filling.entries;
  const id = await filling.addFolder(filling.root, 'narrow');
  const folders = [id];
  for (let index = 0; (index + 1) * (filesEach + 1) <= size; index++) {
    const parent = folders[Math.floor(index / 10)] as string;
    folders.push(await filling.addFolder(parent, `folder ${index}`));
    await filling.addFiles(folders.at(-1) as string, filesEach);
  }
  return { id, name: `${folders.length} small folders, nested`, entries: filling.entries - before };
}

class Measuring {
  readonly #children: Children;
  readonly #service: Service;
  readonly #options: Options;
  readonly #client: Client;
  readonly #view: CatalogView;

  constructor(children: Children, service: Service, options: Options) {
    this.#children = children;
    this.#service = service;
    this.#options = options;
    this.#client = new Client(service);
    this.#view = new CatalogView(catalogFile(children));
  }

  /** In the end the tree and its copy are gone, and nothing else is. */
  async measure(tree: Tree, { savesFolder, destination }: Built): Promise<PhaseRow[]> {
    await untilQuiet(this.#children, this.#service, this.#options);
    const before = this.#view.countEntries();
    const job = toSaverJob(this.#service, { folder: savesFolder, label: tree.id, rate: this.#options.savesPerSecond });
    const args = [`${import.meta.dirname}/saver.ts`];
    const saver = this.#children.begin({ program: process.execPath, args, input: JSON.stringify(job) });
    const phases = await this.#runPhases(tree, destination);
    const saved = (await saver.end()) as SaverResult;
    if (saved.failure !== null) throw new Error(`a save got a wrong answer: ${saved.failure}`);
    const [left, wanted] = [this.#view.countEntries(), before - tree.entries + saved.latencyMs.length];
    if (left !== wanted) throw new Error(`${left} entries are left, wanted ${wanted}`);
    return toPhaseRows(phases, saved);
  }

  async #runPhases(tree: Tree, destination: string): Promise<Phase[]> {
    const usualMs = Math.min(mostUsualMs, this.#options.size ?? 0);
    // The first saves warm the service up.
    await sleep(usualMs);
    const phases = [await this.#runPhase('usual', tree, () => sleep(usualMs))];
    const steps = treePhases({ client: this.#client, view: this.#view, tree, destination });
    for (const [name, run] of steps) phases.push(await this.#runPhase(name, tree, run));
    return phases;
  }

  async #runPhase(name: string, tree: Tree, run: () => Promise<unknown>): Promise<Phase> {
    const neighbours = new Neighbours();
    const now = () => performance.timeOrigin + performance.now();
    const from = now();
    await run();
    const until = now();
    say(`${tree.name}: ${name}, ${((until - from) / 1000).toFixed(1)} s`);
    await sleep(Math.min(mostAfterPhaseMs, this.#options.size ?? 0));
    return { name, tree: tree.name, from, until, to: now(), othersPercent: neighbours.percent() };
  }

  close(): void {
    this.#client.close();
    this.#view.close();
  }
}

type Saving = { folder: string; label: string; rate: number };

function toSaverJob(service: Service, { folder, label, rate }: Saving): SaverJob {
  const job: Job = {
    ...savesInto(service, folder),
    label,
    areNamesOrdered: false,
    connections: saverConnections,
    limit: { requests: Number.MAX_SAFE_INTEGER },
  };
  return { job, perSecond: rate };
}

function toMarkdown(rows: PhaseRow[], options: Options, built: Built): string {
  const facts = [
    `trees of ${built.trees.map(({ entries }) => entries).join(' and ')} entries`,
    `${options.savesPerSecond} saves of 4 KiB a second over ${saverConnections} connections`,
  ];
  const head = [
    '',
    'took s',
    'saves',
    'p50 ms',
    'p99 ms',
    'max ms',
    'own max',
    'max ÷ usual p99',
    'own max ÷',
    `≤ ${mostRatio}`,
    'too long',
    'others %',
  ];
  const tables = built.trees.map(({ name }) => {
    const cells = rows
      .filter(({ tree }) => tree === name)
      .map((row) => [
        row.name,
        show(row.seconds, 1),
        String(row.saves),
        show(row.p50Ms, 1),
        show(row.p99Ms, 1),
        show(row.maxMs, 1),
        show(row.ownMaxMs, 1),
        show(row.ratio, 1),
        show(row.ownRatio, 1),
        row.name === 'usual' ? '' : isHeld(row) ? 'holds' : 'missed',
        String(row.tooLong),
        show(row.othersPercent, 0),
      ]);
    return `A tree of ${name}:\n\n${layOut(head, cells)}`;
  });
  return `${describeConditions(options, facts)}\n\n${tables.join('\n\n')}\n`;
}
