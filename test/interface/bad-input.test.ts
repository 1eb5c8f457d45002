// Invalid fields, headers and bodies (docs/contract.md §1.5 and §7.4): each is refused with its documented code, none is a
// 500, and nothing is written.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry } from './assertions.ts';
import {
  assertEmptyFolder,
  call,
  createFolder,
  type Headers,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
  saveFile,
  signIn,
} from './client.ts';
import { BOUNDARY, filePart, MULTIPART, multipart, type Part, textPart } from './multipart.ts';
import { contentHead, openWire, toChunk } from './wire.ts';

const main = await signIn('Main');
const MIB = 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const CHUNKED = { 'Transfer-Encoding': 'chunked' };

const WRONG_TYPES: Record<string, unknown[]> = {
  ParentFolderId: [5, true, null, [], {}, ['-root-']],
  FolderName: [5, 1.5, false, null, [], {}, ['a']],
  Properties: ['x', 5, null, [], [['a', 'b']], { a: 1 }, { a: null }, { a: ['b'] }, { a: { b: 'c' } }],
  ObjectType: [5, null, [], {}],
  ConflictBehavior: [5, null, [], {}, '', 'rename it'],
};

for (const [field, values] of Object.entries(WRONG_TYPES)) {
  test(`${field} of a wrong JSON type is 400 InvalidField that names it`, async () => {
    const folder = await makeFolder(main);
    for (const value of values) {
      const fields = { ParentFolderId: folder.Id, FolderName: 'a', [field]: value };
      for (const body of [fields, { requestPayload: fields }]) {
        assert.equal(assertRefusal(await postFolder(main, body), 400, 'InvalidField').Target, field);
      }
    }
    await assertEmptyFolder(main, folder);
  });
}

test('A requestPayload that is not an object is refused', async () => {
  for (const requestPayload of [5, null, [], 'x', true]) {
    assertRefusal(await postFolder(main, { requestPayload }), 400, /^Invalid(Field|Body)$/);
  }
  for (const text of ['', 'x', '[]', '5', '{"FolderName":']) {
    const body = new URLSearchParams({ requestPayload: text }).toString();
    const answer = await call(main, '/folders', { method: 'POST', headers: { 'Content-Type': FORM }, body });
    assertRefusal(answer, 400, /^Invalid(Field|Body)$/);
  }
});

const JSON_BODIES: [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['white space', ' \n '],
  ['half an object', '{"FolderName":"a"'],
  ['an object and more', '{"FolderName":"a"}{"FolderName":"b"}'],
  ['a list', '[{"FolderName":"a"}]'],
  ['a string', '"FolderName"'],
  ['null', 'null'],
  ['a comment', '{"FolderName":"a"/*b*/}'],
  ['single quotes', "{'FolderName':'a'}"],
  ['a form', 'FolderName=a'],
  ['bytes that are not UTF-8', Buffer.from('7b22466f6c6465724e616d65223a22ff227d', 'hex')],
  ['UTF-16', Buffer.from('{"FolderName":"a"}', 'utf16le')],
  ['100,000 open brackets', '['.repeat(100_000)],
  ['100,000 nested objects', '{"a":'.repeat(100_000)],
  ['100,000 nested lists in an object', `{"FolderName":"a","b":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
];

for (const [title, body] of JSON_BODIES) {
  test(`${title} under application/json is 400 InvalidBody to POST /folders`, async () => {
    const headers = { 'Content-Type': 'application/json' };
    assertRefusal(await call(main, '/folders', { method: 'POST', headers, body }), 400, 'InvalidBody');
  });
}

test('Fields that are dangerous in JavaScript are ignored like every unknown field', async () => {
  const folder = await makeFolder(main);
  for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) {
    const body = `{"ParentFolderId":"${folder.Id}","FolderName":"of ${key}","${key}":{"ObjectType":"evil:1"}}`;
    const headers = { 'Content-Type': 'application/json' };
    const { Folder } = assertEnvelope(await call(main, '/folders', { method: 'POST', headers, body }));
    assert.deepEqual([Folder.Name, Folder.ObjectType], [`of ${key}`, 'cmis:folder']);
  }
});

test('Keys that are dangerous in JavaScript are refused or ignored', async () => {
  const folder = await makeFolder(main);
  const head = `{"ParentFolderId":"${folder.Id}","FolderName":"a"`;
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const bodies = [`${head},"${key}":{"ObjectType":"evil:1"}}`, `${head},"Properties":{"${key}":"x"}}`];
    for (const body of bodies) {
      const headers = { 'Content-Type': 'application/json', ConflictBehavior: 'Existing' };
      const answer = await call(main, '/folders', { method: 'POST', headers, body });
      if (answer.status !== 200) assertRefusal(answer, 400, /^Invalid(Body|Field)$/);
    }
  }
  const after = await createFolder(main, folder.Id, 'after');
  assert.deepEqual([after.ObjectType, after.Properties], ['cmis:folder', {}]);
});

test('POST /folders refuses other content types', async () => {
  const folder = await makeFolder(main);
  const body = multipart([textPart('ParentFolderId', folder.Id), textPart('FolderName', 'a')]);
  for (const type of [MULTIPART, 'text/plain', 'application/xml', 'nonsense', 'application/json/x']) {
    const answer = await call(main, '/folders', { method: 'POST', headers: { 'Content-Type': type }, body });
    assertRefusal(answer, 400, /./);
  }
  await assertEmptyFolder(main, folder);
});

const IDS = [
  '..',
  '../../etc/passwd',
  '/etc/passwd',
  'C:\\Windows',
  "' OR '1'='1",
  "'; DROP TABLE entries; --",
  '" OR ""="',
  '%',
  '*',
  '-root-/..',
  '0',
  '-1',
  'null',
  'undefined',
  '{}',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'x'.repeat(5000),
  'file:///etc/passwd',
  'http://127.0.0.1/',
];

test('Ids that are paths, SQL, URLs or nonsense are 404 FolderNotFound', async () => {
  for (const id of IDS) {
    assertRefusal(await postFolder(main, { ParentFolderId: id, FolderName: 'a' }), 404, 'FolderNotFound');
    assertRefusal(await postFile(main, { FolderId: id, FileName: 'a' }, 'x'), 404, 'FolderNotFound');
    if (id !== '..') assertRefusal(await call(main, `/folders/${encodeURIComponent(id)}`), 404, 'FolderNotFound');
    if (id !== '..') assertRefusal(await call(main, `/files/${encodeURIComponent(id)}/content`), 404, /NotFound$/);
  }
  for (const id of ['\0', 'a\0b', '\ud800', 'é', '😀', ' ', '\n']) {
    assertRefusal(await postFolder(main, { ParentFolderId: id, FolderName: 'a' }), 404, 'FolderNotFound');
  }
});

test('Badly encoded ids in the path are 404 FolderNotFound', async () => {
  for (const id of ['%zz', '%', '%ff', '%00', 'a%2fb', '%2e%2e%2f', '..%5c', '%F0%9F%98%80', "';--"]) {
    assertRefusal(await call(main, `/folders/${id}`), 404, 'FolderNotFound');
    assertRefusal(await call(main, `/files/${id}/content`), 404, /NotFound$/);
  }
});

const BAD_HEADERS: [string, Headers, RegExp | string][] = [
  ['a ConflictBehavior of no meaning', { ConflictBehavior: 'Version;Fail' }, 'InvalidField'],
  ['a Repr-Digest that is no digest', { 'Repr-Digest': 'nonsense' }, 'InvalidHeader'],
  ['a Repr-Digest cut short', { 'Repr-Digest': 'sha-256=:AAAA:' }, 'DigestMismatch'],
  ['a Content-Digest of no bytes', { 'Content-Digest': 'sha-256=::' }, 'DigestMismatch'],
  ['a Content-Digest that is no base64', { 'Content-Digest': 'sha-256=:%%%:' }, 'InvalidHeader'],
  ['a Content-Digest that is a letter', { 'Content-Digest': 'sha-256=:A:' }, 'InvalidHeader'],
  ['a Content-MD5 that is no base64', { 'Content-MD5': '!' }, 'InvalidHeader'],
  ['a Content-MD5 cut short', { 'Content-MD5': 'AAAA' }, 'DigestMismatch'],
  ['a Content-MD5 in hex', { 'Content-MD5': 'd41d8cd98f00b204e9800998ecf8427e' }, 'DigestMismatch'],
  ['a gzip body', { 'Content-Encoding': 'GZIP' }, 'UnsupportedEncoding'],
  ['a file name of 300 letters', { FileName: 'a'.repeat(300) }, 'InvalidName'],
  ['a file name of 8 KiB', { FileName: 'a'.repeat(8192) }, 'InvalidName'],
  ['an encoded NUL in the file name', { FileName: 'a%00.txt' }, 'InvalidName'],
  ['an encoded line break in the file name', { FileName: 'a%0d%0aX-Evil: 1' }, 'InvalidName'],
  ['an encoded slash in the file name', { FileName: '..%2f..%2fetc%2fpasswd' }, 'InvalidName'],
  ['nothing in the file name', { FileName: '' }, /^(FileNameMissing|InvalidName)$/],
  ['an encoded space as the file name', { FileName: '%20' }, 'InvalidName'],
  ['two ConflictBehaviors', { ConflictBehavior: ['Fail', 'Rename'] }, /./],
  ['two Idempotency-Keys', { 'Idempotency-Key': ['a', 'b'] }, /./],
  ['two content types', { 'Content-Type': ['text/plain', 'application/json'] }, /./],
  ['two digests that differ', { 'Content-MD5': ['AAAAAAAAAAAAAAAAAAAAAA==', 'SzpiGLs+OnMD6KFxpg/Pkg=='] }, /./],
  ['latin1 in the file name', { FileName: 'caf\xe9' }, 'InvalidName'],
  ['bytes that are not UTF-8 in the folder id', { FolderId: '\xff\xfe' }, /^(FolderNotFound|InvalidHeader)$/],
];

for (const [title, headers, code] of BAD_HEADERS) {
  test(`A save with ${title} is refused`, async () => {
    const folder = await makeFolder(main);
    const answer = await postFile(main, { FolderId: folder.Id, FileName: 'a', ...headers }, 'bytes');
    assertRefusal(answer, answer.status === 404 ? 404 : 400, code);
    await assertEmptyFolder(main, folder);
  });
}

test('Nested JSON that carries a file is 400 InvalidBody', async () => {
  const folder = await makeFolder(main);
  const headers = { FolderId: folder.Id, FileName: 'a', 'Content-Type': 'application/json' };
  for (const levels of [17, 100_000]) {
    const body = `{"filename":"eA==","b":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    assertRefusal(await postFile(main, headers, body), 400, 'InvalidBody');
  }
  await assertEmptyFolder(main, folder);
});

const BAD_PARTS: [string, Part[], string | RegExp][] = [
  ['an ObjectType of odd characters', [filePart('x'), textPart('ObjectType', 'a b')], 'InvalidField'],
  ['a ContentType with a line break', [filePart('x'), textPart('ContentType', 'text/a\r\nX: y')], 'InvalidField'],
  ['a ContentType that is none', [filePart('x'), textPart('ContentType', 'nonsense')], 'InvalidField'],
  [
    'deeply nested Properties',
    [filePart('x'), textPart('Properties', '{"a":'.repeat(50_000))],
    /^Invalid(Field|Body)$/,
  ],
  ['Properties of 2 MiB', [filePart('x'), textPart('Properties', 'x'.repeat(2 * MIB))], /^Invalid(Field|Body)$/],
  ['a part without a name', [{ content: 'x' }], 'AttachmentMissing'],
  ['20,000 parts', Array.from({ length: 20_000 }, () => textPart('x', 'y')), /^(InvalidBody|AttachmentMissing)$/],
  ['a part name of 100 KiB', [filePart('x', { name: 'n'.repeat(100 * 1024) })], /^(InvalidBody|AttachmentMissing)$/],
];

for (const [title, parts, code] of BAD_PARTS) {
  test(`A save with ${title} is refused`, async () => {
    const folder = await makeFolder(main);
    const headers = { FolderId: folder.Id, FileName: 'a', 'Content-Type': MULTIPART };
    assertRefusal(await postFile(main, headers, multipart(parts)), 400, code);
    await assertEmptyFolder(main, folder);
  });
}

const PART_HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="filename"`;
type Endless = { title: string; path: string; type: string; start: string; code: RegExp; limit: number };
const ENDLESS: Endless[] = [
  { title: 'JSON', path: '/folders', type: 'application/json', start: '{"a":"', code: /^InvalidBody$/, limit: 8 * MIB },
  { title: 'a form', path: '/folders', type: FORM, start: 'FolderName=', code: /^InvalidBody$/, limit: 8 * MIB },
  {
    title: 'base64 in JSON',
    path: '/files',
    type: 'application/json',
    start: '{"filename":"',
    code: /^(InvalidBody|FileTooLarge)$/,
    limit: 40 * MIB,
  },
  { title: 'a part header', path: '/files', type: MULTIPART, start: PART_HEAD, code: /^InvalidBody$/, limit: 8 * MIB },
  {
    title: 'a text part',
    path: '/files',
    type: MULTIPART,
    start: `${PART_HEAD.replace('filename', 'Properties')}\r\n\r\n`,
    code: /^Invalid(Body|Field)$/,
    limit: 8 * MIB,
  },
];

for (const { title, path, type, start, code, limit } of ENDLESS) {
  test(`A body that never ends in ${title} is refused while it arrives`, async () => {
    const folder = await makeFolder(main);
    using wire = await openWire(main.base);
    const headers = { FolderId: folder.Id, FileName: 'a', 'Content-Type': type, ...CHUNKED };
    wire.write(contentHead(main, 'POST', path, headers));
    wire.write(toChunk(start));
    const sent = await wire.writeUntilAnswered(toChunk('A'.repeat(65_536)), limit);
    assert.ok(sent < limit, `no answer after ${sent} bytes`);
    assertRefusal(await wire.answer(), 400, code);
    await assertEmptyFolder(main, folder);
  });
}

test('Refused requests leave the folder unchanged', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'kept');
  const attempts: [Entry['Id'], Headers][] = [
    [folder.Id, { FileName: 'a', ConflictBehavior: 'Nonsense' }],
    [folder.Id, { FileName: 'a', 'Content-MD5': 'AAAAAAAAAAAAAAAAAAAAAA==' }],
    [folder.Id, { FileName: 'a', 'Content-Type': 'application/json' }],
    [folder.Id, { FileName: 'a', 'Content-Type': MULTIPART }],
    [File.Id, { FileName: 'a' }],
  ];
  for (const [FolderId, headers] of attempts) {
    assertRefusal(await postFile(main, { FolderId, ...headers }, 'other bytes'), 400, /./);
  }
  assert.deepEqual(await listFolder(main, folder.Id), [File]);
});
