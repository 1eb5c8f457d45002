// `npm run test:faults -- --minutes N [--logs FOLDER]`: three nodes on one PostgreSQL and one S3, many clients, and a nemesis. In the end the
// history is checked, and what was counted is printed. Exit code 1: a promise was broken.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Caller, createFolder, fetchToken } from '../interface/client.ts';
import { readChanges } from '../interface/follower.ts';
import { eventually } from '../service/service.ts';
import { emptyByRestoring, findAll, readJournal } from './find-all.ts';
import { newStores, type OwnGround, startGround } from './ground.ts';
import { check, type Found, type Problem } from './history.ts';
import { Nemesis } from './nemesis.ts';
import { Line } from './network.ts';
import { addCaller, at, everyScope, type Node, type Nodes, startNodes } from './nodes.ts';
import { Workload } from './workload.ts';

const nodeCount = 3;
const followers = 3;
const recoveryMs = 30_000;
const mostShown = 20;
const longSeconds = 120;

interface Verdict {
  problems: Problem[];
  troubles: string[];
  counts: Record<string, Record<string, number>>;
}

export async function runFaults(seconds: number, logFolder: string | null): Promise<Verdict> {
  const ground = await startGround();
  const stores = await newStores(ground);
  const { port: s3Port } = new URL(ground.s3?.endpoint ?? 'http://127.0.0.1:0');
  const toPostgres = await openLines(ground.server.port);
  const toS3 = ground.s3 === null ? [] : await openLines(Number(s3Port));
  const nodes = await startNodes(nodeCount, {
    environment: { ...stores, CABINET_LOG_LEVEL: 'warn' },
    isTroubled: true,
    toOptions: (index) => ({
      environment: {
        CABINET_CATALOG: stores.CABINET_CATALOG.replace(`:${ground.server.port}/`, `:${toPostgres[index]?.port}/`),
        CABINET_BLOBS: stores.CABINET_BLOBS.replace(
          encodeURIComponent(`:${s3Port}`),
          encodeURIComponent(`:${toS3[index]?.port}`),
        ),
      },
    }),
  });
  const begun = performance.now();
  const log = (text: string) => console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${text}`);
  const nemesis = new Nemesis({ ground, nodes: nodes.all, toPostgres, toS3, isLong: seconds >= longSeconds, log });
  try {
    return await judge({
      ground,
      nodes,
      nemesis,
      catalog: stores.CABINET_CATALOG,
      keys: stores.CABINET_JOURNAL_KEYS,
      seconds,
    });
  } finally {
    await nodes.stop();
    if (logFolder !== null) keepLogs(nodes.all, logFolder);
    for (const line of [...toPostgres, ...toS3]) await line.close();
    await ground.stop();
  }
}

function keepLogs(nodes: readonly Node[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [index, { said }] of nodes.entries()) writeFileSync(join(folder, `node-${index + 1}.log`), said);
}

function openLines(target: number): Promise<Line[]> {
  return Promise.all(Array.from({ length: nodeCount }, () => Line.open(target)));
}

interface Scene {
  ground: OwnGround;
  nodes: Nodes;
  nemesis: Nemesis;
  catalog: string;
  keys: string;
  seconds: number;
}

async function judge({ ground, nodes, nemesis, catalog, keys, seconds }: Scene): Promise<Verdict> {
  const main = await addCaller(nodes.all[0] as Node, 'faults', ...everyScope);
  const top = (await createFolder(main, '-root-', 'top')).Id;
  const { Cursor } = await readChanges(main, 'from=now');
  const after = (await readJournal(catalog)).at(-1)?.position ?? 0;
  const seats = await Promise.all(nodes.all.map((node) => sitDown(main, node)));
  const crowd = seconds >= longSeconds ? { clients: 48, mostThoughtMs: 60 } : { clients: 16, mostThoughtMs: 150 };
  const workload = new Workload({ seats, top, ...crowd, followers, cursor: Cursor, hasLarge: ground.s3 !== null });
  workload.start();
  nemesis.start();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const stopping = workload.stop();
  await nemesis.stop();
  await stopping;
  for (const node of nodes.all) {
    await eventually('a node is ready again', () => isReady(node), recoveryMs);
  }
  for (const [index, node] of nodes.all.entries()) Object.assign(seats[index] as Caller, await sitDown(main, node));
  const [caller] = seats as [Caller];
  await emptyByRestoring(caller, (id) => workload.restore(id));
  workload.isFollowedToEnd = true;
  await workload.close();
  await untilPurged(catalog);
  const found = await findAll({ caller, catalog, keys, top, after });
  const problems = [...check(workload.history, found), ...(await verifyChains(nodes.all))];
  return { problems, troubles: nemesis.troubles, counts: toCounts(workload, nemesis, found) };
}

async function sitDown(main: Caller, node: Node): Promise<Caller> {
  return { ...at(main, node), token: await fetchToken(node.base, main.application) };
}

async function isReady({ base }: Node): Promise<boolean> {
  return (await fetch(`${base}/health/ready`)).status === 200;
}

/** What was removed is taken apart in the background, and counted until then. */
async function untilPurged(catalog: string): Promise<void> {
  const client = new pg.Client(catalog);
  await client.connect();
  const isPurged = async () => {
    return (await client.query('SELECT 1 FROM cabinet_production.hidden_trees LIMIT 1')).rows.length === 0;
  };
  await eventually('all that was removed is taken apart', isPurged, recoveryMs).finally(() => client.end());
}

async function verifyChains(nodes: readonly Node[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const node of nodes) {
    const { Verified, Problems } = await node.cabinet<{ Verified: boolean; Problems: object[] }>('audit', 'verify');
    if (!Verified) problems.push({ kind: 'journal', what: `audit verify: ${JSON.stringify(Problems.slice(0, 3))}` });
  }
  return problems;
}

function toCounts({ counts, history }: Workload, nemesis: Nemesis, found: Found): Verdict['counts'] {
  const { attempts, reads, followers: followed } = history;
  const count = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome).length;
  return {
    faults: nemesis.counts,
    requests: counts,
    checked: {
      'changes requested': attempts.length,
      'answered with 200': count('done'),
      'without an answer, or 500': count('unknown'),
      refused: count('refused'),
      'reads of contents': reads.length,
      'rows of the journal': found.journal.length,
      'changes sent to followers': followed.flat().length,
      entries: found.entries.length,
      versions: found.entries.flatMap(({ versions }) => versions).length,
    },
  };
}

/** Resolves to the exit code. */
async function main(words: string[]): Promise<number> {
  const options = { minutes: { type: 'string' }, seconds: { type: 'string' }, logs: { type: 'string' } } as const;
  const { values } = parseArgs({ args: words, options });
  const seconds = Number(values.seconds ?? Number(values.minutes ?? 1) * 60);
  const { problems, troubles, counts } = await runFaults(seconds, values.logs ?? null);
  for (const [title, table] of Object.entries(counts)) {
    console.log(`\n${title}`);
    for (const [what, number] of Object.entries(table).sort()) console.log(`  ${String(number).padStart(8)}  ${what}`);
  }
  const kinds = Map.groupBy(problems, ({ kind }) => kind);
  const found = [...kinds].map(([kind, some]) => `${kind} ${some.length}`).join(', ');
  console.log(
    `\n${problems.length} problems${found === '' ? '' : `: ${found}`}; ${troubles.length} troubles with nodes`,
  );
  for (const { kind, what } of problems.slice(0, mostShown)) console.log(`  ${kind}: ${what}`);
  for (const trouble of troubles.slice(0, 3)) console.log(`  ${trouble}`);
  return problems.length + troubles.length === 0 ? 0 : 1;
}

// Connections that were cut in the middle must not keep it alive.
if (import.meta.main) process.exit(await main(process.argv.slice(2)));
