// A load test: a normal tenant beside a hostile one that does all it can at once (slow bodies, parked uploads, slow readers of archives,
// wrong passwords, searches). Prints what the normal one sees without and with it. It judges refusals and memory, no times: a p99 on a
// shared machine says nothing certain.
//
//     npm run test:long -- --only hostile-tenant          node test/security/long/hostile-tenant.ts --seconds 60

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { parseArgs } from 'node:util';
import {
  type Caller,
  CONTENT,
  call,
  createFolder,
  fetchToken,
  identity,
  postFile,
  saveFile,
  send,
} from '../../interface/client.ts';
import { createTus, patchTus, toMetadata, toPath } from '../../interface/uploads.ts';
import { addUser, command, setRole } from '../../service/operator.ts';
import {
  addCaller,
  eventually,
  makeDataFolder,
  readMemoryBytes,
  removeDataFolder,
  startService,
} from '../../service/service.ts';
import { openSignIn, post } from '../attacks-sign-in.ts';
import { addPage, discover } from '../people.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, connections: { type: 'string', default: '2000' } },
});
const mib = 1024 * 1024;
const gib = 1024 * mib;
const asJson = { 'Content-Type': 'application/json' };

/** Sends all of the body but its last byte, and reads nothing of the answer. */
function hold(caller: Caller, path: string, { method = 'POST', headers = {}, body }: HoldOptions): ClientRequest {
  const { hostname, port } = new URL(caller.base);
  const length = body === undefined ? {} : { 'Content-Length': body.length };
  const sent = { ...identity(caller), ...headers, ...length };
  const outgoing = httpRequest({ hostname, port, path: CONTENT + path, method, headers: sent, agent: false } as object);
  outgoing.on('response', (incoming) => incoming.on('error', () => undefined));
  outgoing.on('error', () => undefined);
  if (body === undefined) outgoing.end();
  else outgoing.write(body.subarray(0, -1));
  return outgoing;
}

interface HoldOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

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

/** Until `isOver`; what it is answered does not matter. Resolves to how much was tried. */
async function attack(
  hostile: Caller,
  { guess, isOver, onReady }: { guess: () => Promise<unknown>; isOver: () => boolean; onReady: () => void },
): Promise<Record<string, number>> {
  const tried: Record<string, number> = {};
  const again = async (what: string, atOnce: number, one: () => Promise<unknown>) => {
    tried[what] = 0;
    const loop = async () => {
      while (!isOver()) {
        tried[what] = (tried[what] ?? 0) + 1;
        await one().catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
  };
  const body = Buffer.from(JSON.stringify({ FolderName: 'f', Properties: { a: 'x'.repeat(mib - 100) } }));
  const large = Buffer.from(JSON.stringify({ filename: randomBytes(6 * mib).toString('base64') }));
  const { Id } = await createFolder(hostile, '-root-', 'archived');
  await saveFile(hostile, { FolderId: Id, FileName: 'large' }, randomBytes(24 * mib));
  const held = [
    ...Array.from({ length: 300 }, () => hold(hostile, '/folders', { headers: asJson, body })),
    ...Array.from({ length: 12 }, () =>
      hold(hostile, '/files', { headers: { ...asJson, FileName: 'l' }, body: large }),
    ),
    ...Array.from({ length: 24 }, () => hold(hostile, `/folders/${Id}/archive`, { method: 'GET' })),
  ];
  tried['slow bodies and readers'] = held.length;
  await eventually('slow bodies are read', async () => (await readMetric('cabinet_body_memory_bytes')) > 31 * mib);
  onReady();
  await Promise.all([
    again('parked uploads', 4, async () => {
      const created = await createTus(hostile, {
        'Upload-Length': String(2 * mib),
        'Upload-Metadata': toMetadata({ filename: 'p' }),
      });
      await patchTus(hostile, toPath(created), 0, randomBytes(mib));
    }),
    again('password guesses', 4, guess),
    again('searches', 4, () => call(hostile, '/search?q=a%20b%20c%20d')),
  ]);
  for (const outgoing of held) outgoing.destroy();
  return tried;
}

const dataFolder = makeDataFolder();
const service = await startService(dataFolder, {
  environment: { CABINET_LOG_LEVEL: 'silent', CABINET_MAX_CONNECTIONS_PER_PEER: '9000' },
});
try {
  const pid = service.process.pid as number;
  const seconds = Number(values.seconds);
  const normal = await addCaller(dataFolder, service.production, 'normal');
  const hostile = await addCaller(dataFolder, service.production, 'hostile');
  await command(dataFolder, 'quota set', { space: 'hostile', bytes: '64MiB' });
  const guessed = await addUser(dataFolder, 'guessed');
  await setRole(dataFolder, 'guessed', 'viewer', 'normal');
  const configuration = await discover(service.production, await addPage(dataFolder, 'page'));
  const opened = await openSignIn(configuration);

  await workNormally(normal, Math.min(5, seconds));
  const alone = await workNormally(normal, seconds);
  let isOver = false;
  const ready = Promise.withResolvers<void>();
  const guess = () => post(opened, { ...guessed, Password: 'wrong and long enough' });
  const attacking = attack(hostile, { guess, isOver: () => isOver, onReady: ready.resolve });
  await Promise.race([ready.promise, attacking]);
  const beside = await workNormally(normal, seconds);
  isOver = true;
  const tried = await attacking;

  console.table({ alone: toRow(alone), 'beside a hostile tenant': toRow(beside) });
  const ratio = p99(beside) / p99(alone);
  console.log(
    `The hostile tenant tried: ${Object.entries(tried)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}.`,
  );
  console.log(`p99 beside it is ${ratio.toFixed(1)} times that of the normal tenant alone.`);

  const peakBytes = await holdMany(pid, Number(values.connections));
  console.log(
    `With ${values.connections} slow connections that send 1 MiB of JSON each, the process takes ${Math.round(peakBytes / mib)} MiB at most.`,
  );
  assert.deepEqual([...alone.refused, ...beside.refused], [], 'the normal tenant was refused');
  assert.ok(peakBytes < gib, 'less than 1 GiB, the limit of the Kubernetes manifests');
} finally {
  await service.stop('SIGKILL');
  removeDataFolder(dataFolder);
}

/** Of several tenants, so that all memory for bodies is used. */
async function holdMany(pid: number, connections: number): Promise<number> {
  const tenants: Caller[] = [];
  for (let index = 0; index < 8; index += 1)
    tenants.push(await addCaller(dataFolder, service.production, `slow-${index}`));
  const body = Buffer.from(JSON.stringify({ FolderName: 'f', Properties: { a: 'x'.repeat(mib - 100) } }));
  const held = Array.from({ length: connections }, (_, index) =>
    hold(tenants[index % tenants.length] as Caller, '/folders', { headers: asJson, body }),
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
