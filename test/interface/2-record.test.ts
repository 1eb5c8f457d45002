// Entry record (docs/contract.md §2): the values of its eleven fields. Limits on Properties and ObjectType are in 8-limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from './assertions.ts';
import { createFolder, makeFolder, postFile, readFolder, saveFile, signIn, toSaved } from './client.ts';
import { filePart, MULTIPART, multipart, textPart } from './multipart.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const mainUser = `app:${main.application.Name}`;
const PDF = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

test('A new folder has the values of a folder in all eleven fields', async () => {
  const before = Date.now();
  const parent = await makeFolder(main);
  const { Id, CreatedAt, ModifiedAt, ...rest } = await createFolder(main, parent.Id, 'Invoices');
  assert.notEqual(Id, parent.Id);
  assert.equal(CreatedAt, ModifiedAt);
  assert.ok(Math.abs(Date.parse(CreatedAt) - before) < 60_000, `server time is ${CreatedAt}`);
  assert.deepEqual(rest, {
    Name: 'Invoices',
    Type: 'folder',
    ObjectType: 'cmis:folder',
    ContentType: 'inode/directory',
    CreatedBy: mainUser,
    ModifiedBy: mainUser,
    Size: 0,
    Properties: {},
  });
});

test('A new file has the values of a file in all eleven fields', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt', 'Content-Type': 'text/x-a' }, 'four');
  const { Id, CreatedAt, ModifiedAt, ...rest } = File;
  assert.notEqual(Id, folder.Id);
  assert.equal(CreatedAt, ModifiedAt);
  assert.deepEqual(rest, {
    Name: 'a.txt',
    Type: 'file',
    ObjectType: 'cmis:document',
    ContentType: 'text/x-a',
    CreatedBy: mainUser,
    ModifiedBy: mainUser,
    Size: 4,
    Properties: {},
  });
});

test("The application's root folder is a folder like any other", async () => {
  const { Folder } = await readFolder(main, '-root-', '?limit=1');
  assert.equal(Folder.Id, main.application.RootFolderId);
  assert.equal(Folder.ObjectType, 'cmis:folder');
});

const CONTENT_TYPES: { sent: string | undefined; name: string; bytes: string | Uint8Array; stored: string }[] = [
  { sent: 'image/x-own', name: 'a.pdf', bytes: PDF, stored: 'image/x-own' },
  { sent: undefined, name: 'a.txt', bytes: Buffer.from(PDF, 'latin1'), stored: 'application/pdf' },
  { sent: 'application/octet-stream', name: 'a.txt', bytes: PNG, stored: 'image/png' },
  { sent: undefined, name: 'a.csv', bytes: 'a,b\n', stored: 'text/csv' },
  { sent: 'application/octet-stream', name: 'a.html', bytes: 'plain', stored: 'text/html' },
  { sent: undefined, name: 'a.no-such-extension', bytes: 'x', stored: 'application/octet-stream' },
  { sent: 'application/octet-stream', name: 'noextension', bytes: '', stored: 'application/octet-stream' },
];

test('ContentType is the declared one, else by magic bytes, else by extension, else application/octet-stream', async () => {
  for (const { sent, name, bytes, stored } of CONTENT_TYPES) {
    const folder = await makeFolder(main);
    const at = { FolderId: folder.Id, FileName: name };
    const raw = await saveFile(main, { ...at, 'Content-Type': sent }, bytes);
    assert.equal(raw.File.ContentType, stored, `raw body, ${sent}, ${name}`);
    const part = filePart(bytes, { fileName: name, ...(sent === undefined ? {} : { type: sent }) });
    const headers = { ...at, FileName: `other-${name}`, 'Content-Type': MULTIPART };
    const asPart = toSaved(await postFile(main, headers, multipart([part])));
    assert.equal(asPart.File.ContentType, stored, `part, ${sent}, ${name}`);
  }
});

test('ModifiedBy names the application that saved last, CreatedBy the one that saved first', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a.txt' };
  await saveFile(main, at, 'one');
  const { File } = await saveFile(neighbour, at, 'two');
  assert.equal(File.CreatedBy, mainUser);
  assert.equal(File.ModifiedBy, `app:${neighbour.application.Name}`);
});

test("A folder's Size is the exact total of the current versions beneath it, at every level and in every reply", async () => {
  const top = await makeFolder(main);
  const middle = await createFolder(main, top.Id, 'middle');
  const low = await createFolder(main, middle.Id, 'low');
  const saves: { folder: Entry; name: string; length: number; sizes: [number, number, number] }[] = [
    { folder: low, name: 'a', length: 1000, sizes: [1000, 1000, 1000] },
    { folder: middle, name: 'b', length: 70_000, sizes: [71_000, 71_000, 1000] },
    { folder: top, name: 'c', length: 1, sizes: [71_001, 71_000, 1000] },
    { folder: low, name: 'a', length: 100_000, sizes: [170_001, 170_000, 100_000] },
    { folder: low, name: 'a', length: 7, sizes: [70_008, 70_007, 7] },
    { folder: low, name: 'z', length: 3, sizes: [70_011, 70_010, 10] },
    { folder: middle, name: 'b', length: 0, sizes: [11, 10, 10] },
  ];
  for (const { folder, name, length, sizes } of saves) {
    const saved = await saveFile(main, { FolderId: folder.Id, FileName: name }, Buffer.alloc(length, name));
    assert.equal(saved.Folder.Size, sizes[[top, middle, low].indexOf(folder)]);
    const read = await Promise.all([top, middle, low].map(async ({ Id }) => (await readFolder(main, Id)).Folder.Size));
    assert.deepEqual(read, sizes);
  }
  const { Children } = await readFolder(main, top.Id);
  assert.deepEqual(
    Children.map(({ Name, Size }) => [Name, Size]),
    [
      ['middle', 10],
      ['c', 1],
    ],
  );
});

test('Saving into a folder does not modify the folder', async () => {
  const folder = await makeFolder(main);
  await createFolder(neighbour, folder.Id, 'inner');
  const { Folder } = await saveFile(neighbour, { FolderId: folder.Id, FileName: 'a' }, 'a');
  assert.deepEqual(Folder, { ...folder, Size: 1 });
});

test('Properties of folders and files are kept exactly', async () => {
  const properties = { invoice: '2026-001', 'ключ 🔑': 'a\nb\t"c" é e\u0301', empty: '', hasOwnProperty: 'x' };
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner', { Properties: properties });
  assert.deepEqual(inner.Properties, properties);
  const body = multipart([filePart('x'), textPart('Properties', JSON.stringify(properties))]);
  const headers = { FolderId: folder.Id, FileName: 'a', 'Content-Type': MULTIPART };
  assert.deepEqual(toSaved(await postFile(main, headers, body)).File.Properties, properties);
  const { Children } = await readFolder(main, folder.Id);
  assert.deepEqual(
    Children.map((entry) => entry.Properties),
    [properties, properties],
  );
});

test('ObjectType is the one the client sends at creation', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner', { ObjectType: 'acme:case.file_v-1' });
  assert.equal(inner.ObjectType, 'acme:case.file_v-1');
  const body = multipart([textPart('ObjectType', 'acme:invoice'), filePart('x')]);
  const headers = { FolderId: folder.Id, FileName: 'a', 'Content-Type': MULTIPART };
  assert.equal(toSaved(await postFile(main, headers, body)).File.ObjectType, 'acme:invoice');
});
