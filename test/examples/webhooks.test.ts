// The receivers in `examples/`, run as their heads say: a real service sends them its events.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { type Caller, createFolder, fetchToken, makeFolder, saveFile } from '../interface/client.ts';
import { ask, get, manage } from '../interface/managing.ts';
import { addApplication } from '../service/operator.ts';
import { eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';

const root = join(import.meta.dirname, '../..');
const dataFolder = makeDataFolder();
const children = new Set<ChildProcess>();
let service: StartedHere;
let caller: Caller;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_WEBHOOK_NETWORKS: '127.0.0.0/8' } });
  const scopes = 'content.read content.write content.admin';
  const application = { Name: 'hooks', ...(await addApplication(dataFolder, 'hooks', { scopes })) };
  caller = { base: service.production, application, token: await fetchToken(service.production, application) };
});
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service.stop();
  removeDataFolder(dataFolder);
});

interface Program {
  url: string;
  kill(): Promise<void>;
}

async function start(file: string, variables: Record<string, string>): Promise<Program> {
  const child = spawn(process.execPath, [file], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url: `http://127.0.0.1:${line.split(' ').at(-1)}/`,
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      children.delete(child);
    },
  };
}

/** A webhook needs an address before its receiver can have its secret: it is paused until then. */
async function makeWebhook(fields: object): Promise<{ id: string; secret: string }> {
  const request = { Url: 'http://127.0.0.1:1/', ...fields };
  const made = await manage<{ Webhook: { Id: string }; Secret: string }>(caller, 'POST', '/webhooks', request);
  await manage(caller, 'PATCH', `/webhooks/${made.Webhook.Id}`, { State: 'paused' });
  return { id: made.Webhook.Id, secret: made.Secret };
}

const activate = (id: string, Url: string) => manage(caller, 'PATCH', `/webhooks/${id}`, { Url, State: 'active' });

test('the notifier tells a chat of files, once it is there, and takes nothing that is forged', async (context) => {
  const lines: string[] = [];
  let isAway = true;
  const chat = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!isAway) lines.push((JSON.parse(Buffer.concat(chunks).toString()) as { text: string }).text);
      response.writeHead(isAway ? 500 : 200).end('ok');
    });
  }).listen(0, '127.0.0.1');
  await once(chat, 'listening');
  context.after(() => chat.close().closeAllConnections());
  const folder = await makeFolder(caller);
  const { id, secret } = await makeWebhook({ Events: ['file.created', 'file.saved'], FolderId: folder.Id });
  const CHAT_URL = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`;
  const notifier = await start('examples/notifier/receiver.ts', { WEBHOOK_SECRET: secret, CHAT_URL });
  await activate(id, notifier.url);
  await saveFile(caller, { FolderId: folder.Id, FileName: 'a <b> & c.txt' }, 'one');
  const state = async () => (await get<{ Webhook: { State: string } }>(caller, `/webhooks/${id}`)).Webhook.State;
  await eventually('the chat is missed', async () => (await state()) === 'failing');
  isAway = false;
  await activate(id, notifier.url);
  await saveFile(caller, { FolderId: folder.Id, FileName: 'a <b> & c.txt', ConflictBehavior: 'Version' }, 'two');
  await eventually('both are told', () => lines.length >= 2);
  const path = `/${folder.Name}/a &lt;b&gt; &amp; c.txt`;
  assert.deepEqual(lines, [`app:hooks added ${path}`, `app:hooks changed ${path}`]);
  assert.equal((await fetch(notifier.url, { method: 'POST', body: '{}' })).status, 401);
});

/** What clamd does of `zINSTREAM`: chunks with their length, an empty one at the end, one answer. */
async function startClamd(infected: string): Promise<{ port: number; close(): void }> {
  const server = createTcpServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const content = readStream(received);
      if (content !== null) socket.end(`stream: ${content.includes(infected) ? 'Eicar-Test FOUND' : 'OK'}\0`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** Null: it is not complete. */
function readStream(bytes: Buffer): string | null {
  const command = 'zINSTREAM\0';
  assert.ok(command.startsWith(bytes.subarray(0, command.length).toString()));
  let content = '';
  for (let at = command.length; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (length === 0) return content;
    content += bytes.subarray(at + 4, at + 4 + length).toString('latin1');
    at += 4 + length;
  }
  return null;
}

test('the virus scanner moves infected files to the trash, and leaves others', async (context) => {
  const infected = 'X5O!P%@AP';
  const clamd = await startClamd(infected);
  context.after(() => clamd.close());
  const folder = await makeFolder(caller);
  const events = ['file.created', 'file.saved', 'version.restored'];
  const { id, secret } = await makeWebhook({ Events: events, FolderId: folder.Id });
  const { AppKey, Secret } = caller.application;
  const scanner = await start('examples/virus-scan/receiver.ts', {
    ...{ CABINET_URL: service.production, CABINET_APPKEY: AppKey, CABINET_SECRET: Secret },
    ...{ WEBHOOK_SECRET: secret, CLAMD: `127.0.0.1:${clamd.port}` },
  });
  await activate(id, scanner.url);
  const bad = await saveFile(caller, { FolderId: folder.Id, FileName: 'bad.bin' }, `${'x'.repeat(200_000)}${infected}`);
  const good = await saveFile(caller, { FolderId: folder.Id, FileName: 'good.bin' }, 'y'.repeat(200_000));
  const statusOf = async (entry: string) => (await ask(caller, 'GET', `/entries/${entry}`)).status;
  await eventually('it is in the trash', async () => (await statusOf(bad.File.Id)) === 404);
  const last = async () => await get<{ Deliveries: { Status: number }[] }>(caller, `/webhooks/${id}/deliveries`);
  await eventually('both are scanned', async () => (await last()).Deliveries.length >= 2);
  assert.equal(await statusOf(good.File.Id), 200);
});

test('the indexer follows renames, moves and the trash, also after it was killed', async () => {
  const { id, secret } = await makeWebhook({ Events: ['file.*', 'folder.*'] });
  const variables = { WEBHOOK_SECRET: secret, INDEX: join(dataFolder, '..', 'index.db') };
  const first = await start('examples/indexer/receiver.ts', variables);
  const [left, right] = [await makeFolder(caller), await makeFolder(caller)];
  const inner = await createFolder(caller, left.Id, 'inner');
  const { File: file } = await saveFile(caller, { FolderId: inner.Id, FileName: 'searched.txt' }, 'x');
  const replay = () => manage(caller, 'POST', `/webhooks/${id}/replay`, { FromPosition: 1 });
  const find = async (url: string) =>
    ((await (await fetch(`${url}?name=searched.txt`)).json()) as { Paths: string[] }).Paths.join();
  await activate(id, first.url);
  await replay();
  const isFound = (url: string, path: string) => eventually(`it is at ${path}`, async () => (await find(url)) === path);
  await isFound(first.url, `/${left.Name}/inner/searched.txt`);
  await first.kill();
  await manage(caller, 'PATCH', `/entries/${inner.Id}`, { ParentFolderId: right.Id, Name: 'moved' });
  const second = await start('examples/indexer/receiver.ts', variables);
  await activate(id, second.url);
  await isFound(second.url, `/${right.Name}/moved/searched.txt`);
  await replay();
  await ask(caller, 'DELETE', `/entries/${right.Id}`);
  await isFound(second.url, '');
  await manage(caller, 'POST', `/entries/${right.Id}/restore`, {});
  await isFound(second.url, `/${right.Name}/moved/searched.txt`);
  await ask(caller, 'DELETE', `/entries/${file.Id}?permanent=true`);
  await isFound(second.url, '');
});
