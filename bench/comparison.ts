// Lines of one scenario, each measured on every server in turns: the table, and the ratios to the others with their bars.

import { cabinet, type Medians, measure, type Started, toMedians } from './beside.ts';
import type { Children } from './children.ts';
import { Neighbours } from './cost.ts';
import type { Job, Measurement } from './job.ts';
import type { Options } from './options.ts';
import { fileServers } from './peers/file-servers.ts';
import type { Outcome } from './scenario.ts';
import { divide, layOut, show } from './table.ts';

/** By server and line: Cabinet's rate ÷ the server's is at least, its processor time ÷ the server's at most. */
export type Bars = {
  perSecond: Record<string, Record<string, number>>;
  cpu: Record<string, Record<string, number>>;
};

type Row = Medians & { line: string; server: string };

export class Comparison {
  readonly #children: Children;
  readonly #servers: readonly Started[];
  readonly #samples = new Map<string, Map<string, Measurement[]>>();
  readonly #neighbours = new Neighbours();

  constructor(children: Children, servers: readonly Started[]) {
    this.#children = children;
    this.#servers = servers;
  }

  async measure(line: string, toJob: (server: Started) => Job | null): Promise<void> {
    const byServer = this.#samples.get(line) ?? new Map<string, Measurement[]>();
    this.#samples.set(line, byServer);
    for (const server of this.#servers) {
      const job = toJob(server);
      if (job === null) continue;
      const measured = await measure(this.#children, `${line}, ${server.name}`, job);
      byServer.set(server.name, [...(byServer.get(server.name) ?? []), measured]);
    }
  }

  facts({ rounds, seconds }: Options): string[] {
    return [`medians of ${rounds} rounds of ${seconds} s`, `others ${show(this.#neighbours.percent(), 0)} %`];
  }

  toOutcome(conditions: string, bars: Bars): Outcome {
    const rows = [...this.#samples].flatMap(([line, byServer]) =>
      [...byServer].map(([server, samples]): Row => ({ line, server, ...toMedians(samples) })),
    );
    const held = [
      ...toBars(rows, bars.perSecond, { what: 'requests/s', read: (row) => row.perSecond, isLeast: true }),
      ...toBars(rows, bars.cpu, { what: 'CPU', read: (row) => row.cpuMicros, isLeast: false }),
    ];
    const versions = this.#servers.flatMap(({ version }) => (version === '' ? [] : [version])).join(', ');
    const parts = [
      conditions,
      toTable(rows),
      layOut(['Bar', 'measured', 'bar', ''], held.map(toCells)),
      `Beside: ${versions}.`,
    ];
    return { markdown: `${parts.join('\n\n')}\n`, isHeld: held.every(({ holds }) => holds), figures: { rows, held } };
  }
}

function toTable(rows: Row[]): string {
  const cells = rows.map((row) => [
    row.line,
    row.server,
    row.perSecond.toFixed(0),
    row.p50Ms.toFixed(1),
    row.p99Ms.toFixed(1),
    show(row.cpuMicros, 0),
    show(divide(row.rssBytes, 1024 * 1024), 0),
  ]);
  return layOut(['', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'RSS MiB'], cells);
}

/** `ratio` is null where there was nothing to measure beside: such a bar does not hold. */
type Held = { what: string; ratio: number | null; bar: string; holds: boolean };

function toBars(
  rows: Row[],
  bars: Bars['cpu'],
  { what, read, isLeast }: { what: string; read(row: Row): number | null; isLeast: boolean },
): Held[] {
  const find = (line: string, server: string) => rows.find((row) => row.line === line && row.server === server);
  return Object.entries(bars).flatMap(([key, lines]) =>
    Object.entries(lines).flatMap(([line, bar]): Held[] => {
      const own = find(line, cabinet);
      if (own === undefined) return [];
      const name = fileServers[key]?.name ?? key;
      const other = find(line, name);
      const ratio = other === undefined ? null : divide(read(own), read(other));
      const holds = ratio !== null && (isLeast ? ratio >= bar : ratio <= bar);
      return [{ what: `${line}: ${what} ÷ ${name}`, ratio, bar: `${isLeast ? '≥' : '≤'} ${bar}`, holds }];
    }),
  );
}

function toCells({ what, ratio, bar, holds }: Held): string[] {
  return [what, show(ratio, 2), bar, ratio === null ? 'not measured' : holds ? 'holds' : 'missed'];
}
