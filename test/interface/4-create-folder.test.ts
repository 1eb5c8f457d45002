// Create a folder (docs/contract.md §4.1 and §4.4): the six accepted bodies, the parent, the fields, and name conflicts.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal } from './assertions.ts';
import {
  type Answer,
  call,
  createFolder,
  listFolder,
  makeFolder,
  postFolder,
  readFolder,
  saveFile,
  signIn,
} from './client.ts';

const main = await signIn('Main');
const root = main.application.RootFolderId;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

type Fields = Record<string, string>;
const json = (fields: Fields): string => JSON.stringify(fields);
const form = (fields: Fields): string => new URLSearchParams(fields).toString();
const payload = (fields: Fields): string => JSON.stringify({ requestPayload: fields });

const BODIES: { title: string; type: string | undefined; write: (fields: Fields) => string }[] = [
  { title: 'JSON', type: JSON_TYPE, write: json },
  { title: 'JSON with a charset', type: 'Application/JSON; charset=utf-8', write: json },
  { title: 'JSON with requestPayload', type: JSON_TYPE, write: payload },
  { title: 'a form', type: FORM, write: form },
  { title: 'a form with requestPayload', type: FORM, write: (fields) => form({ requestPayload: json(fields) }) },
  { title: 'JSON under the content type of a form', type: FORM, write: json },
  { title: 'JSON with requestPayload under the content type of a form', type: FORM, write: payload },
  { title: 'JSON without a content type', type: undefined, write: json },
  { title: 'a form without a content type', type: undefined, write: form },
];

function post(type: string | undefined, body: string | Uint8Array): Promise<Answer> {
  return call(main, '/folders', { method: 'POST', headers: { 'Content-Type': type }, body });
}

for (const { title, type, write } of BODIES) {
  test(`A folder is created from ${title}`, async () => {
    const parent = await makeFolder(main);
    const name = 'Ünïcode & more = 100% + 1; "x"';
    const { Folder } = assertEnvelope(await post(type, write({ ParentFolderId: parent.Id, FolderName: name })));
    assert.equal(Folder.Name, name);
    assert.deepEqual(await listFolder(main, parent.Id), [Folder]);
  });

  test(`FolderName is mandatory in ${title}`, async () => {
    const parent = await makeFolder(main);
    const answer = await post(type, write({ ParentFolderId: parent.Id, Other: 'x' }));
    assertRefusal(answer, 400, 'FolderNameMissing');
    assert.deepEqual(await listFolder(main, parent.Id), []);
  });
}

test('A space in a form is a plus sign or %20', async () => {
  const parent = await makeFolder(main);
  const answer = await post(FORM, `ParentFolderId=${parent.Id}&FolderName=a+b%20c%2B`);
  assert.equal(assertEnvelope(answer).Folder.Name, 'a b c+');
});

test('ParentFolderId absent, empty or -root- means the root folder', async () => {
  for (const parent of [{}, { ParentFolderId: '' }, { ParentFolderId: '-root-' }]) {
    for (const [type, write] of [
      [JSON_TYPE, json],
      [FORM, form],
    ] as const) {
      const name = `interface-test-${randomUUID()}`;
      const { Folder } = assertEnvelope(await post(type, write({ ...parent, FolderName: name })));
      const again = await postFolder(main, { ParentFolderId: root, FolderName: name });
      assert.equal(assertRefusal(again, 400, 'NameAlreadyExists').Conflicts?.[0]?.Id, Folder.Id);
    }
  }
});

test("A parent that is a file's id is 400 NotAFolder", async () => {
  const parent = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: parent.Id, FileName: 'a' }, 'a');
  const answer = await postFolder(main, { ParentFolderId: File.Id, FolderName: 'x' });
  assertRefusal(answer, 400, 'NotAFolder');
});

test('Unknown fields are ignored', async () => {
  const parent = await makeFolder(main);
  const unknown = { Id: randomUUID(), Size: 5, Type: 'file', CreatedBy: 'me', Nested: { FolderName: ['x'] } };
  const folder = await createFolder(main, parent.Id, 'a', unknown);
  assert.notEqual(folder.Id, unknown.Id);
  assert.equal(folder.Size, 0);
  assert.equal(folder.CreatedBy, `app:${main.application.Name}`);
});

test('A taken name is 400 NameAlreadyExists with the whole existing record', async () => {
  const parent = await makeFolder(main);
  const folder = await createFolder(main, parent.Id, 'a', { Properties: { key: 'value' } });
  const { File } = await saveFile(main, { FolderId: parent.Id, FileName: 'b' }, 'b');
  for (const existing of [folder, File]) {
    const request = { ParentFolderId: parent.Id, FolderName: existing.Name };
    for (const fields of [request, { ...request, ConflictBehavior: 'Fail' }]) {
      const error = assertRefusal(await postFolder(main, fields), 400, 'NameAlreadyExists');
      assert.deepEqual(error.Conflicts, [existing]);
    }
  }
  assert.deepEqual(await listFolder(main, parent.Id), [folder, File]);
});

test('ConflictBehavior Existing answers the existing folder and its children, or creates it', async () => {
  const parent = await makeFolder(main);
  const request = { ParentFolderId: parent.Id, FolderName: 'a', ConflictBehavior: 'Existing' };
  const made = assertEnvelope(await postFolder(main, request));
  assert.deepEqual(made.Children, []);
  const inner = await createFolder(main, made.Folder.Id, 'inner');
  const { File } = await saveFile(main, { FolderId: made.Folder.Id, FileName: 'b' }, 'bytes');
  const answer = await postFolder(main, { ...request, Properties: { ignored: 'yes' } });
  const again = assertEnvelope(answer);
  assert.deepEqual(again, { Folder: { ...made.Folder, Size: 5 }, Children: [inner, File] });
  assert.equal(answer.headers.entryid, made.Folder.Id);
});

test('ConflictBehavior Existing refuses a name that a file has', async () => {
  const parent = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: parent.Id, FileName: 'a' }, 'a');
  const answer = await postFolder(main, { ParentFolderId: parent.Id, FolderName: 'a', ConflictBehavior: 'Existing' });
  assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [File]);
});

test('ConflictBehavior Rename counts up from (2), skipping taken names', async () => {
  const parent = await makeFolder(main);
  const request = { ParentFolderId: parent.Id, FolderName: 'Name', ConflictBehavior: 'Rename' };
  const names: string[] = [];
  for (let made = 0; made < 3; made++) names.push(assertEnvelope(await postFolder(main, request)).Folder.Name);
  assert.deepEqual(names, ['Name', 'Name (2)', 'Name (3)']);
  await saveFile(main, { FolderId: parent.Id, FileName: 'Name (4)' }, 'x');
  assert.equal(assertEnvelope(await postFolder(main, request)).Folder.Name, 'Name (5)');
});

test('ConflictBehavior is also a header, for every form of body', async () => {
  const parent = await makeFolder(main);
  await createFolder(main, parent.Id, 'a');
  const fields = { ParentFolderId: parent.Id, FolderName: 'a' };
  for (const [type, write, name] of [
    [JSON_TYPE, json, 'a (2)'],
    [FORM, form, 'a (3)'],
  ] as const) {
    const headers = { 'Content-Type': type, ConflictBehavior: 'Rename' };
    const answer = await call(main, '/folders', { method: 'POST', headers, body: write(fields) });
    assert.equal(assertEnvelope(answer).Folder.Name, name);
  }
});

test('An unknown ConflictBehavior is 400 InvalidField, in the body and in the header', async () => {
  const parent = await makeFolder(main);
  const fields = { ParentFolderId: parent.Id, FolderName: 'a' };
  assertRefusal(await postFolder(main, { ...fields, ConflictBehavior: 'Overwrite' }), 400, 'InvalidField');
  assertRefusal(await postFolder(main, fields, { ConflictBehavior: 'Overwrite' }), 400, 'InvalidField');
  assert.deepEqual(await listFolder(main, parent.Id), []);
});

test('Optional fields are accepted in requestPayload', async () => {
  const parent = await makeFolder(main);
  const fields = { ParentFolderId: parent.Id, FolderName: 'a', Properties: { k: 'v' }, ObjectType: 'acme:case' };
  const inPayload = assertEnvelope(await postFolder(main, { requestPayload: fields })).Folder;
  assert.deepEqual([inPayload.Properties, inPayload.ObjectType], [{ k: 'v' }, 'acme:case']);
  const body = form({ requestPayload: JSON.stringify({ ...fields, ConflictBehavior: 'Rename' }) });
  const inForm = assertEnvelope(await post(FORM, body)).Folder;
  assert.deepEqual([inForm.Name, inForm.Properties, inForm.ObjectType], ['a (2)', { k: 'v' }, 'acme:case']);
});

test('A new folder can be read by its id', async () => {
  const parent = await makeFolder(main);
  const inner = await createFolder(main, parent.Id, 'inner');
  const innermost = await createFolder(main, inner.Id, 'inner');
  assert.deepEqual(await readFolder(main, inner.Id), { Folder: inner, Children: [innermost] });
});
