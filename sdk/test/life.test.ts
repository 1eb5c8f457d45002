// Versions, trash, search, changes, archives, links and managing, against a real service.

import assert from 'node:assert/strict';
import { hash, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { makeCa } from '../../src/certificates/certificates-for-tests.ts';
import { makeClient } from '../../test/security/company-ca.ts';
import { eventually } from '../../test/service/service.ts';
import { readDescription, readKeys, readMetrics, showIssuer, showLiveness, showReadiness } from '../src/about.ts';
import * as applications from '../src/applications.ts';
import { openArchive, openSelection } from '../src/archive.ts';
import { changesPage, followChanges, listChanges } from '../src/changes.ts';
import { readText } from '../src/downloads.ts';
import { changeEntries, deleteEntry } from '../src/entries.ts';
import { CabinetError } from '../src/errors.ts';
import { saveFile } from '../src/files.ts';
import { createFolder } from '../src/folders.ts';
import { createLink } from '../src/links.ts';
import * as managing from '../src/managing.ts';
import { search, searchPage } from '../src/search.ts';
import { emptyTrash, listTrash, restoreEntry } from '../src/trash.ts';
import { commentVersion, listVersions, removeVersion, restoreVersion } from '../src/versions.ts';
import { gather, makeFolder, standOnService } from './ground.ts';

const ground = await standOnService();
const cabinet = ground.connect();

test('versions are listed newest first, commented, restored and removed', async () => {
  const folder = await makeFolder(cabinet);
  let id = '';
  for (const content of ['one', 'two', 'three']) {
    const saved = await saveFile(cabinet, { folder, name: 'v.txt', content, comment: `It is ${content}` });
    id = saved.Id;
  }
  const versions = await gather(listVersions(cabinet, id, { pageSize: 2 }));
  assert.deepEqual(
    versions.map(({ Version, Comment }) => [Version, Comment]),
    [
      [3, 'It is three'],
      [2, 'It is two'],
      [1, 'It is one'],
    ],
  );
  assert.equal((await commentVersion(cabinet, { id, version: 2, comment: null })).Comment, null);
  assert.equal((await restoreVersion(cabinet, { id, version: 1 })).Version, 4);
  assert.equal(await readText(cabinet, id), 'one');
  await removeVersion(cabinet, { id, version: 2 });
  assert.equal((await gather(listVersions(cabinet, id))).length, 3);
  await assert.rejects(readText(cabinet, id, { version: 2 }), { code: 'VersionNotFound' });
});

test('what was deleted is in the trash, comes back, or goes for good', async () => {
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 't.txt', content: 't' });
  const id = saved.Id;
  await deleteEntry(cabinet, { id });
  assert.ok((await gather(listTrash(cabinet, { pageSize: 1 }))).some(({ Entry }) => Entry.Id === id));
  const restored = await restoreEntry(cabinet, { id, name: 'back.txt' });
  assert.equal(restored.Entry.Name, 'back.txt');
  await deleteEntry(cabinet, { id });
  assert.ok((await emptyTrash(cabinet)).Removed >= 1);
  assert.deepEqual(await gather(listTrash(cabinet)), []);
});

test('many entries are changed at once, each with its own result', async () => {
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'a.txt', content: 'a' });
  const id = saved.Id;
  const [entry, error] = await changeEntries(cabinet, { action: 'trash', ids: [id, 'unknown'] });
  assert.equal(entry instanceof CabinetError ? null : entry?.Id, id);
  assert.equal(error instanceof CabinetError ? error.code : null, 'EntryNotFound');
  await changeEntries(cabinet, { action: 'delete', ids: [id] });
});

test('names, properties and contents are found', async () => {
  const folder = await makeFolder(cabinet);
  for (const Year of ['2025', '2026']) {
    const content = 'The quick brown wombat.';
    await saveFile(cabinet, { folder, name: `wombat ${Year}.txt`, content, properties: { Year } });
  }
  const question = { text: 'wombat', folder, type: 'file' as const, properties: { Year: '2026' } };
  await eventually(
    'the index follows',
    async () => (await searchPage(cabinet, { text: 'wombat', folder })).Results.length === 2,
    20_000,
  );
  const results = await gather(search(cabinet, question));
  assert.deepEqual(
    results.map(({ Entry }) => Entry.Name),
    ['wombat 2026.txt'],
  );
  assert.match(results[0]?.Snippet ?? '', /<mark>wombat<\/mark>/);
  assert.equal((await gather(search(cabinet, 'wombat', { pageSize: 1 }))).length, 2);
  const later = { ...question, modifiedAfter: new Date(Date.now() + 3_600_000) };
  assert.deepEqual(await gather(search(cabinet, later)), []);
});

test('changes are followed as they happen, and from a cursor after a stop', async () => {
  const pages = followChanges(cabinet, { from: 'now' });
  const first = await pages.next();
  assert.deepEqual(first.value?.Changes, []);
  const waiting = pages.next();
  const created = await createFolder(cabinet, { name: 'to be followed' });
  const { value } = await waiting;
  assert.deepEqual(
    value?.Changes.map(({ Action, EntryId }) => [Action, EntryId]),
    [['folder.created', created.Id]],
  );
  await pages.return();
  for (const name of ['a', 'b', 'c']) await createFolder(cabinet, { parent: created.Id, name });
  const missed = await gather(listChanges(cabinet, { cursor: value?.Cursor ?? '', limit: 2 }));
  assert.deepEqual(
    missed.flatMap(({ Changes }) => Changes.map(({ Entry }) => Entry?.Name)),
    ['a', 'b', 'c'],
  );
  assert.ok((await changesPage(cabinet, { from: 'snapshot' })).Changes.every(({ Action }) => Action === 'present'));
  await assert.rejects(changesPage(cabinet, { cursor: 'nonsense' }), { code: 'InvalidCursor' });
});

test('a selection comes as one ZIP', async () => {
  const folder = await makeFolder(cabinet);
  const ids: string[] = [];
  for (const name of ['y.txt', 'z.txt', 'left out.txt']) {
    const saved = await saveFile(cabinet, { folder, name, content: name });
    ids.push(saved.Id);
  }
  const stream = (await openSelection(cabinet, ids.slice(0, 2))) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const bytes = Buffer.from(await new Response(stream).arrayBuffer());
  assert.ok(bytes.includes('y.txt') && bytes.includes('z.txt') && !bytes.includes('left out'));
});

test('a folder comes as a ZIP', async () => {
  const folder = await makeFolder(cabinet);
  await saveFile(cabinet, { folder, name: 'z.txt', content: 'zipped' });
  const stream = (await openArchive(cabinet, folder)) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const bytes = Buffer.from(await new Response(stream).arrayBuffer());
  assert.equal(bytes.subarray(0, 2).toString(), 'PK');
  assert.ok(bytes.includes('z.txt'));
});

test('a link can be opened by anyone', async () => {
  const saved = await saveFile(cabinet, { name: 'linked.txt', content: 'linked' });
  const { Url, ExpiresAt } = await createLink(cabinet, { id: saved.Id, expiresInSeconds: 30 });
  assert.ok(Date.parse(ExpiresAt) > Date.now());
  assert.equal(await (await fetch(Url)).text(), 'linked');
});

test('the space, its people, its use and its limits', async () => {
  const [space] = await managing.listSpaces(cabinet);
  assert.equal(space?.RootFolderId, ground.application.RootFolderId);
  assert.deepEqual((await managing.showSpace(cabinet, space.Id)).Id, space.Id);
  const person = await managing.addUser(cabinet, { id: 'ada', role: 'viewer', name: 'Ada' });
  assert.match(person.SetupUrl, /\/setup\//);
  assert.notEqual((await managing.setUpUser(cabinet, 'ada')).SetupUrl, person.SetupUrl);
  assert.equal((await managing.showUser(cabinet, 'ada')).HasSignedIn, false);
  assert.equal((await managing.changeUser(cabinet, { id: 'ada', role: 'editor' })).Role, 'editor');
  assert.deepEqual(
    (await gather(managing.listUsers(cabinet))).map(({ Id }) => Id),
    ['ada'],
  );
  await managing.removeUser(cabinet, 'ada');
  assert.equal((await managing.showUsage(cabinet)).Space.Id, space.Id);
  assert.equal((await managing.showLimits(cabinet)).PageEntries.Most, 1000);
  const since = new Date(Date.now() - 3_600_000);
  const events = await gather(managing.listAudit(cabinet, { since, action: 'folder.created' }, { pageSize: 2 }));
  assert.ok(events.length >= 3 && events.every(({ Action }) => Action === 'folder.created'));
  assert.equal((await managing.renameSpace(cabinet, { id: space.Id, name: 'renamed' })).Name, 'renamed');
  const { Shares } = await managing.setShareRules(cabinet, { id: space.Id, Makers: 'managers', MaxDays: 7 });
  assert.deepEqual([Shares?.Makers, Shares?.MaxDays, Shares?.Allowed], ['managers', 7, true]);
  await managing.setShareRules(cabinet, { id: space.Id, Makers: null, MaxDays: null });
});

test('applications are registered, disabled, rotated and removed', async () => {
  const name = 'robot';
  const { AppKey: appKey, Secret } = await applications.addApplication(cabinet, { name, scopes: ['content.read'] });
  assert.ok(Secret);
  assert.equal((await applications.showApplication(cabinet, appKey)).Name, name);
  const disabled = await applications.changeApplication(cabinet, { appKey, state: 'disabled' });
  assert.equal(disabled.State, 'disabled');
  await applications.changeApplication(cabinet, { appKey, state: 'active' });
  const rotated = await applications.rotateSecret(cabinet, { appKey, overlapSeconds: 60 });
  assert.notEqual(rotated.Secret, Secret);
  assert.ok((await gather(applications.listApplications(cabinet))).some((one) => one.AppKey === appKey));
  await applications.removeApplication(cabinet, appKey);
});

test('certificates of a server-based application are added and removed', async () => {
  const { AppKey: appKey } = await applications.addApplication(cabinet, { name: 'server', kind: 'server' });
  const { pem: certificate } = await makeClient('CN=server', await makeCa('CN=a company'));
  const { Thumbprint: thumbprint } = await applications.addCertificate(cabinet, { appKey, certificate });
  const expected = hash('sha256', new X509Certificate(certificate).raw, 'base64url');
  assert.equal(thumbprint, expected);
  assert.deepEqual(
    (await applications.listCertificates(cabinet, appKey)).map(({ Thumbprint }) => Thumbprint),
    [expected],
  );
  await applications.removeCertificate(cabinet, { appKey, thumbprint });
  assert.deepEqual(await applications.listCertificates(cabinet, appKey), []);
});

test('the service tells anyone about itself', async () => {
  assert.deepEqual(await showLiveness(cabinet), { Status: 'live' });
  assert.deepEqual(await showReadiness(cabinet), { Status: 'ready' });
  assert.equal((await readDescription(cabinet)).openapi, '3.1.0');
  assert.equal((await showIssuer(cabinet)).issuer, ground.service.production);
  assert.ok((await readKeys(cabinet)).keys.length > 0);
  assert.match(await readMetrics(cabinet), /^# HELP /m);
});
