// Changes of many entries (docs/contract.md §18.3).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../service/service.ts';
import { assertRefusal, type Entry, type ErrorBody } from './assertions.ts';
import { saveMany } from './batch.ts';
import { type Caller, call, createFolder, type Headers, listFolder, makeFolder, saveFile, signIn } from './client.ts';
import { listTrash } from './life.ts';

type Result = { EntryId: string; Entry?: Entry; Error?: ErrorBody };
type Job = { Id: string; Done: number; Total: number; State: string };

const main = await signIn('Main');

function post(caller: Caller, fields: unknown, headers: Headers = {}) {
  const body = JSON.stringify(fields);
  return call(caller, '/entries/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

async function change(caller: Caller, fields: unknown, headers: Headers = {}): Promise<Result[]> {
  const answer = await post(caller, fields, headers);
  assert.equal(answer.status, 200, answer.body.toString());
  return (JSON.parse(answer.body.toString()) as { Results: Result[] }).Results;
}

async function save(folder: string, name: string): Promise<string> {
  return (await saveFile(main, { FolderId: folder, FileName: name }, name)).File.Id;
}

const names = async (folder: string) => (await listFolder(main, folder)).map(({ Name }) => Name);
const codes = (results: Result[]) => results.map((result) => result.Error?.Code ?? 'done');

test('Entries are trashed, restored, moved, copied and deleted, with a result for each in the order of the request', async () => {
  const { Id } = await makeFolder(main);
  const to = await makeFolder(main);
  const folder = await createFolder(main, Id, 'folder');
  const ids = [await save(Id, 'b'), folder.Id, await save(Id, 'a')];
  const trashed = await change(main, { Action: 'trash', EntryIds: ids });
  assert.deepEqual(
    trashed.map(({ EntryId, Entry }) => [EntryId, Entry?.Id, Entry?.Name]),
    [
      [ids[0], ids[0], 'b'],
      [ids[1], ids[1], 'folder'],
      [ids[2], ids[2], 'a'],
    ],
  );
  assert.deepEqual(await names(Id), []);
  await change(main, { Action: 'restore', EntryIds: ids });
  assert.deepEqual(await names(Id), ['folder', 'a', 'b']);
  const moved = await change(main, { Action: 'move', EntryIds: ids, ParentFolderId: to.Id });
  assert.deepEqual(codes(moved), ['done', 'done', 'done']);
  assert.deepEqual([await names(Id), await names(to.Id)], [[], ['folder', 'a', 'b']]);
  const copies = await change(main, { Action: 'copy', EntryIds: ids, ParentFolderId: Id });
  assert.deepEqual(
    copies.map(({ Entry }) => Entry?.Name),
    ['b', 'folder', 'a'],
  );
  for (const { EntryId, Entry } of copies) assert.notEqual(Entry?.Id, EntryId);
  await change(main, { Action: 'delete', EntryIds: ids });
  assert.deepEqual(await names(to.Id), []);
  const left = (await listTrash(main)).filter(({ Entry }) => ids.includes(Entry.Id));
  assert.deepEqual(left, []);
});

test('An entry that is refused leaves the others', async () => {
  const { Id } = await makeFolder(main);
  const to = await makeFolder(main);
  const [a, b] = [await save(Id, 'a'), await save(Id, 'b')];
  await save(to.Id, 'a');
  const fields = { Action: 'move', EntryIds: [a, 'unknown', b, '-root-'], ParentFolderId: to.Id };
  const results = await change(main, fields);
  assert.deepEqual(codes(results), ['NameAlreadyExists', 'EntryNotFound', 'done', 'Forbidden']);
  assert.equal(results[0]?.Error?.Conflicts?.[0]?.Name, 'a');
  assert.equal(results[1]?.EntryId, 'unknown');
  assert.deepEqual(await names(to.Id), ['a', 'b']);
  const [renamed] = await change(main, { ...fields, EntryIds: [a], ConflictBehavior: 'Rename' });
  assert.equal(renamed?.Entry?.Name, 'a (2)');
});

test('Entries of another space look like unknown ones, and rights count for each', async () => {
  const { Id } = await makeFolder(main);
  const a = await save(Id, 'a');
  const stranger = await signIn('Stranger');
  const [foreign, unknown] = await change(stranger, { Action: 'trash', EntryIds: [a, `${a}0`] });
  const { RequestTrackingId: _, ...error } = foreign?.Error ?? { RequestTrackingId: '' };
  const { RequestTrackingId: __, ...expected } = unknown?.Error ?? { RequestTrackingId: '' };
  assert.deepEqual(error, expected);
  assert.equal(foreign?.Error?.Code, 'EntryNotFound');
  const answer = await post(await signIn('Reader'), { Action: 'trash', EntryIds: [a] });
  assertRefusal(answer, 403, 'InsufficientScope');
  assert.deepEqual(await names(Id), ['a']);
});

test('1 to 5,000 ids, an action, and for a move its target are needed', async () => {
  const many = Array.from({ length: 5001 }, () => 'unknown');
  const bad: [fields: object, target: string][] = [
    [{ EntryIds: ['a'] }, 'Action'],
    [{ Action: 'burn', EntryIds: ['a'] }, 'Action'],
    [{ Action: 'trash' }, 'EntryIds'],
    [{ Action: 'trash', EntryIds: [] }, 'EntryIds'],
    [{ Action: 'trash', EntryIds: many }, 'EntryIds'],
    [{ Action: 'move', EntryIds: ['a'] }, 'ParentFolderId'],
    [{ Action: 'copy', EntryIds: ['a'], ConflictBehavior: 'Version' }, 'ConflictBehavior'],
  ];
  for (const [fields, target] of bad) {
    for (const headers of [{}, { Prefer: 'respond-async' }]) {
      const { Target } = assertRefusal(await post(main, fields, headers), 400, 'InvalidField');
      assert.equal(Target?.split('/')[0], target);
    }
  }
  const results = await change(main, { Action: 'trash', EntryIds: many.slice(1) });
  assert.equal(results.length, 5000);
});

async function showJob(caller: Caller, id: string): Promise<{ Job: Job; Results?: Result[] }> {
  const answer = await call(caller, `/jobs/${id}`);
  assert.equal(answer.status, 200, answer.body.toString());
  return JSON.parse(answer.body.toString());
}

test('With Prefer: respond-async a job does it, which only its maker sees', async () => {
  const { Id } = await makeFolder(main);
  const files = Array.from({ length: 100 }, (_, n) => ({ name: `${n}`, content: 'x' }));
  await saveMany(main, Id, files);
  const EntryIds = (await listFolder(main, Id)).map((entry) => entry.Id);
  const answer = await post(main, { Action: 'trash', EntryIds: [...EntryIds, 'unknown'] }, { Prefer: 'respond-async' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['preference-applied'], 'respond-async');
  const { Job } = JSON.parse(answer.body.toString()) as { Job: Job };
  assert.deepEqual([Job.Total, Job.State], [101, 'running']);
  assertRefusal(await call(await signIn('Stranger'), `/jobs/${Job.Id}`), 404, 'JobNotFound');
  assertRefusal(await call(main, `/jobs/${EntryIds[0]}`), 404, 'JobNotFound');
  await eventually('the job is done', async () => (await showJob(main, Job.Id)).Job.State === 'done');
  const { Job: ended, Results = [] } = await showJob(main, Job.Id);
  assert.equal(ended.Done, 101);
  assert.deepEqual(
    Results.map(({ EntryId }) => EntryId),
    [...EntryIds, 'unknown'],
  );
  assert.equal(Results.at(-1)?.Error?.Code, 'EntryNotFound');
  assert.deepEqual(await names(Id), []);
});
