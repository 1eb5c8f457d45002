// Webhooks over time: when a failed delivery is repeated, when a webhook is disabled, how long a replaced secret signs, and what
// becomes of one whose network is no longer allowed.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, test } from 'node:test';
import { type Caller, fetchToken, makeFolder } from '../interface/client.ts';
import { ask, getAll, manage } from '../interface/managing.ts';
import { addApplication } from './operator.ts';
import { type Environment, eventually, makeDataFolder, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';
import { type Received, type Receiver, startReceiver } from './webhook-receiver.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const networks = { CABINET_WEBHOOK_NETWORKS: '127.0.0.0/8' };

interface Delivery {
  Attempt: number;
  Status: number | null;
  Error: string | null;
}

interface Shown {
  Id: string;
  State: string;
  Position: number;
  LastDelivery: Delivery | null;
}

const dataFolder = makeDataFolder();
let service: Awaited<ReturnType<typeof startServiceHere>>;
let caller: Caller;
const receivers: Receiver[] = [];

before(async () => {
  service = await startServiceHere(dataFolder);
  const scopes = 'content.read content.write content.admin';
  const application = { Name: 'hooks', ...(await addApplication(dataFolder, 'hooks', { scopes })) };
  caller = { base: service.production, application, token: '' };
});
/** What another test leaves behind would be repeated when the clock moves. */
beforeEach(async () => {
  await restart();
  for (const { Id } of await getAll<Shown>(caller, '/webhooks', 'Webhooks'))
    await manage(caller, 'DELETE', `/webhooks/${Id}`);
});
after(async () => {
  for (const receiver of receivers) receiver.close();
  await service.stop();
  removeDataFolder(dataFolder);
});

/** Its clock is the system's again. */
async function restart(environment: Environment = networks): Promise<void> {
  await service.stop();
  service = await startServiceHere(dataFolder, { environment, hasClock: true });
  caller.base = service.production;
  caller.token = await fetchToken(caller.base, caller.application);
}

async function connect(): Promise<{ id: string; receiver: Receiver; secret: string }> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const fields = { Url: receiver.url, Events: ['folder.created'] };
  const added = await manage<{ Webhook: Shown; Secret: string }>(caller, 'POST', '/webhooks', fields);
  receiver.secrets.push(added.Secret);
  return { id: added.Webhook.Id, receiver, secret: added.Secret };
}

const show = async (id: string) => (await manage<{ Webhook: Shown }>(caller, 'GET', `/webhooks/${id}`)).Webhook;
const change = async (id: string, fields: object) =>
  (await manage<{ Webhook: Shown }>(caller, 'PATCH', `/webhooks/${id}`, fields)).Webhook;
const until = (receiver: Receiver, count: number) =>
  eventually(`${count} attempts`, () => receiver.received.length >= count);
const untilLogged = (id: string, attempt: number) =>
  eventually(`attempt ${attempt} is logged`, async () => (await show(id)).LastDelivery?.Attempt === attempt);
const timestampOf = ({ headers }: Received) => Number(headers['webhook-timestamp']);

/** Tokens have expired when the clock was moved so far: this is read where it is stored. */
function stored(id: string): { state: string; attempts: number } {
  const catalog = new DatabaseSync(join(dataFolder, 'production', 'catalog.db'), { readOnly: true });
  try {
    const found = catalog.prepare('SELECT state, attempts FROM webhooks WHERE id = ?').get(id);
    return found as { state: string; attempts: number };
  } finally {
    catalog.close();
  }
}

test('A failed delivery is repeated after 5 s, 30 s, 2 min and 15 min, and never earlier', async () => {
  const { id, receiver } = await connect();
  receiver.reply = () => 500;
  await makeFolder(caller);
  let attempt = 1;
  for (const delay of [5 * second, 30 * second, 2 * minute, 15 * minute]) {
    await until(receiver, attempt);
    await untilLogged(id, attempt);
    await service.advance(0.6 * delay);
    assert.equal(receiver.received.length, attempt);
    // Up to a tenth is added.
    await service.advance(0.51 * delay);
    attempt += 1;
    await until(receiver, attempt);
  }
  await untilLogged(id, attempt);
  assert.equal((await show(id)).State, 'failing');
  const { received } = receiver;
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
  for (const [index, one] of received.entries()) {
    const previous = received[index - 1];
    if (previous === undefined) continue;
    assert.ok(timestampOf(one) > timestampOf(previous));
    assert.notEqual(one.headers['webhook-signature'], previous.headers['webhook-signature']);
  }
  receiver.reply = () => 200;
  await change(id, { State: 'active' });
  await eventually('it is delivered', async () => (await show(id)).LastDelivery?.Status === 200);
  const { State, Position } = await show(id);
  assert.deepEqual([State, Position], ['active', received[0]?.event.data?.Position]);
});

test('Retry-After counts where it is later', async () => {
  const { id, receiver } = await connect();
  receiver.reply = () => (response) => response.writeHead(503, { 'Retry-After': '600' }).end();
  await makeFolder(caller);
  await until(receiver, 1);
  await untilLogged(id, 1);
  await service.advance(8 * minute);
  assert.equal(receiver.received.length, 1);
  await service.advance(2 * minute);
  await until(receiver, 2);
});

test('After three days of failures it is disabled; activated, it goes on where it was', async () => {
  const { id, receiver } = await connect();
  receiver.reply = () => 500;
  const folders = [await makeFolder(caller), await makeFolder(caller)];
  await until(receiver, 1);
  await untilLogged(id, 1);
  await service.advance(71 * hour);
  await until(receiver, 2);
  await eventually('the second attempt is stored', () => stored(id).attempts === 2);
  assert.equal(stored(id).state, 'failing');
  await service.advance(2 * hour);
  await eventually('it is disabled', () => stored(id).state === 'disabled');
  const attempts = receiver.received.length;
  await service.advance(2 * hour);
  assert.equal(receiver.received.length, attempts);
  await restart();
  assert.equal((await show(id)).State, 'disabled');
  receiver.reply = () => 200;
  assert.equal((await change(id, { State: 'active' })).State, 'active');
  await until(receiver, attempts + 2);
  assert.deepEqual(
    receiver.received.slice(attempts).map(({ event }) => event.subject),
    folders.map(({ Id }) => Id),
  );
});

test('A replaced secret signs until its overlap ends', async () => {
  const { id, receiver, secret } = await connect();
  const path = `/webhooks/${id}/rotate`;
  const { Secret: next } = await manage<{ Secret: string }>(caller, 'POST', path, { OverlapSeconds: 600 });
  receiver.secrets.push(next);
  await makeFolder(caller);
  await until(receiver, 1);
  await service.advance(10 * minute);
  await makeFolder(caller);
  await until(receiver, 2);
  assert.deepEqual(
    receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length),
    [2, 1],
  );
  assert.deepEqual(receiver.received[0]?.verifiedBy, [secret, next]);
});

test('A test that fails is not repeated and changes no state, not even with 410', async () => {
  const { id, receiver } = await connect();
  for (const status of [500, 410]) {
    receiver.reply = () => status;
    await manage(caller, 'POST', `/webhooks/${id}/test`);
    assert.equal((await show(id)).State, 'active');
  }
  await service.advance(hour);
  assert.equal(receiver.received.length, 2);
});

test('Where a network is no longer allowed, nothing connects, and the webhook fails', async () => {
  const { id, receiver } = await connect();
  await restart({});
  await makeFolder(caller);
  await eventually('it fails', async () => (await show(id)).State === 'failing');
  const last = (await show(id)).LastDelivery;
  const problem = 'Without TLS, events are sent only to networks that are allowed.';
  assert.deepEqual([last?.Status, last?.Error], [null, problem]);
  const again = await ask(caller, 'PATCH', `/webhooks/${id}`, { Url: receiver.url });
  assert.equal(again.status, 400);
  const { Delivery } = await manage<{ Delivery: Delivery }>(caller, 'POST', `/webhooks/${id}/test`);
  assert.deepEqual([Delivery.Status, Delivery.Error], [null, problem]);
  assert.equal(receiver.connections, 0);
});
