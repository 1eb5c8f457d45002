// Counters, gauges and histograms, and how Prometheus reads them (text format 0.0.4,
// prometheus.io/docs/instrumenting/exposition_formats). Code that counts keeps its series, so that counting is an
// addition without a lookup. Label values come from closed lists: nothing that a client sends becomes one.

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  labels: Labels;
  value: number;
}

/** Null: it does not exist here, or its value is not known now. */
export type Reading = number | readonly Sample[] | null;

type Kind = 'counter' | 'gauge' | 'histogram';

interface Family {
  name: string;
  help: string;
  kind: Kind;
  lines(): string[];
}

export class Counter {
  value = 0;

  add(count = 1): void {
    this.value += count;
  }
}

export class Histogram {
  readonly bounds: readonly number[];
  /** Of each bucket alone; the last one is beyond all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] as number)) at += 1;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += value;
  }
}

export class Registry {
  readonly #common: Labels;
  readonly #families: Family[] = [];

  /** `common`: labels of every series. */
  constructor(common: Labels = {}) {
    this.#common = common;
  }

  /** Returns a function that creates the series for some labels; each is created once and kept. */
  counters(name: string, help: string): (labels: Labels) => Counter {
    const made = new Map<string, Counter>();
    const lines = () => [...made].map(([labels, { value }]) => `${name}${labels} ${toText(value)}`);
    this.#families.push({ name, help, kind: 'counter', lines });
    return (labels) => this.#keep(made, labels, () => new Counter());
  }

  counter(name: string, help: string): Counter {
    return this.counters(name, help)({});
  }

  histograms(name: string, help: string, bounds: readonly number[]): (labels: Labels) => Histogram {
    const made = new Map<string, Histogram>();
    const lines = () => [...made].flatMap(([labels, histogram]) => toHistogramLines(name, labels, histogram));
    this.#families.push({ name, help, kind: 'histogram', lines });
    return (labels) => this.#keep(made, labels, () => new Histogram(bounds));
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.histograms(name, help, bounds)({});
  }

  /** A value that is counted elsewhere, or a current state: read at each scrape. */
  read(kind: 'counter' | 'gauge', name: string, help: string, read: () => Reading): void {
    const lines = () => {
      const reading = read();
      if (reading === null) return [];
      const samples = typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading;
      return samples.map(({ labels, value }) => `${name}${this.#render(labels)} ${toText(value)}`);
    };
    this.#families.push({ name, help, kind, lines });
  }

  render(): string {
    return this.#families
      .map(({ name, help, kind, lines }) => [lines(), `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`] as const)
      .filter(([lines]) => lines.length > 0)
      .map(([lines, head]) => `${head}${lines.join('\n')}\n`)
      .join('');
  }

  #keep<Series>(made: Map<string, Series>, labels: Labels, make: () => Series): Series {
    const key = this.#render(labels);
    const known = made.get(key);
    if (known !== undefined) return known;
    const series = make();
    made.set(key, series);
    return series;
  }

  #render(labels: Labels): string {
    const pairs = Object.entries({ ...this.#common, ...labels }).map(
      ([name, value]) => `${name}="${escapeLabel(value)}"`,
    );
    return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  }
}

function toHistogramLines(name: string, labels: string, { bounds, counts, sum }: Histogram): string[] {
  const open = labels === '' ? '{' : `${labels.slice(0, -1)},`;
  let below = 0;
  const buckets = counts.map((count, at) => {
    below += count;
    return `${name}_bucket${open}le="${at < bounds.length ? bounds[at] : '+Inf'}"} ${below}`;
  });
  return [...buckets, `${name}_sum${labels} ${toText(sum)}`, `${name}_count${labels} ${below}`];
}

function toText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function escapeLabel(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
}

/** Merges the texts of the threads of a process: equal series are added up, others are kept as they are. */
export function addUp(texts: readonly string[]): string {
  const families = new Map<string, Map<string, number>>();
  for (const text of texts) {
    for (const family of text.split(/^(?=# HELP )/m)) {
      const [help = '', type = '', ...lines] = family.trimEnd().split('\n');
      const head = `${help}\n${type}\n`;
      const sums = families.get(head) ?? new Map<string, number>();
      families.set(head, sums);
      for (const line of lines) {
        const at = line.lastIndexOf(' ');
        const series = line.slice(0, at);
        sums.set(series, (sums.get(series) ?? 0) + toNumber(line.slice(at + 1)));
      }
    }
  }
  return [...families]
    .map(([head, sums]) => head + [...sums].map(([series, value]) => `${series} ${toText(value)}\n`).join(''))
    .join('');
}

function toNumber(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}
