// The scenario `archive`: many small files and one very large one are taken in by `cabinet import` and come back as ZIPs. Each ZIP
// is read twice, by our own strict reader and by `unzip -t` where that is installed, while saves go on at a steady rate. `--size` is the
// number of files; the large one has 5 GiB for each 100,000 of them.

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readZip } from '../src/archive/zip-reader-for-tests.ts';
import { hasProgram } from '../test/service/programs.ts';
import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import type { Options } from './options.ts';
import { readPeakRssBytes, readRssBytes, resetPeakRss } from './process-cost.ts';
import type { SaverJob, SaverResult } from './saver.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { createFolder, type Service, startService, toEnvironment } from './service.ts';
import { layOut, quantile, show } from './table.ts';

const mebibyte = 1024 * 1024;
const largeBytesPerFile = (5 * 1024 * mebibyte) / 100_000;
const filesInFolder = 1000;
const savesPerSecond = 5;
/** One that is not needed would be closed by the service after a while. */
const saverConnections = 1;
/** Above what the service had before: for what is on its way, and for what fills with whatever is read, which is the reader's page
 *  cache and V8's young generation. */
const mostGrownBytes = (64 + 32 + 3 * 32) * mebibyte;

type Row = { what: string; count: number; bytes: number; seconds: number; peakBytes: number | null; saves: Waits };
type Waits = { p50: number; p99: number; most: number };

export const archive: Scenario = {
  what: 'many files and a very large one, taken in by import and given back as ZIPs, and the memory that takes',
  size: 100_000,
  async run(children, options) {
    const size = options.size ?? 0;
    const largeBytes = Math.ceil(size * largeBytesPerFile) + 12_345;
    makeTrees(children, size, largeBytes);
    const service = await startService(children, options);
    const stage: Stage = {
      children,
      options,
      service,
      client: new Client(service),
      saves: await createFolder(service, 's'),
    };
    const rows: Row[] = [];
    await sleep(1000);
    const idleBytes = readRssBytes(service.pid);
    const expected = { many: { count: size, bytes: 0 }, large: { count: 1, bytes: largeBytes } };
    for (const tree of ['many', 'large'] as const) rows.push(await importTree(stage, tree, expected[tree]));
    await sleep(2000);
    const beforeBytes = readRssBytes(service.pid);
    for (const tree of ['many', 'large'] as const) rows.push(await readArchive(stage, tree, expected[tree]));
    stage.client.close();
    const grown = toGrown(rows, beforeBytes);
    const isHeld = grown === null || grown <= mostGrownBytes;
    const markdown = toMarkdown(rows, { options, idleBytes, grown, isHeld });
    return { markdown, isHeld, figures: { rows, idleBytes, beforeBytes } };
  },
};

type Tree = 'many' | 'large';
type Stage = { children: Children; options: Options; service: Service; client: Client; saves: string };
type Expected = { count: number; bytes: number };

/** The large file has almost no bytes on the disk that it comes from. */
function makeTrees(children: Children, size: number, largeBytes: number): void {
  say(`making ${size} files, and one of ${toMib(largeBytes)} MiB`);
  for (let index = 0; index < size; index += 1) {
    const folder = join(children.folder, 'many', `folder ${Math.floor(index / filesInFolder)}`);
    if (index % filesInFolder === 0) mkdirSync(folder, { recursive: true });
    const file = openSync(join(folder, `Grüße ${index}.txt`), 'w');
    writeSync(file, `file ${index}\n`.repeat(1 + (index % 100)));
    closeSync(file);
  }
  mkdirSync(join(children.folder, 'large'));
  const file = openSync(join(children.folder, 'large', 'large.bin'), 'w');
  ftruncateSync(file, largeBytes);
  writeSync(file, 'in the middle', Math.floor(largeBytes / 2));
  writeSync(file, 'at the end', largeBytes - 10);
  closeSync(file);
}

async function importTree(stage: Stage, tree: Tree, expected: Expected): Promise<Row> {
  const { children, options } = stage;
  const row = await measure(stage, `import ${tree}`, async () => {
    const args = ['import', join(children.folder, tree), '--app', 'bench', '--into', `/${tree}`, '--json'];
    const env = toEnvironment(children, options);
    const report = (await children.run({ program: options.program, args, env })) as { Files: number; Bytes: number };
    if (report.Files !== expected.count) throw new Error(`${report.Files} files were taken, wanted ${expected.count}`);
    expected.bytes = report.Bytes;
    return { count: report.Files, bytes: report.Bytes };
  });
  rmSync(join(children.folder, tree), { recursive: true });
  return row;
}

async function readArchive(stage: Stage, tree: Tree, expected: Expected): Promise<Row> {
  const zip = join(stage.children.folder, `${tree}.zip`);
  const folder = await stage.client.json<{ Folder: { Id: string } }>(`/folders?path=/${tree}&limit=1`);
  const row = await measure(stage, `archive of ${tree}`, async () => {
    await pipeline(await stage.client.open(`/folders/${folder.Folder.Id}/archive`), createWriteStream(zip));
    return expected;
  });
  const { entries } = await readZip(createReadStream(zip, { highWaterMark: mebibyte }) as AsyncIterable<Buffer>);
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (files.length !== expected.count || bytes !== expected.bytes)
    throw new Error(`the archive has ${files.length} files of ${bytes} bytes, wanted ${JSON.stringify(expected)}`);
  unzip(zip);
  rmSync(zip);
  return row;
}

function unzip(zip: string): void {
  if (!hasProgram('unzip')) return;
  const { status, stdout } = spawnSync('unzip', ['-tq', zip], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`unzip -t ended with ${status}: ${stdout}`);
  else say(stdout.trim());
}

async function measure(stage: Stage, what: string, run: () => Promise<Expected>): Promise<Row> {
  const { service, children } = stage;
  resetPeakRss(service.pid);
  const args = [`${import.meta.dirname}/saver.ts`];
  const saver = children.begin({ program: process.execPath, args, input: JSON.stringify(toSaverJob(stage, what)) });
  const startMs = performance.now();
  const { count, bytes } = await run();
  const seconds = (performance.now() - startMs) / 1000;
  const peakBytes = readPeakRssBytes(service.pid);
  const { failure, latencyMs } = (await saver.end()) as SaverResult;
  if (failure !== null) throw new Error(`a save got a wrong answer: ${failure}`);
  say(`${what}: ${seconds.toFixed(1)} s`);
  const sorted = latencyMs.toSorted((left, right) => left - right);
  const saves = { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), most: sorted.at(-1) ?? 0 };
  return { what, count, bytes, seconds, peakBytes, saves };
}

function toSaverJob({ service, saves }: Stage, label: string): SaverJob {
  const job = {
    port: Number(new URL(service.base).port),
    path: '/v1/contentmanagement/files',
    headers: { ...service.headers, FolderId: saves, Prefer: 'return=minimal' },
    label: label.replaceAll(' ', '-'),
    areNamesOrdered: false,
    connections: saverConnections,
    expect: { kind: 'saved', childrenCount: 1 } as const,
    limit: { requests: Number.MAX_SAFE_INTEGER },
    serverPids: [service.pid],
  };
  return { job, perSecond: savesPerSecond };
}

function toGrown(rows: readonly Row[], beforeBytes: number | null): number | null {
  const peaks = rows.filter(({ what }) => what.startsWith('archive')).map(({ peakBytes }) => peakBytes);
  return beforeBytes === null || peaks.includes(null) ? null : Math.max(...(peaks as number[])) - beforeBytes;
}

type Summary = { options: Options; idleBytes: number | null; grown: number | null; isHeld: boolean };

function toMarkdown(rows: Row[], { options, idleBytes, grown, isHeld }: Summary): string {
  const head = ['', 'files', 'MiB', 's', 'files/s', 'MiB/s', 'peak RSS MiB', 'save p50 ms', 'p99', 'max'];
  const cells = rows.map(({ what, count, bytes, seconds, peakBytes, saves }) => [
    what,
    String(count),
    toMib(bytes),
    show(seconds, 1),
    show(count / seconds, 0),
    show(bytes / mebibyte / seconds, 0),
    peakBytes === null ? 'n/a' : toMib(peakBytes),
    show(saves.p50, 1),
    show(saves.p99, 1),
    show(saves.most, 0),
  ]);
  const idle = `idle at ${idleBytes === null ? 'n/a' : toMib(idleBytes)} MiB`;
  const verdict = `The archives took ${grown === null ? 'n/a' : toMib(grown)} MiB more memory than the service had before them (≤ ${toMib(mostGrownBytes)}: ${isHeld ? 'holds' : 'missed'}).`;
  const facts = [idle, `${savesPerSecond} saves of 4 KiB a second meanwhile`];
  return `${describeConditions(options, facts)}\n\n${layOut(head, cells)}\n\n${verdict}\n`;
}

function toMib(bytes: number): string {
  return (bytes / mebibyte).toFixed(0);
}
