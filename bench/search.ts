// The scenario `search`: whether questions to a large index cost a few page reads, and whether indexing keeps up with saving.
// Every document is saved over HTTP, as a client would; nothing waits for the index until all are saved.

import type { Children } from './children.ts';
import { Client, readNextLink } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours } from './cost.ts';
import type { Options } from './options.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { createFolder, startService, toEnvironment } from './service.ts';
import { layOut, quantile, show } from './table.ts';
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

type Kind = { what: string; ask: (index: number) => string; least: number };
type Row = { what: string; p50Ms: number; p95Ms: number; results: number };
type Status = { Indexed: number; Waiting: number; Behind: number; Building: boolean };
type Indexing = { documents: number; saveSeconds: number; lagSeconds: number; behind: number };

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
    const pages = await measure(client, {
      what: 'GET /folders/{id}, 100 children',
      ask: (index) => `/folders/${folders[index % folders.length]}`,
      least: 1,
    });
    const rows: Row[] = [];
    for (const kind of toKinds(folders)) rows.push(await measure(client, kind));
    rows.push(await measureDeep(client));
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
  const first = await readStatus(children, options);
  say(`saved; ${first.Behind} changes are not indexed yet`);
  let status = first;
  while (status.Behind + status.Waiting > 0 || status.Building) {
    await sleep(50);
    status = await readStatus(children, options);
  }
  const lagSeconds = first === status ? 0 : (performance.now() - savedMs) / 1000;
  if (status.Indexed < count) throw new Error(`only ${status.Indexed} of ${count} documents are indexed`);
  return { documents: count, saveSeconds: (savedMs - startMs) / 1000, lagSeconds, behind: first.Behind };
}

async function readStatus(children: Children, options: Options): Promise<Status> {
  const env = toEnvironment(children, options);
  return (await children.run({ program: options.program, args: ['search', 'status', '--json'], env })) as Status;
}

/** Words by how many of the documents have them; see `words.ts`. */
function toKinds(folders: readonly string[]): Kind[] {
  const ask = (text: string, more = '') => `/search?q=${encodeURIComponent(text)}${more}`;
  return [
    { what: 'a rare word', ask: (index) => ask(makeWord(20_000 + 17 * index)), least: 0 },
    { what: 'a word of one document in a hundred', ask: (index) => ask(makeWord(300 + index)), least: 1 },
    { what: 'a word of every document', ask: () => ask('everywhere'), least: 100 },
    {
      what: 'three usual words',
      ask: (index) => ask(`everywhere ${makeWord(index % 5)} ${makeWord(5 + (index % 7))}`),
      least: 1,
    },
    { what: 'a phrase', ask: (index) => ask(`"everywhere ${makeWord(index % 20)}"`), least: 1 },
    { what: 'a beginning of three letters', ask: (index) => ask(`${makeWord(index).slice(0, 3)}*`), least: 1 },
    { what: 'a beginning of four letters', ask: (index) => ask(`${makeWord(index + 50).slice(0, 4)}*`), least: 1 },
    { what: 'a name', ask: (index) => ask(`report ${index * 37}`), least: 1 },
    {
      what: 'a word of every document, in one folder',
      ask: (index) => ask('everywhere', `&folder=${folders.at(-1 - (index % 3)) ?? ''}`),
      least: 1,
    },
    { what: 'nothing', ask: (index) => ask(`nosuchword${index}`), least: 0 },
  ];
}

async function measure(client: Client, { what, ask, least }: Kind): Promise<Row> {
  const times: number[] = [];
  let results = 0;
  for (let index = 0; index < warmUps + repeats; index++) {
    const { body, ms } = await client.ask(ask(index));
    const { Results, Children } = JSON.parse(body.toString()) as { Results?: unknown[]; Children?: unknown[] };
    const found = (Results ?? Children)?.length ?? 0;
    if (found < least) throw new Error(`${what}: ${ask(index)} found ${found}, wanted ${least} or more`);
    if (index < warmUps) continue;
    times.push(ms);
    results += found;
  }
  return toRow(what, times, results / repeats);
}

/** The tenth page costs what the first one does. */
async function measureDeep(client: Client): Promise<Row> {
  let next = '/search?q=everywhere';
  for (let page = 1; page < pagesDeep; page++) {
    const link = readNextLink((await client.ask(next)).headers);
    if (link === null) break;
    next = link;
  }
  return await measure(client, { what: `page ${pagesDeep} of a word of every document`, ask: () => next, least: 1 });
}

function toRow(what: string, times: number[], results: number): Row {
  const sorted = times.toSorted((left, right) => left - right);
  return { what, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95), results };
}

function toMarkdown(
  conditions: string,
  { pages, rows, indexing }: { pages: Row; rows: readonly Row[]; indexing: Indexing },
): string {
  const { documents, saveSeconds, lagSeconds, behind } = indexing;
  const cells = [pages, ...rows].map(({ what, p50Ms, p95Ms, results }) => [
    what,
    p50Ms.toFixed(2),
    p95Ms.toFixed(2),
    (p50Ms / pages.p50Ms).toFixed(2),
    results.toFixed(0),
  ]);
  const saveRate = documents / saveSeconds;
  const indexRate = documents / (saveSeconds + lagSeconds);
  const rates = [
    ['saved, documents/s', saveRate.toFixed(0), ''],
    ['indexed, documents/s', indexRate.toFixed(0), ''],
    ['not indexed at the last save', String(behind), ''],
    ['seconds until they were', lagSeconds.toFixed(1), keepsUp(indexing) ? 'keeps up' : 'falls behind'],
  ];
  const questions = layOut(['question', 'p50 ms', 'p95 ms', 'page reads', 'results'], cells);
  return `${conditions}\n\n${questions}\n\n${layOut(['indexing', 'measured', ''], rates)}\n`;
}
