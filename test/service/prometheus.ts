// Reads Prometheus' text format 0.0.4 and refuses whatever is not exactly it: a strict reader, for tests.

import assert from 'node:assert/strict';

export interface ReadSample {
  /** With `_bucket`, `_sum` or `_count` for a histogram. */
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface ReadFamily {
  name: string;
  type: string;
  help: string;
  samples: ReadSample[];
}

const types = ['counter', 'gauge', 'histogram'];
const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const number = '[+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf)|NaN';
const helpLine = new RegExp(`^# HELP (${metricName}) (\\S.*)$`);
const typeLine = new RegExp(`^# TYPE (${metricName}) (\\w+)$`);
const sampleLine = new RegExp(`^(${metricName})(?:\\{(.*)\\})? (${number})$`);
const labelForm = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/;

export function readMetrics(text: string): Map<string, ReadFamily> {
  assert.ok(text.endsWith('\n'), 'the last line ends too');
  const families = new Map<string, ReadFamily>();
  const seen = new Set<string>();
  let family: ReadFamily = { name: '', type: '', help: '', samples: [] };
  for (const line of text.slice(0, -1).split('\n')) {
    const [, helped, help] = helpLine.exec(line) ?? [];
    const [, typed, type = ''] = typeLine.exec(line) ?? [];
    if (helped !== undefined) {
      assert.ok(!families.has(helped), `${helped} stands there twice`);
      family = { name: helped, type: '', help: help as string, samples: [] };
      families.set(helped, family);
    } else if (typed !== undefined) {
      assert.equal(typed, family.name, 'HELP, TYPE and samples of a metric stand together');
      assert.ok(types.includes(type), type);
      family.type = type;
    } else {
      assert.ok(!line.startsWith('#'), line);
      const sample = readSample(line);
      const key = line.slice(0, line.lastIndexOf(' '));
      assert.ok(!seen.has(key), `${key} stands there twice`);
      seen.add(key);
      assertBelongs(sample, family);
      family.samples.push(sample);
    }
  }
  for (const read of families.values()) checkFamily(read);
  return families;
}

function readSample(line: string): ReadSample {
  const [, name, inside = '', value] = sampleLine.exec(line) ?? [];
  assert.ok(name !== undefined && value !== undefined, `not a sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = inside; rest !== ''; ) {
    const [all, label, text] = labelForm.exec(rest) ?? [];
    assert.ok(all !== undefined && label !== undefined && text !== undefined, `not labels: ${line}`);
    assert.ok(!(label in labels), `a label stands there twice: ${line}`);
    labels[label] = text.replaceAll(/\\(["\\n])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
    rest = rest.slice(all.length);
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function assertBelongs({ name }: ReadSample, family: ReadFamily): void {
  assert.ok(family.type !== '', `${name} comes before its HELP and TYPE`);
  const names = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  assert.ok(
    names.some((end) => name === `${family.name}${end}`),
    `${name} stands among the samples of ${family.name}`,
  );
}

function checkFamily({ name, type, samples }: ReadFamily): void {
  assert.ok(samples.length > 0, `${name} has no sample`);
  if (type === 'counter') {
    assert.ok(name.endsWith('_total'), `${name}: counters end in _total`);
    for (const { value } of samples) assert.ok(value >= 0, `${name} is ${value}`);
  }
  if (type !== 'histogram') return;
  const series = Map.groupBy(samples, ({ labels: { le, ...labels } }) => JSON.stringify(labels));
  for (const [labels, of] of series) {
    const buckets = of.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map((bucket) => Number(String(bucket.labels.le).replace('Inf', 'Infinity')));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      `${name} ${labels}: bounds grow`,
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, `${name} ${labels}: the last bucket has all`);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name} ${labels}: buckets hold those before them`,
    );
    assert.equal(counts.at(-1), of.find((sample) => sample.name === `${name}_count`)?.value);
    assert.ok(of.some((sample) => sample.name === `${name}_sum`));
  }
}

/** The sum of the samples that have these labels. */
export function sumOf(families: Map<string, ReadFamily>, name: string, labels: Record<string, string> = {}): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const samples = family?.samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return (samples ?? []).reduce((sum, { value }) => sum + value, 0);
}
