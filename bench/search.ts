// The scenario `search`: whether queries of a large index cost a few page reads, and whether indexing keeps up with saving. Every
// document is saved over HTTP, as a client would; nothing waits for the index until all are saved.

import type { Children } from './children.ts';
import { Client, readNextLink } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours, untilQuiet } from './cost.ts';
import type { Options } from './options.ts';
import { readThreadMicros } from './process-cost.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { askIndex, createFolder, isInStep, startService } from './service.ts';
import { divide, layOut, quantile, show } from './table.ts';
import { makeWord, Words } from './words.ts';

const filesPerFolder = 1000;
const savesInFlight = 32;
const wordsPerDocument = 250;
const repeats = 100;
const warmUps = 10;
/** "a few page reads" */
const mostPageReads = 5;
/** The index is up to date this share of the saving time after the last save. */
const mostLagShare = 0.1;
const pagesDeep = 10;
const mostQuietSeconds = 60;

type Measured = { client: Client; pid: number };
type Kind = { what: string; ask: (index: number) => string; least: number };
type Row = { what: string; p50Ms: number; p95Ms: number; cpuMicros: number | null; results: number };
type Indexing = {
  documents: number;
  saveSeconds: number;
  lagSeconds: number;
  behind: number;
  /** Indexing all of it again, with nothing else to do. */
  aloneSeconds: number;
};

export const search: Scenario = {
  what: 'questions to a large index beside reading a page, and whether indexing keeps up with saving',
  size: 100_000,
  async run(children, options) {
    const service = await startService(children, options);
    const client = new Client(service);
    const neighbours = new Neighbours();
    const folders: string[] = [];
    const count = options.size ?? 0;
    for (let made = 0; made < count; made += filesPerFolder) {
      folders.push(await createFolder(service, `folder ${folders.length}`));
    }
    const indexing = await saveAll(client, folders, { count, children, options });
    await untilQuiet(children, service, { ...options, waitSeconds: mostQuietSeconds });
    const measured = { client, pid: service.pid };
    const pages = await measure(measured, {
      what: 'GET /folders/{id}, 100 children',
      ask: (index) => `/folders/${folders[index % folders.length]}`,
      least: 1,
    });
    const rows: Row[] = [];
    for (const kind of toKinds(folders, count)) rows.push(await measure(measured, kind));
    rows.push(await measureDeep(measured));
    client.close();
    const facts = [`${count} documents of ${wordsPerDocument} words`, `others used ${show(neighbours.percent(), 0)} %`];
    const isHeld = rows.every((row) => row.p50Ms <= mostPageReads * pages.p50Ms) && keepsUp(indexing);
    const markdown = toMarkdown(describeConditions(options, facts), { pages, rows, indexing });
    return { markdown, isHeld, figures: { indexing, pages, rows } };
  },
};

function keepsUp({ saveSeconds, lagSeconds }: Indexing): boolean {
  return lagSeconds <= mostLagShare * saveSeconds;
}

async function saveAll(
  client: Client,
  folders: readonly string[],
  { count, children, options }: { count: number; children: Children; options: Options },
): Promise<Indexing> {
  say(`saving ${count} documents`);
  const words = new Words(wordsPerDocument);
  const startMs = performance.now();
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next++;
      const headers = {
        FolderId: folders[Math.floor(index / filesPerFolder)] as string,
        FileName: `${words.name(index)}.txt`,
        Prefer: 'return=minimal',
        'Content-Type': 'text/plain',
      };
      await client.ask('/files', { method: 'POST', headers, body: words.document(index) });
    }
  };
  await Promise.all(Array.from({ length: savesInFlight }, work));
  const savedMs = performance.now();
  const first = await askIndex(children, options, 'status');
  say(`saved; ${first.Behind} changes are not indexed yet`);
  let status = first;
  while (!isInStep(status)) {
    await sleep(50);
    status = await askIndex(children, options, 'status');
  }
  const lagSeconds = first === status ? 0 : (performance.now() - savedMs) / 1000;
  if (status.Indexed < count) throw new Error(`only ${status.Indexed} of ${count} documents are indexed`);
  const aloneMs = performance.now();
  await askIndex(children, options, 'rebuild');
  const aloneSeconds = (performance.now() - aloneMs) / 1000;
  return { documents: count, saveSeconds: (savedMs - startMs) / 1000, lagSeconds, behind: first.Behind, aloneSeconds };
}

/** Words by how many of the documents have them; see `words.ts`. */
function toKinds(folders: readonly string[], count: number): Kind[] {
  const ask = (text: string, more = '') => `/search?q=${encodeURIComponent(text)}${more}`;
  return [
    { what: 'a word of one document in a thousand', ask: (index) => ask(makeWord(20_000 + 17 * index)), least: 0 },
    { what: 'a word of one document in a hundred', ask: (index) => ask(makeWord(2000 + index)), least: 1 },
    { what: 'a word of every document', ask: () => ask('everywhere'), least: 100 },
    {
      what: 'three usual words',
      ask: (index) => ask(`everywhere ${makeWord(index % 5)} ${makeWord(5 + (index % 7))}`),
      least: 1,
    },
    { what: 'a phrase', ask: (index) => ask(`"everywhere ${makeWord(index % 20)}"`), least: 1 },
    { what: 'a beginning of three letters', ask: (index) => ask(`${makeWord(index).slice(0, 3)}*`), least: 1 },
    { what: 'a beginning of four letters', ask: (index) => ask(`${makeWord(index + 50).slice(0, 4)}*`), least: 1 },
    { what: 'a name', ask: (index) => ask(`report ${(index * 37) % count}`), least: 1 },
    {
      what: 'a word of every document, in one folder',
      ask: (index) => ask('everywhere', `&folder=${folders.at(-1 - (index % 3)) ?? ''}`),
      least: 1,
    },
    { what: 'nothing', ask: (index) => ask(`nosuchword${index}`), least: 0 },
  ];
}

async function measure({ client, pid }: Measured, { what, ask, least }: Kind): Promise<Row> {
  const times: number[] = [];
  let results = 0;
  let before: number | null = null;
  for (let index = 0; index < warmUps + repeats; index++) {
    const { body, ms } = await client.ask(ask(index));
    const { Results, Children } = JSON.parse(body.toString()) as { Results?: unknown[]; Children?: unknown[] };
    const found = (Results ?? Children)?.length ?? 0;
    if (found < least) throw new Error(`${what}: ${ask(index)} found ${found}, wanted ${least} or more`);
    if (index < warmUps) {
      before = readThreadMicros(pid);
      continue;
    }
    times.push(ms);
    results += found;
  }
  const after = readThreadMicros(pid);
  const cpuMicros = before === null || after === null ? null : (after - before) / repeats;
  return toRow({ what, times, cpuMicros, results: results / repeats });
}

/** The tenth page costs what the first one does. */
async function measureDeep({ client, pid }: Measured): Promise<Row> {
  let next = '/search?q=everywhere';
  for (let page = 1; page < pagesDeep; page++) {
    const link = readNextLink((await client.ask(next)).headers);
    if (link === null) break;
    next = link;
  }
  return await measure(
    { client, pid },
    { what: `page ${pagesDeep} of a word of every document`, ask: () => next, least: 1 },
  );
}

type Times = { what: string; times: number[]; cpuMicros: number | null; results: number };

function toRow({ times, ...row }: Times): Row {
  const sorted = times.toSorted((left, right) => left - right);
  return { ...row, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
}

function toMarkdown(
  conditions: string,
  { pages, rows, indexing }: { pages: Row; rows: readonly Row[]; indexing: Indexing },
): string {
  const { documents, saveSeconds, lagSeconds, behind, aloneSeconds } = indexing;
  const cells = [pages, ...rows].map(({ what, p50Ms, p95Ms, cpuMicros, results }) => [
    what,
    p50Ms.toFixed(2),
    p95Ms.toFixed(2),
    (p50Ms / pages.p50Ms).toFixed(2),
    p50Ms <= mostPageReads * pages.p50Ms ? 'holds' : 'missed',
    show(cpuMicros, 0),
    show(divide(cpuMicros, pages.cpuMicros), 2),
    results.toFixed(0),
  ]);
  const saveRate = documents / saveSeconds;
  const indexRate = documents / (saveSeconds + lagSeconds);
  const rates = [
    ['saved, documents/s', saveRate.toFixed(0), ''],
    ['indexed, documents/s', indexRate.toFixed(0), ''],
    ['indexed again, alone, documents/s', (documents / aloneSeconds).toFixed(0), ''],
    ['not indexed at the last save', String(behind), ''],
    ['seconds until they were', lagSeconds.toFixed(1), keepsUp(indexing) ? 'keeps up' : 'falls behind'],
  ];
  const head = ['p50 ms', 'p95 ms', 'page reads', `≤ ${mostPageReads}`, 'CPU µs', 'page reads', 'results'];
  const questions = layOut(['question', ...head], cells);
  return `${conditions}\n\n${questions}\n\n${layOut(['indexing', 'measured', ''], rates)}\n`;
}
