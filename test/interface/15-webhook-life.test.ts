// Webhooks (docs/contract.md §15): whom they belong to, and what an event says when it is sent late.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../service/service.ts';
import { call, makeFolder, saveFile, signIn } from './client.ts';
import { addApplication, ask, type Event, getAll, manage } from './managing.ts';
import { type Webhook, Webhooks } from './webhooks.ts';

const admin = await signIn('Administrator');
const hooks = new Webhooks(admin);
after(() => hooks.close());
const { connect, show, change } = hooks;

test('A webhook belongs to the space: it goes on when its maker is gone', async () => {
  const maker = await addApplication(admin, { Scopes: ['content.read', 'content.admin'] });
  const { hook, receiver } = await connect({ Events: ['folder.created'] }, maker);
  await ask(admin, 'DELETE', `/applications/${maker.application.AppKey}`);
  assert.equal((await call(maker, '/webhooks')).status, 401);
  const folder = await makeFolder(admin);
  await eventually('its event', async () => receiver.received.some(({ event }) => event.subject === folder.Id));
  assert.equal((await show(hook.Id)).CreatedBy, `app:${maker.application.Name}`);
});

test('A paused webhook can be set back; it stays paused, and then begins there', async () => {
  const first = await makeFolder(admin);
  const events = await getAll<Event>(admin, `/audit?entry=${first.Id}`, 'Events');
  const FromPosition = events[0]?.Position ?? 0;
  const { hook, receiver } = await connect({ Events: ['folder.created'] });
  await change(hook.Id, { State: 'paused' });
  const path = `/webhooks/${hook.Id}/replay`;
  const { Webhook: back } = await manage<{ Webhook: Webhook }>(admin, 'POST', path, { FromPosition });
  assert.deepEqual([back.State, back.Position], ['paused', FromPosition - 1]);
  const second = await makeFolder(admin);
  assert.equal((await change(hook.Id, { State: 'active' })).State, 'active');
  const has = (id: string) => receiver.received.some(({ event }) => event.subject === id);
  await eventually('both events', async () => has(first.Id) && has(second.Id));
  assert.equal(receiver.received[0]?.event.subject, first.Id);
});

test('An event has the fields of its line in the audit log, and the entry as it is when it is sent', async () => {
  const folder = await makeFolder(admin);
  const { hook, receiver } = await connect({ Events: ['file.created'], FolderId: folder.Id });
  // It fails until the file has another name.
  let status = 500;
  receiver.reply = () => status;
  const { File } = await saveFile(admin, { FolderId: folder.Id, FileName: 'early.txt' }, 'one');
  const own = () => receiver.received.filter(({ event }) => event.subject === File.Id);
  await eventually('the first attempt', async () => own().length === 1);
  await manage(admin, 'PATCH', `/entries/${File.Id}`, { Name: 'late.txt' });
  await eventually('it fails', async () => (await show(hook.Id)).State === 'failing');
  status = 204;
  await change(hook.Id, { State: 'active' });
  await eventually('it is active', async () => (await show(hook.Id)).LastDelivery?.Status === 204);
  const [before, after] = [own()[0], own().at(-1)].map((one) => one?.event);
  assert.deepEqual([before?.data?.Entry?.Name, before?.data?.Path], ['early.txt', `/${folder.Name}/early.txt`]);
  assert.deepEqual([after?.data?.Entry?.Name, after?.data?.Path], ['late.txt', `/${folder.Name}/late.txt`]);
  assert.equal(before?.id, after?.id);
  const [line] = await getAll<Event>(admin, `/audit?entry=${File.Id}&action=file.created`, 'Events');
  assert.ok(line !== undefined && after?.data !== undefined);
  const { Position, Action, By, Details } = after.data;
  assert.deepEqual([Position, Action, By, after.time], [line.Position, line.Action, line.By, line.At]);
  assert.equal(Details.Name, 'early.txt');
});
