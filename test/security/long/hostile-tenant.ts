// A load test: a normal tenant beside a hostile one that does all it can at once (slow bodies, parked uploads, slow readers of archives,
// wrong passwords, searches; `hostile-attacker.ts`). Prints what the normal one sees without and with it, measured in turns. It judges
// refusals, memory, and the p99 beside the hostile tenant by that without it: the median over the rounds.
//
//     npm run test:long -- --only hostile-tenant          node test/security/long/hostile-tenant.ts --seconds 60

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Caller, call, createFolder, fetchToken, postFile, saveFile, send } from '../../interface/client.ts';
import { addUser, command, setRole } from '../../service/operator.ts';
import {
  addCaller,
  eventually,
  makeDataFolder,
  readMemoryBytes,
  removeDataFolder,
  startService,
} from '../../service/service.ts';
import { addPage } from '../people.ts';
import { type AttackOptions, hold, slowJson } from './hostile-attacker.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '2000' },
  },
});
const mib = 1024 * 1024;
const gib = 1024 * mib;
/** Of the p99 beside the hostile tenant to that alone. */
const maxRatio = 3;
const asJson = { 'Content-Type': 'application/json' };

interface Measured {
  milliseconds: number[];
  refused: Map<string, number>;
}

/** What people do: save, list, read, search, make folders, get a token. Four of them, each waiting for its answers. */
async function workNormally(caller: Caller, seconds: number): Promise<Measured> {
  const measured: Measured = { milliseconds: [], refused: new Map() };
  const until = performance.now() + seconds * 1000;
  const { Id } = await createFolder(caller, '-root-', `work ${randomBytes(6).toString('hex')}`);
  const small = await createFolder(caller, Id, 'small');
  await saveFile(caller, { FolderId: small.Id, FileName: 'a' }, randomBytes(1000));
  const largeJson = JSON.stringify({ filename: randomBytes(mib).toString('base64') });
  const steps: ((turn: string) => Promise<{ status: number }>)[] = [
    (turn) => postFile(caller, { FolderId: Id, FileName: turn }, randomBytes(20_000)),
    (turn) =>
      postFile(
        caller,
        { FolderId: Id, FileName: `json ${turn}`, ...asJson },
        JSON.stringify({ filename: randomBytes(60_000).toString('base64') }),
      ),
    () => call(caller, `/folders/${Id}?limit=100`),
    () => call(caller, '/search?q=quarterly'),
    () => call(caller, `/folders/${small.Id}/archive`),
    (turn) => postFile(caller, { FolderId: Id, FileName: `large ${turn}`, ...asJson }, largeJson),
    (turn) =>
      call(caller, '/folders', {
        method: 'POST',
        headers: asJson,
        body: JSON.stringify({ ParentFolderId: Id, FolderName: `folder ${turn}` }),
      }),
    async () => ({ status: (await fetchToken(caller.base, caller.application)) === '' ? 500 : 200 }),
  ];
  const person = async (name: number) => {
    for (let turn = 0; performance.now() < until; turn += 1) {
      const step = steps[turn % steps.length] as (typeof steps)[number];
      const startedAt = performance.now();
      const outcome = await step(`${name} ${turn}`).then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      );
      measured.milliseconds.push(performance.now() - startedAt);
      if (outcome !== '200') measured.refused.set(outcome, (measured.refused.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all([0, 1, 2, 3].map(person));
  return measured;
}

/** In a process of its own; `begin` resolves when the attack has its memory for bodies, `end` to how much was tried. */
function startAttacker(options: AttackOptions) {
  const program = join(import.meta.dirname, 'hostile-attacker.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  return {
    ready: next(),
    async begin(): Promise<void> {
      child.stdin.write('begin\n');
      await next();
      await eventually('slow bodies are read', async () => (await readMetric('cabinet_body_memory_bytes')) > 31 * mib);
    },
    async end(): Promise<Record<string, number>> {
      child.stdin.write('end\n');
      return JSON.parse(await next()) as Record<string, number>;
    },
    stop: () => child.kill(),
  };
}

/** Files to archive, and files in which a search finds something. */
async function fillSpace(hostile: Caller): Promise<string> {
  const { Id } = await createFolder(hostile, '-root-', 'archived');
  await saveFile(hostile, { FolderId: Id, FileName: 'large' }, randomBytes(24 * mib));
  for (let index = 0; index < 200; index += 1) {
    const text = `a b c d quarterly report ${index}`;
    await saveFile(hostile, { FolderId: Id, FileName: `a b c d quarterly ${index}.txt` }, Buffer.from(text));
  }
  return Id;
}

const dataFolder = makeDataFolder();
const service = await startService(dataFolder, {
  environment: { CABINET_LOG_LEVEL: 'silent', CABINET_MAX_CONNECTIONS_PER_PEER: '9000' },
});
let attacker: ReturnType<typeof startAttacker> | null = null;
try {
  const pid = service.process.pid as number;
  const seconds = Number(values.seconds);
  const normal = await addCaller(dataFolder, service.production, 'normal');
  const hostile = await addCaller(dataFolder, service.production, 'hostile');
  const archived = await fillSpace(hostile);
  await command(dataFolder, 'quota set', { space: 'hostile', bytes: '64MiB' });
  const guessed = await addUser(dataFolder, 'guessed');
  await setRole(dataFolder, 'guessed', 'viewer', 'normal');
  attacker = startAttacker({ hostile, archived, page: await addPage(dataFolder, 'page'), guessed });
  await attacker.ready;

  await workNormally(normal, Math.min(5, seconds));
  const alone: Measured[] = [];
  const beside: Measured[] = [];
  const tried: Record<string, number> = {};
  // In turns, because the machine may have others to serve.
  for (let round = 0; round < Number(values.rounds); round += 1) {
    alone.push(await workNormally(normal, seconds));
    await attacker.begin();
    beside.push(await workNormally(normal, seconds));
    for (const [what, count] of Object.entries(await attacker.end())) tried[what] = (tried[what] ?? 0) + count;
  }

  console.table({ alone: toRow(merge(alone)), 'beside a hostile tenant': toRow(merge(beside)) });
  const ratios = alone.map((one, round) => p99(beside[round] as Measured) / p99(one));
  const ratio = percentile(ratios, 0.5);
  const counts = Object.entries(tried).map(([what, count]) => `${count} ${what}`);
  console.log(`The hostile tenant tried: ${counts.join(', ')}.`);
  const each = ratios.map((one) => one.toFixed(1)).join(', ');
  console.log(`p99 beside it is ${ratio.toFixed(1)} times that of the normal tenant alone (the median of ${each}).`);

  const peakBytes = await holdMany(pid, Number(values.connections));
  console.log(
    `With ${values.connections} slow connections that send 1 MiB of JSON each, the process takes ${Math.round(peakBytes / mib)} MiB at most.`,
  );
  assert.deepEqual([...merge([...alone, ...beside]).refused], [], 'the normal tenant was refused');
  for (const [what, count] of Object.entries(tried)) assert.ok(count > 0, `${what} were tried`);
  assert.ok(ratio <= maxRatio, `p99 is at most ${maxRatio} times as long`);
  assert.ok(peakBytes < gib, 'less than 1 GiB, the limit of the Kubernetes manifests');
} finally {
  attacker?.stop();
  await service.stop('SIGKILL');
  removeDataFolder(dataFolder);
}

function merge(parts: readonly Measured[]): Measured {
  const refused = new Map<string, number>();
  for (const [what, count] of parts.flatMap((part) => [...part.refused]))
    refused.set(what, (refused.get(what) ?? 0) + count);
  return { milliseconds: parts.flatMap(({ milliseconds }) => milliseconds), refused };
}

/** Of several tenants, so that all memory for bodies is used. */
async function holdMany(pid: number, connections: number): Promise<number> {
  const tenants: Caller[] = [];
  for (let index = 0; index < 8; index += 1)
    tenants.push(await addCaller(dataFolder, service.production, `slow-${index}`));
  const held = Array.from({ length: connections }, (_, index) =>
    hold(tenants[index % tenants.length] as Caller, '/folders', { headers: asJson, body: slowJson }),
  );
  await eventually(
    'all are connected',
    async () => (await readMetric('cabinet_connections_open')) >= connections,
    120_000,
  );
  await eventually('bodies are read', async () => (await readMetric('cabinet_body_memory_bytes')) > 127 * mib, 120_000);
  const normal = await addCaller(dataFolder, service.production, 'late');
  for (let index = 0; index < 20; index += 1)
    await saveFile(normal, { FolderId: '', FileName: `f${index}` }, randomBytes(20_000));
  const peakBytes = readMemoryBytes(pid, 'VmHWM');
  for (const outgoing of held) outgoing.destroy();
  return peakBytes;
}

/** Of the production environment. */
async function readMetric(name: string): Promise<number> {
  const { body } = await send(service.production, '/metrics');
  const line = body
    .toString()
    .split('\n')
    .find((one) => one.startsWith(name) && !one.includes('environment="test"'));
  return Number(line?.split(' ').at(-1) ?? 0);
}

function p99({ milliseconds }: Measured): number {
  return percentile(milliseconds, 0.99);
}

function percentile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * share)] ?? 0;
}

function toRow({ milliseconds, refused }: Measured) {
  const failed = [...refused.values()].reduce((sum, count) => sum + count, 0);
  return {
    requests: milliseconds.length,
    'p50 ms': Number(percentile(milliseconds, 0.5).toFixed(1)),
    'p99 ms': Number(percentile(milliseconds, 0.99).toFixed(1)),
    'errors %': Number(((100 * failed) / Math.max(1, milliseconds.length)).toFixed(2)),
    'what they were': [...refused.keys()].join(', '),
  };
}
