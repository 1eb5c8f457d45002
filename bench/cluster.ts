// The scenario `cluster`: saves on PostgreSQL beside bare inserts into it, and two nodes beside one. They take turns in one run;
// medians are reported.

import { type Postgres, startPostgres } from '../test/cluster/postgres.ts';
import type { BareJob, BareResult } from './bare-inserts.ts';
import type { Children } from './children.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours } from './cost.ts';
import type { Options } from './options.ts';
import { readCpuMicros, readThreadMicros } from './process-cost.ts';
import { measureLoad } from './run-load.ts';
import { type Scenario, say } from './scenario.ts';
import { type Application, createFolder, type Service, savesInto, startService } from './service.ts';
import { divide, layOut, median, medianKnown, show } from './table.ts';

const connections = 64;
/** Of the rate of bare inserts, and of the rate of one node. */
const leastOfBare = 0.6;
const leastOfOne = 0.85;

type Sample = { perSecond: number; nodeMicros: number | null; postgresMicros: number | null; walBytes: number | null };

const kinds = ['bare inserts', 'one node', 'two nodes'] as const;
type Kind = (typeof kinds)[number];

export const cluster: Scenario = {
  what: 'saves on PostgreSQL, on one node and on two, beside bare inserts',
  size: null,
  async run(children, options) {
    const postgres = await startPostgres({ shared_buffers: '256MB' });
    try {
      const neighbours = new Neighbours();
      const bench = await ClusterBench.open(children, options, postgres);
      const samples = await bench.measureAll();
      await bench.close();
      const { markdown, isHeld } = toReport(samples);
      const facts = [`${connections} connections, saves of 4 KiB`, `others used ${show(neighbours.percent(), 0)} %`];
      const figures = { samples: Object.fromEntries(samples) };
      return { markdown: `${describeConditions(options, facts)}\n\n${markdown}\n`, isHeld, figures };
    } finally {
      await postgres.stop();
    }
  },
};

class ClusterBench {
  readonly #children: Children;
  readonly #options: Options;
  readonly #postgres: Postgres;
  readonly #nodes: Service[] = [];
  readonly #folders: string[] = [];
  #jobs = 0;

  private constructor(children: Children, options: Options, postgres: Postgres) {
    this.#children = children;
    this.#options = options;
    this.#postgres = postgres;
  }

  static async open(children: Children, options: Options, postgres: Postgres): Promise<ClusterBench> {
    const bench = new ClusterBench(children, options, postgres);
    let application: Application | undefined;
    for (const name of ['one', 'two']) {
      const service = await startService(children, toNodeOptions(options, postgres.url, name), application);
      application ??= service.application;
      bench.#nodes.push(service);
      bench.#folders.push(await createFolder(service, name));
    }
    return bench;
  }

  async measureAll(): Promise<Map<Kind, Sample[]>> {
    const samples = new Map<Kind, Sample[]>(kinds.map((kind) => [kind, []]));
    for (let round = 1; round <= this.#options.rounds; round++) {
      for (const kind of kinds) {
        const sample = await this.#measure(kind);
        samples.get(kind)?.push(sample);
        say(`round ${round}, ${kind}: ${Math.round(sample.perSecond)}/s`);
      }
    }
    return samples;
  }

  async #measure(kind: Kind): Promise<Sample> {
    const nodes = kind === 'bare inserts' ? [] : this.#nodes.slice(0, kind === 'one node' ? 1 : 2);
    const before = await this.#look(nodes);
    const { requests, seconds } = nodes.length === 0 ? await this.#insert() : await this.#save(nodes);
    const after = await this.#look(nodes);
    return {
      perSecond: requests / seconds,
      nodeMicros: nodes.length === 0 ? null : divide(after.nodeMicros - before.nodeMicros, requests),
      postgresMicros: divide(after.postgresMicros - before.postgresMicros, requests),
      walBytes: divide(after.walBytes - before.walBytes, requests),
    };
  }

  async #look(nodes: readonly Service[]) {
    const nodeMicros = nodes.reduce((sum, { pid }) => sum + (readThreadMicros(pid) ?? 0), 0);
    const postgresMicros = readCpuMicros(this.#postgres.pid()) ?? 0;
    return { nodeMicros, postgresMicros, walBytes: await this.#postgres.walBytes() };
  }

  async #insert(): Promise<{ requests: number; seconds: number }> {
    const { seconds, warmupSeconds } = this.#options;
    const job: BareJob = { url: this.#postgres.url, connections, seconds, warmupSeconds };
    const args = [`${import.meta.dirname}/bare-inserts.ts`];
    return (await this.#children.run({
      program: process.execPath,
      args,
      input: JSON.stringify(job),
    })) as BareResult;
  }

  /** Each node has its share of the connections, and its own folder. */
  async #save(nodes: readonly Service[]): Promise<{ requests: number; seconds: number }> {
    const results = await Promise.all(
      nodes.map((node, index) => this.#load(node, this.#folders[index] as string, connections / nodes.length)),
    );
    return { requests: results.reduce((sum, { requests }) => sum + requests, 0), seconds: this.#options.seconds };
  }

  async #load(node: Service, folder: string, share: number): Promise<{ requests: number }> {
    const { seconds, warmupSeconds, areNamesOrdered } = this.#options;
    const measured = await measureLoad(this.#children, {
      ...savesInto(node, folder),
      label: String(this.#jobs++).padStart(4, '0'),
      areNamesOrdered,
      connections: share,
      limit: { seconds, warmupSeconds },
    });
    return { requests: (measured.requests / measured.seconds) * seconds };
  }

  async close(): Promise<void> {
    await this.#children.end(this.#nodes.map(({ pid }) => pid));
  }
}

function toNodeOptions(options: Options, url: string, name: string): Options {
  const settings = { ...options.settings, CABINET_CATALOG: url, CABINET_BLOBS: 'file:' };
  return { ...options, settings, dataName: name };
}

function toReport(samples: ReadonlyMap<Kind, Sample[]>): { markdown: string; isHeld: boolean } {
  const rate = (kind: Kind) => median((samples.get(kind) ?? []).map(({ perSecond }) => perSecond));
  const known = (kind: Kind, field: keyof Sample) => medianKnown((samples.get(kind) ?? []).map((one) => one[field]));
  const rows = kinds.map((kind) => [
    kind,
    show(rate(kind), 0),
    show(known(kind, 'nodeMicros'), 0),
    show(known(kind, 'postgresMicros'), 0),
    show(known(kind, 'walBytes'), 0),
  ]);
  const ofBare = rate('one node') / rate('bare inserts');
  const ofOne = rate('two nodes') / rate('one node');
  const bars = [
    `One node saves ${show(ofBare, 2)} times as many as bare inserts (≥ ${leastOfBare}: ${toWord(ofBare >= leastOfBare)}).`,
    `Two nodes on this machine save ${show(ofOne, 2)} times as many as one (≥ ${leastOfOne}: ${toWord(ofOne >= leastOfOne)}).`,
  ];
  const head = ['', 'in a second', 'node CPU µs', 'PostgreSQL CPU µs', 'WAL bytes'];
  return {
    markdown: `${layOut(head, rows)}\n\n${bars.join('\n')}`,
    isHeld: ofBare >= leastOfBare && ofOne >= leastOfOne,
  };
}

function toWord(isHeld: boolean): string {
  return isHeld ? 'holds' : 'missed';
}
