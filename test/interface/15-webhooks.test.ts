// Webhooks (docs/contract.md §15): receivers of the events of a space, in order and signed. The receivers of these tests listen on
// 127.0.0.1, which the service must allow (CABINET_WEBHOOK_NETWORKS).

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '../service/service.ts';
import type { Receiver } from '../service/webhook-receiver.ts';
import { assertRefusal } from './assertions.ts';
import { type Caller, call, createFolder, makeFolder, saveFile, signIn } from './client.ts';
import { addApplication, ask, type Event, getAll, manage } from './managing.ts';
import { type Added, actionsOf, type Delivery, until, type Webhook, Webhooks } from './webhooks.ts';

const admin = await signIn('Administrator');
const reader = await signIn('Reader');
const hooks = new Webhooks(admin);
after(() => hooks.close());
const { connect, show, change, deliveriesOf } = hooks;

test('A webhook has its fields, is listed, and shows its secret once', async () => {
  const { hook, secret } = await connect({ Events: ['file.*', 'folder.created'], Description: 'search index' });
  const { Id, CreatedAt, Position, Url, ...rest } = hook;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.ok(Position > 0 && !Number.isNaN(Date.parse(CreatedAt)) && Url.startsWith('http://127.0.0.1'));
  assert.deepEqual(rest, {
    Events: ['file.*', 'folder.created'],
    FolderId: null,
    Description: 'search index',
    State: 'active',
    CreatedBy: `app:${admin.application.Name}`,
    LastDelivery: null,
  });
  assert.deepEqual(await show(Id), hook);
  const listed = await getAll<Webhook>(admin, '/webhooks?limit=1', 'Webhooks');
  assert.deepEqual(
    listed.find((one) => one.Id === Id),
    hook,
  );
  assert.ok(!JSON.stringify(listed).includes(secret));
  assert.deepEqual(await manage(admin, 'DELETE', `/webhooks/${Id}`), {});
  assertRefusal(await call(admin, `/webhooks/${Id}`), 404, 'WebhookNotFound');
  const actions = (await getAll<Event>(admin, `/audit?entry=${Id}`, 'Events')).map(({ Action }) => Action);
  assert.deepEqual(actions, ['webhook.removed', 'webhook.created']);
});

test('Whoever does not manage the space is refused', async () => {
  const { hook } = await connect();
  for (const [method, path] of [
    ['GET', '/webhooks'],
    ['POST', '/webhooks'],
    ['GET', `/webhooks/${hook.Id}`],
    ['POST', `/webhooks/${hook.Id}/test`],
  ] as const)
    assertRefusal(await ask(reader, method, path, method === 'POST' ? {} : undefined), 403, 'InsufficientScope');
});

test('Fields that are wrong are refused', async () => {
  const good = { Url: 'https://example.com/hook', Events: ['*'] };
  const wrong: [object, string][] = [
    [{ Url: 'example.com' }, 'Url'],
    [{ Url: 'ftp://example.com/' }, 'Url'],
    [{ Url: 'https://example.com/\r\nX-Other: 1' }, 'Url'],
    [{ Url: ' https://example.com/' }, 'Url'],
    [{ Url: 'https://user:secret@example.com/' }, 'Url'],
    [{ Url: 'https://example.com/#fragment' }, 'Url'],
    [{ Url: 'http://192.0.2.1/' }, 'Url'],
    [{ Url: 'http://8.8.8.8/' }, 'Url'],
    [{ Url: 'https://10.0.0.1/' }, 'Url'],
    [{ Url: 'https://127.0.0.2/' }, 'Url'],
    [{ Url: 'https://[::1]/' }, 'Url'],
    [{ Url: 'https://[::ffff:10.0.0.1]/' }, 'Url'],
    [{ Url: 'https://2852039166/' }, 'Url'],
    [{ Url: `https://example.com/${'x'.repeat(2048)}` }, 'Url'],
    [{ Events: [] }, 'Events'],
    [{ Events: ['file.everything'] }, 'Events'],
    [{ Events: ['cabinet.file.saved'] }, 'Events'],
    [{ Description: 'x'.repeat(1001) }, 'Description'],
  ];
  const { hook } = await connect();
  for (const [fields, target] of wrong) {
    for (const [method, path] of [['POST', '/webhooks'] as const, ['PATCH', `/webhooks/${hook.Id}`] as const]) {
      const answer = await ask(admin, method, path, method === 'POST' ? { ...good, ...fields } : fields);
      const { Error: error } = JSON.parse(answer.body.toString()) as { Error: { Code: string; Target: string } };
      assert.deepEqual(
        [answer.status, error.Code, error.Target],
        [400, 'InvalidField', target],
        JSON.stringify(fields),
      );
    }
  }
  assertRefusal(await ask(admin, 'POST', '/webhooks', { ...good, FolderId: randomUUID() }), 404, 'FolderNotFound');
  assertRefusal(await ask(admin, 'PATCH', `/webhooks/${hook.Id}`, { State: 'disabled' }), 400, 'InvalidField');
  assertRefusal(await ask(admin, 'PATCH', '/webhooks/unknown', { State: 'paused' }), 404, 'WebhookNotFound');
});

test('Events arrive in order as CloudEvents, signed by Standard Webhooks', async () => {
  const { hook, receiver, secret } = await connect({ Events: ['file.*', 'folder.*'] });
  const folder = await makeFolder(admin);
  const { File } = await saveFile(admin, { FolderId: folder.Id, FileName: 'ü 1.txt' }, 'one');
  await saveFile(admin, { FolderId: folder.Id, FileName: 'ü 1.txt', ConflictBehavior: 'Version' }, 'two');
  await manage(admin, 'PATCH', `/entries/${File.Id}`, { Name: 'renamed.txt' });
  await ask(admin, 'DELETE', `/entries/${File.Id}`);
  await ask(admin, 'DELETE', `/entries/${File.Id}?permanent=true`);
  const own = () => receiver.received.filter(({ event }) => event.subject === File.Id || event.subject === folder.Id);
  await eventually('all six events', async () => own().length >= 6);
  const space = admin.application.Space;
  assert.deepEqual(
    own().map(({ event }) => event.type),
    ['folder.created', 'file.created', 'file.saved', 'entry.changed', 'entry.trashed', 'entry.removed'].map(
      (action) => `cabinet.${action}`,
    ),
  );
  const positions = own().map(({ event }) => event.data?.Position ?? 0);
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  for (const { headers, event, verifiedBy } of own()) {
    assert.deepEqual(verifiedBy, [secret]);
    assert.equal(headers['content-type'], 'application/cloudevents+json');
    assert.equal(headers['webhook-id'], event.id);
    assert.ok(event.id.endsWith(`:${event.data?.Position}`));
    assert.match(event.source, /^https?:\/\/.+\/v1\/contentmanagement\/spaces\/[0-9a-f-]{36}$/);
    assert.equal(event.id, `${event.source.split('/').at(-1)}:${event.data?.Position}`);
    assert.equal(event.specversion, '1.0');
    assert.equal(event.data?.By, `app:${admin.application.Name}`);
  }
  assert.ok(space !== '');
  const [, created, , , , removed] = own();
  assert.deepEqual(created?.event.data?.Details, { Parent: folder.Id, Name: 'ü 1.txt', Version: 1, Size: 3 });
  assert.equal(removed?.event.data?.Entry, undefined);
  await eventually('the position moved', async () => (await show(hook.Id)).Position >= (positions.at(-1) ?? 0));
  assert.equal((await show(hook.Id)).LastDelivery?.Status, 204);
});

test('Patterns choose by action and by the kind of the entry', async () => {
  const files = await connect({ Events: ['file.*'] });
  const folders = await connect({ Events: ['folder.*'] });
  const trashed = await connect({ Events: ['entry.trashed'] });
  const folder = await makeFolder(admin);
  const { File } = await saveFile(admin, { FolderId: folder.Id, FileName: 'f' }, 'x');
  await manage(admin, 'PATCH', `/entries/${File.Id}`, { Name: 'g' });
  await manage(admin, 'PATCH', `/entries/${folder.Id}`, { Name: `r-${randomUUID()}` });
  await ask(admin, 'DELETE', `/entries/${folder.Id}`);
  const of = ({ receiver }: { receiver: Receiver }, id: string) =>
    receiver.received.filter(({ event }) => event.subject === id).map(({ event }) => event.data?.Action);
  const hasAll = () =>
    of(files, File.Id).length >= 2 && of(folders, folder.Id).length >= 3 && of(trashed, folder.Id).length >= 1;
  await eventually('the last event of each', hasAll);
  assert.deepEqual(of(files, File.Id), ['file.created', 'entry.changed']);
  assert.deepEqual(of(files, folder.Id), []);
  assert.deepEqual(of(folders, folder.Id), ['folder.created', 'entry.changed', 'entry.trashed']);
  assert.deepEqual(of(folders, File.Id), []);
  assert.deepEqual(of(trashed, folder.Id), ['entry.trashed']);
});

test('A webhook of a folder gets what was beneath it before or after a change', async () => {
  const [watched, other] = [await makeFolder(admin), await makeFolder(admin)];
  const { receiver } = await connect({ FolderId: watched.Id });
  const inner = await createFolder(admin, watched.Id, 'inner');
  const outside = await saveFile(admin, { FolderId: other.Id, FileName: 'outside' }, 'x');
  const moving = await saveFile(admin, { FolderId: other.Id, FileName: 'moving' }, 'x');
  const move = (ParentFolderId: string) => manage(admin, 'PATCH', `/entries/${moving.File.Id}`, { ParentFolderId });
  await move(inner.Id);
  await move(other.Id);
  await manage(admin, 'PATCH', `/entries/${outside.File.Id}`, { Name: 'still outside' });
  // What happens to no entry lies in no folder.
  await connect({ FolderId: other.Id });
  await addApplication(admin);
  await manage(admin, 'PATCH', `/entries/${watched.Id}`, { Name: `r-${randomUUID()}` });
  await until(receiver, 4);
  assert.deepEqual(actionsOf(receiver), ['folder.created', 'entry.changed', 'entry.changed', 'entry.changed']);
  assert.deepEqual(
    receiver.received.map(({ event }) => event.subject),
    [inner.Id, moving.File.Id, moving.File.Id, watched.Id],
  );
});

test('A paused webhook misses nothing, and goes on from its position', async () => {
  const { hook, receiver } = await connect({ Events: ['folder.created'] });
  assert.equal((await change(hook.Id, { State: 'paused' })).State, 'paused');
  const folders = [await makeFolder(admin), await makeFolder(admin)];
  assert.equal(receiver.received.length, 0);
  assert.equal((await change(hook.Id, { State: 'active' })).State, 'active');
  const own = () => receiver.received.filter(({ event }) => folders.some(({ Id }) => Id === event.subject));
  await eventually('both events', async () => own().length >= 2);
  assert.deepEqual(
    own().map(({ event }) => event.subject),
    folders.map(({ Id }) => Id),
  );
});

test('After a failure it is tried again with the same id, and the webhook heals', async () => {
  const { hook, receiver } = await connect({ Events: ['folder.created'] });
  let status = 503;
  receiver.reply = () => status;
  await makeFolder(admin);
  await eventually('it fails', async () => (await show(hook.Id)).State === 'failing');
  status = 200;
  // Activating it tries again at once.
  await change(hook.Id, { State: 'active' });
  await until(receiver, 2);
  await eventually('it is active', async () => (await show(hook.Id)).LastDelivery?.Status === 200);
  assert.equal((await show(hook.Id)).State, 'active');
  const [first, second] = receiver.received;
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
  const log = await deliveriesOf(hook.Id);
  const own = log
    .filter(({ EventId }) => EventId === first?.event.id)
    .map(({ Status, Error: error, Response }) => [Status, error, Response]);
  assert.deepEqual(
    [own[0], own.at(-1)],
    [
      [200, null, 'done'],
      [503, 'The receiver answered 503.', 'done'],
    ],
  );
});

test('A receiver that answers 410 is disabled', async () => {
  const { hook, receiver } = await connect({ Events: ['folder.created'] });
  receiver.reply = () => 410;
  await makeFolder(admin);
  await eventually('it is disabled', async () => (await show(hook.Id)).State === 'disabled');
  const [event] = await getAll<Event>(admin, `/audit?entry=${hook.Id}`, 'Events');
  assert.deepEqual(
    [event?.Action, event?.By, event?.Details],
    ['webhook.disabled', `webhook:${hook.Id}`, { Reason: 'gone' }],
  );
});

test('A redirect is a failure and is not followed', async () => {
  const { hook, receiver } = await connect({ Events: ['folder.created'] });
  const target = await hooks.receive();
  receiver.reply = () => (response) => response.writeHead(307, { Location: target.url }).end();
  const { Delivery } = await manage<{ Delivery: Delivery }>(admin, 'POST', `/webhooks/${hook.Id}/test`);
  assert.deepEqual([Delivery.Status, Delivery.Error], [307, 'The receiver answered 307.']);
  assert.equal(target.connections, 0);
});

test('A test event is sent at once, logged, and changes nothing', async () => {
  const { hook, receiver, secret } = await connect({ Events: ['user.role'] });
  receiver.reply = () => (response) => response.writeHead(500).end('x'.repeat(100_000));
  const { Delivery } = await manage<{ Delivery: Delivery }>(admin, 'POST', `/webhooks/${hook.Id}/test`);
  const [received] = receiver.received;
  assert.match(Delivery.EventId, /^test:[0-9a-f-]{36}$/);
  assert.deepEqual(
    [Delivery.Type, Delivery.Attempt, Delivery.Status, Delivery.Response],
    ['cabinet.webhook.test', 1, 500, 'x'.repeat(1024)],
  );
  assert.deepEqual([received?.event.type, received?.event.id], ['cabinet.webhook.test', Delivery.EventId]);
  assert.deepEqual(received?.verifiedBy, [secret]);
  assert.deepEqual(await deliveriesOf(hook.Id), [Delivery]);
  const now = await show(hook.Id);
  assert.deepEqual([now.State, now.Position], ['active', hook.Position]);
});

test('A rotated secret signs beside the old one, for as long as was said', async () => {
  const { hook, receiver, secret } = await connect({ Events: ['user.role'] });
  const path = `/webhooks/${hook.Id}`;
  const { Secret: second } = await manage<Added>(admin, 'POST', `${path}/rotate`);
  receiver.secrets.push(second);
  await manage(admin, 'POST', `${path}/test`);
  const { Secret: third } = await manage<Added>(admin, 'POST', `${path}/rotate`, { OverlapSeconds: 0 });
  receiver.secrets.push(third);
  await manage(admin, 'POST', `${path}/test`);
  assert.deepEqual(
    receiver.received.map(({ verifiedBy }) => verifiedBy),
    [[secret, second], [third]],
  );
  assertRefusal(await ask(admin, 'POST', `${path}/rotate`, { OverlapSeconds: 604_801 }), 400, 'InvalidField');
});

test('A replay sends everything again from a position or a time, in order, and live events after it', async () => {
  const before = new Date().toISOString();
  const folder = await makeFolder(admin);
  const names = ['a', 'b', 'c'];
  for (const name of names) await createFolder(admin, folder.Id, name);
  const { hook, receiver } = await connect({ Events: ['folder.created'], FolderId: folder.Id });
  const replay = (fields: object) => manage<{ Webhook: Webhook }>(admin, 'POST', `/webhooks/${hook.Id}/replay`, fields);
  await replay({ Since: before });
  await until(receiver, 4);
  await createFolder(admin, folder.Id, 'live');
  await until(receiver, 5);
  const shown = () => receiver.received.map(({ event }) => event.data?.Details.Name);
  assert.deepEqual(shown().slice(1), ['a', 'b', 'c', 'live']);
  const from = receiver.received[2]?.event.data?.Position ?? 0;
  assert.equal((await replay({ FromPosition: from })).Webhook.Position, from - 1);
  await until(receiver, 8);
  assert.deepEqual(shown().slice(5), ['b', 'c', 'live']);
  const path = `/webhooks/${hook.Id}/replay`;
  for (const fields of [{}, { FromPosition: 1, Since: before }, { Since: 'yesterday' }, { FromPosition: 2 ** 40 }])
    assertRefusal(await ask(admin, 'POST', path, fields), 400, 'InvalidField');
});

test('A receiver that hangs delays nobody else', async () => {
  const hanging = await connect({ Events: ['folder.created'] });
  hanging.receiver.reply = () => () => undefined;
  const { receiver } = await connect({ Events: ['folder.created'] });
  for (let n = 0; n < 3; n += 1) await makeFolder(admin);
  await until(receiver, 3);
  assert.equal(hanging.receiver.received.length, 1);
});

test('Webhooks of another space do not exist', async () => {
  const stranger: Caller = await signIn('Solo');
  const { hook } = await connect();
  assertRefusal(await call(stranger, `/webhooks/${hook.Id}`), 403, 'InsufficientScope');
  const elsewhere = await addApplication(admin, { Scopes: ['content.read', 'content.write'] });
  assertRefusal(await call(elsewhere, '/webhooks'), 403, 'InsufficientScope');
});
