// Audit log (docs/contract.md §10.13): who did what in a space, for callers who manage it.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { call, createFolder, makeFolder, saveFile, signIn, untilLater } from './client.ts';
import { addApplication, ask, type Event, get, getAll, manage, newName } from './managing.ts';

const admin = await signIn('Administrator');
const stranger = await signIn('Stranger');

const find = (query: string) => getAll<Event>(admin, `/audit?${query}`, 'Events');

test('An event has its actor, time, action, entry and tracking id', async () => {
  const folder = await makeFolder(admin);
  const [event] = await find(`entry=${folder.Id}`);
  assert.deepEqual(
    [event?.Action, event?.By, event?.EntryId],
    ['folder.created', `app:${admin.application.Name}`, folder.Id],
  );
  assert.equal(event?.At, folder.CreatedAt);
  const made = await addApplication(admin);
  const requesttrackingid = randomUUID();
  const path = `/applications/${made.application.AppKey}`;
  await ask(admin, 'PATCH', path, { State: 'disabled' }, { requesttrackingid });
  const [changed, added] = await find(`entry=${made.application.AppKey}`);
  assert.deepEqual([changed?.Action, changed?.RequestTrackingId], ['application.disabled', requesttrackingid]);
  assert.deepEqual([added?.Action, added?.Details], ['application.added', { Name: made.application.Name }]);
  for (const event of [changed, added]) assert.equal(event?.By, `app:${admin.application.Name}`);
});

test('Events of managing people and spaces over HTTP have the actor', async () => {
  const Id = newName();
  await manage(admin, 'POST', '/users', { Id, Role: 'editor' });
  await manage(admin, 'DELETE', `/users/${Id}`);
  const events = await find(`entry=${Id}`);
  assert.deepEqual(
    events.map(({ Action, Details, By }) => [Action, Details, By]),
    [
      ['user.role', { Role: null }, `app:${admin.application.Name}`],
      ['user.role', { Role: 'editor' }, `app:${admin.application.Name}`],
    ],
  );
});

test('Events are listed newest first, page by page, each once', async () => {
  const folder = await makeFolder(admin);
  for (let n = 0; n < 7; n += 1) await createFolder(admin, folder.Id, `f${n}`);
  const all = await find('limit=3&action=folder.created');
  const positions = all.map(({ Position }) => Position);
  assert.deepEqual(
    positions,
    [...new Set(positions)].sort((a, b) => b - a),
  );
  assert.ok(all.length >= 8);
  const { Events } = await get<{ Events: Event[] }>(admin, '/audit?limit=2');
  assert.equal(Events.length, 2);
});

test('Events are filtered by actor, action, entry and time', async () => {
  const made = await addApplication(admin);
  const folder = await createFolder(made, '-root-', newName());
  await untilLater();
  const { File } = await saveFile(made, { FolderId: folder.Id, FileName: 'a' }, 'a');
  const by = encodeURIComponent(`app:${made.application.Name}`);
  const actions = async (query: string) => (await find(query)).map(({ Action }) => Action);
  assert.deepEqual(await actions(`by=${by}`), ['file.created', 'folder.created']);
  assert.deepEqual(await actions(`by=${by}&action=file.created`), ['file.created']);
  assert.deepEqual(await actions(`by=${by}&entry=${folder.Id}`), ['folder.created']);
  assert.deepEqual(await actions(`by=${by}&since=${File.CreatedAt}`), ['file.created']);
  const between = `since=${encodeURIComponent('1999-01-01T00:00:00+02:00')}&until=${folder.CreatedAt}`;
  assert.equal((await actions(`by=${by}&${between}`)).at(-1), 'folder.created');
  assert.deepEqual(await actions(`by=${by}&until=1999-01-01T00:00:00Z`), []);
  assert.deepEqual(await actions('by=nobody'), []);
  for (const bad of ['since=yesterday', 'until=2026-13-01T00:00:00Z', 'since=2026-01-01', 'since=', 'limit=1001']) {
    assertRefusal(await call(admin, `/audit?${bad}`), 400, 'InvalidField');
  }
});

test('Events of other spaces are not listed, and callers without content.admin are refused', async () => {
  const folder = await makeFolder(stranger);
  assert.deepEqual(await find(`entry=${folder.Id}`), []);
  assert.deepEqual(await find(`by=${encodeURIComponent(`app:${stranger.application.Name}`)}`), []);
  assertRefusal(await call(stranger, '/audit'), 403, 'InsufficientScope');
});

test('A cursor keeps its filters, and a cursor of another list is refused', async () => {
  const { headers } = await call(admin, '/audit?limit=1&action=folder.created');
  assert.match(String(headers.link), /action=folder\.created/);
  assertRefusal(await call(admin, '/audit?cursor=AAAA.AAAA'), 400, 'InvalidCursor');
});
