// Save a file (docs/contract.md §4.3): the ways to send the bytes, and what each of them refuses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal, type Entry } from './assertions.ts';
import {
  assertEmptyFolder,
  download,
  type Headers,
  listFolder,
  makeFolder,
  postFile,
  type Saved,
  signIn,
  toSaved,
} from './client.ts';
import { BOUNDARY, filePart, MULTIPART, multipart, textPart } from './multipart.ts';
import { contentHead, openWire, toChunk } from './wire.ts';

const main = await signIn('Main');
const JSON_TYPE = 'application/json';
// Bytes that a careless reader of multipart, text or base64 would change.
const TRICKY = Buffer.concat([
  Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}\r\n--\r\n\n\r--${BOUNDARY}\n`),
  Buffer.from([0, 255, 254, 0xc3, 0x28, 13, 10, 13]),
]);

const WAYS: { title: string; type: string | undefined; body: Uint8Array | string; stored?: string }[] = [
  { title: 'in a form-data part named filename', type: MULTIPART, body: multipart([filePart(TRICKY)]) },
  { title: 'in a part named file', type: MULTIPART, body: multipart([filePart(TRICKY, { name: 'file' })]) },
  {
    title: 'in a part that is marked attachment',
    type: MULTIPART,
    body: multipart([filePart(TRICKY, { disposition: 'attachment', fileName: 'a.pdf' })]),
  },
  {
    title: 'as multipart with a quoted boundary',
    type: `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`,
    body: multipart([filePart(TRICKY)]),
  },
  {
    title: 'as multipart with a preamble and an epilogue',
    type: MULTIPART,
    body: Buffer.concat([Buffer.from('preamble\r\n'), multipart([filePart(TRICKY)]), Buffer.from('epilogue')]),
  },
  {
    title: 'as application/json with a boundary',
    type: `${JSON_TYPE}; boundary=${BOUNDARY}`,
    body: multipart([filePart(TRICKY, { disposition: 'attachment', fileName: 'a.pdf' })]),
  },
  {
    title: 'as plain application/json that begins with a multipart delimiter',
    type: JSON_TYPE,
    body: multipart([filePart(TRICKY, { disposition: 'attachment', fileName: 'a.pdf' })]),
  },
  {
    title: 'as plain application/json that is form-data',
    type: JSON_TYPE,
    body: multipart([filePart(TRICKY)], '------------------------d74496d66958873e'),
  },
  { title: 'as base64 in JSON', type: JSON_TYPE, body: json({ filename: TRICKY.toString('base64') }) },
  {
    title: 'as base64 in a JSON object with its content type',
    type: `${JSON_TYPE}; charset=utf-8`,
    body: json({ filename: { Content: TRICKY.toString('base64'), ContentType: 'image/x-json' } }),
    stored: 'image/x-json',
  },
  { title: 'as base64 in a JSON object', type: JSON_TYPE, body: json({ filename: { Content: toBase64(TRICKY) } }) },
  { title: 'as the body, as it is', type: 'image/x-raw', body: TRICKY, stored: 'image/x-raw' },
  { title: 'as the body without a content type', type: undefined, body: TRICKY },
  { title: 'as the body under a content type that is none', type: 'nonsense', body: TRICKY },
  { title: 'as the body under a form type', type: 'application/x-www-form-urlencoded', body: TRICKY },
  { title: 'as the body under another multipart type', type: `multipart/mixed; boundary=${BOUNDARY}`, body: TRICKY },
];

for (const { title, type, body, stored } of WAYS) {
  test(`A file can be sent ${title}`, async () => {
    const folder = await makeFolder(main);
    const { File } = await save(folder, { 'Content-Type': type }, body);
    assert.ok((await download(main, File.Id)).equals(TRICKY), 'the bytes differ');
    assert.equal(File.Size, TRICKY.length);
    if (stored !== undefined) assert.equal(File.ContentType, stored);
  });
}

test('An empty file can be sent in every way', async () => {
  const folder = await makeFolder(main);
  const empty: [Headers, string | Uint8Array][] = [
    [{ 'Content-Type': MULTIPART }, multipart([filePart('')])],
    [{ 'Content-Type': JSON_TYPE }, json({ filename: '' })],
    [{ 'Content-Type': JSON_TYPE }, json({ filename: { Content: '' } })],
    [{ 'Content-Type': 'text/plain' }, ''],
    [{}, ''],
  ];
  for (const [index, [headers, body]] of empty.entries()) {
    const { File } = await save(folder, { ...headers, FileName: `${index}` }, body);
    assert.equal(File.Size, 0);
  }
  assert.equal((await listFolder(main, folder.Id)).length, empty.length);
});

test('Parts may come in any order', async () => {
  const folder = await makeFolder(main);
  const parts = [
    filePart(TRICKY, { type: 'text/plain' }),
    textPart('Properties', '{"key":"value"}'),
    textPart('ObjectType', 'acme:invoice'),
    textPart('ContentType', 'image/x-own'),
  ];
  for (const first of parts.keys()) {
    const turned = [...parts.slice(first), ...parts.slice(0, first)];
    const { File } = await save(folder, { 'Content-Type': MULTIPART, FileName: `${first}` }, multipart(turned));
    const { Properties, ObjectType, ContentType, Size } = File;
    assert.deepEqual([Properties, ObjectType, Size], [{ key: 'value' }, 'acme:invoice', TRICKY.length]);
    assert.equal(ContentType, 'image/x-own');
  }
});

test('Other parts are ignored', async () => {
  const folder = await makeFolder(main);
  // A field for a file that was left empty is one of them.
  const empty = filePart('', { name: 'other', fileName: '' });
  const body = multipart([textPart('comment', 'hello'), empty, filePart(TRICKY), textPart('submit', 'Send')]);
  const { File } = await save(folder, { 'Content-Type': MULTIPART }, body);
  assert.ok((await download(main, File.Id)).equals(TRICKY));
});

test('Parts that arrive byte by byte in chunks are parsed alike', async () => {
  const folder = await makeFolder(main);
  const headers = { FolderId: folder.Id, FileName: 'a', 'Content-Type': MULTIPART, 'Transfer-Encoding': 'chunked' };
  using wire = await openWire(main.base);
  wire.write(contentHead(main, 'POST', '/files', headers));
  for (const byte of multipart([textPart('ObjectType', 'acme:slow'), filePart(TRICKY)])) {
    wire.write(toChunk(Uint8Array.of(byte)));
  }
  wire.write('0\r\n\r\n');
  const { File } = toSaved(await wire.answer());
  assert.equal(File.ObjectType, 'acme:slow');
  assert.ok((await download(main, File.Id)).equals(TRICKY));
});

test('A chunked body is saved like any other', async () => {
  const folder = await makeFolder(main);
  const bytes = Buffer.alloc(200_000, 'chunked');
  const { File } = await save(folder, { 'Transfer-Encoding': 'chunked' }, bytes);
  assert.ok((await download(main, File.Id)).equals(bytes));
});

test('No attachment is 400 AttachmentMissing', async () => {
  const folder = await makeFolder(main);
  for (const body of [multipart([]), multipart([textPart('Properties', '{}')]), multipart([textPart('other', 'x')])]) {
    for (const type of [MULTIPART, `${JSON_TYPE}; boundary=${BOUNDARY}`]) {
      await refuse(folder, { 'Content-Type': type }, body, 'AttachmentMissing');
    }
  }
  await assertEmptyFolder(main, folder);
});

test('A second file part is 400 TooManyAttachments, and nothing is saved', async () => {
  const folder = await makeFolder(main);
  const large = filePart(Buffer.alloc(200_000));
  for (const parts of [
    [filePart('a'), filePart('b')],
    [filePart('a'), filePart('b', { name: 'file' })],
    [filePart('a'), filePart('b', { name: 'other', fileName: 'b.txt' })],
    [filePart('b', { name: 'other', fileName: 'b.txt' }), filePart('a')],
    [large, textPart('ObjectType', 'x'), large],
  ]) {
    await refuse(folder, { 'Content-Type': MULTIPART }, multipart(parts), 'TooManyAttachments');
  }
  await assertEmptyFolder(main, folder);
});

test('Anything else under application/json is 400 InvalidBody with a hint that names the ways', async () => {
  const folder = await makeFolder(main);
  for (const body of ['hello', '[]', '"eA=="', '5', 'null', '{"filename":', '-', Buffer.from([0, 255, 0xc3, 0x28])]) {
    const error = await refuse(folder, { 'Content-Type': JSON_TYPE }, body, 'InvalidBody');
    assert.match(error.Hint ?? '', /multipart.*base64/i, `no hint for ${JSON.stringify(body)}`);
  }
  await assertEmptyFolder(main, folder);
});

test('JSON whose filename is absent, of another type or not base64 is 400 InvalidBody', async () => {
  const folder = await makeFolder(main);
  const unusable = [undefined, null, 5, true, [], ['eA=='], {}];
  const misshapen = [5, null, true, [], {}].flatMap((wrong) => [
    { Content: wrong },
    { Content: 'eA==', ContentType: wrong },
  ]);
  const notBase64 = ['not base64!', 'eA=', 'e', 'é', 'eA==eA==', { Content: '%%%%' }];
  for (const filename of [...unusable, ...misshapen, ...notBase64]) {
    const error = await refuse(folder, { 'Content-Type': JSON_TYPE }, json({ filename }), 'InvalidBody');
    assert.match(error.Hint ?? '', /multipart.*base64/i, `no hint for ${json(filename)}`);
  }
  await assertEmptyFolder(main, folder);
});

test('ConflictBehavior is also a field of the JSON body', async () => {
  const folder = await makeFolder(main);
  const type = { 'Content-Type': JSON_TYPE };
  await save(folder, type, json({ filename: 'eA==' }));
  await refuse(folder, type, json({ filename: 'eQ==', ConflictBehavior: 'Fail' }), 'NameAlreadyExists');
  await refuse(folder, type, json({ filename: 'eQ==', ConflictBehavior: 'Nonsense' }), 'InvalidField');
  const renamed = await save(folder, type, json({ filename: 'eQ==', ConflictBehavior: 'Rename' }));
  assert.equal(renamed.File.Name, 'a (2).bin');
});

test('Incomplete or malformed multipart is 400 InvalidBody', async () => {
  const folder = await makeFolder(main);
  const whole = multipart([filePart('bytes')]);
  const disposition = 'Content-Disposition: form-data; name="filename"';
  const bodies: [string, string | Uint8Array][] = [
    ['multipart/form-data', whole],
    ['multipart/form-data; boundary=', whole],
    [MULTIPART, whole.subarray(0, -4)],
    [MULTIPART, whole.subarray(0, whole.indexOf('bytes') + 2)],
    [MULTIPART, `--${BOUNDARY}\r\n${disposition}`],
    [MULTIPART, `--${BOUNDARY}`],
    [MULTIPART, ''],
    [MULTIPART, '{"filename":"eA=="}'],
    [MULTIPART, multipart([filePart('x')], 'another-boundary')],
    [MULTIPART, `--${BOUNDARY}\r\nno header here\r\n\r\nx\r\n--${BOUNDARY}--\r\n`],
  ];
  for (const [type, body] of bodies) await refuse(folder, { 'Content-Type': type }, body, 'InvalidBody');
  await assertEmptyFolder(main, folder);
});

test('Two text parts of one name are 400 InvalidBody, before and after the file', async () => {
  const folder = await makeFolder(main);
  for (const [name, text] of [
    ['Properties', '{"a":"b"}'],
    ['ObjectType', 'my:type'],
    ['ContentType', 'text/plain'],
  ] as const) {
    const twin = textPart(name, text);
    for (const parts of [
      [twin, twin, filePart('x')],
      [twin, filePart(Buffer.alloc(200_000)), twin],
    ]) {
      await refuse(folder, { 'Content-Type': MULTIPART }, multipart(parts), 'InvalidBody');
    }
  }
  await assertEmptyFolder(main, folder);
});

test("A part's file name is held to the rules of names", async () => {
  const folder = await makeFolder(main);
  for (const fileName of ['../../etc/passwd', '/etc/passwd', '..', ' a', 'a\u202eb']) {
    const body = multipart([filePart('x', { fileName })]);
    await refuse(folder, { 'Content-Type': MULTIPART, FileName: undefined }, body, 'InvalidName');
  }
  await assertEmptyFolder(main, folder);
});

test("A part's file name with a quotation mark in it is the name that the client has", async () => {
  const folder = await makeFolder(main);
  const form = new FormData();
  form.append('filename', new Blob(['x']), 'a "b" 100%.txt');
  const encoded = new Response(form);
  const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '', FileName: undefined };
  const { File } = await save(folder, headers, await encoded.bytes());
  assert.equal(File.Name, 'a "b" 100%.txt');
});

test("In a part's file name %22 is decoded, a line break is refused, and other escapes stay", async () => {
  const folder = await makeFolder(main);
  const headers = { 'Content-Type': MULTIPART, FileName: undefined };
  const { File } = await save(folder, headers, multipart([filePart('x', { fileName: '%22%20%2F%41%0d%2522' })]));
  assert.equal(File.Name, '"%20%2F%41%0d%2522');
  for (const fileName of ['a%0Db', 'a%0Ab', 'a%0D%0Ab']) {
    await refuse(folder, headers, multipart([filePart('x', { fileName })]), 'InvalidName');
  }
  assert.deepEqual(await listFolder(main, folder.Id), [File]);
});

test('Properties in a part must be a JSON object of strings', async () => {
  const folder = await makeFolder(main);
  for (const text of ['[]', '"x"', 'null', '{"a":1}', '{"a":null}', '{"a":{}}']) {
    const body = multipart([filePart('x'), textPart('Properties', text)]);
    await refuse(folder, { 'Content-Type': MULTIPART }, body, 'InvalidField');
  }
  for (const text of ['', '{', 'a=b']) {
    const body = multipart([filePart('x'), textPart('Properties', text)]);
    await refuse(folder, { 'Content-Type': MULTIPART }, body, /^Invalid(Field|Body)$/);
  }
  await assertEmptyFolder(main, folder);
});

async function save(folder: Entry, headers: Headers, body: string | Uint8Array): Promise<Saved> {
  return toSaved(await postFile(main, { FolderId: folder.Id, FileName: 'a.bin', ...headers }, body));
}

async function refuse(folder: Entry, headers: Headers, body: string | Uint8Array, code: string | RegExp) {
  const answer = await postFile(main, { FolderId: folder.Id, FileName: 'a.bin', ...headers }, body);
  assert.notEqual(answer.status, 200, `accepted: ${Buffer.from(body as string).toString('latin1', 0, 200)}`);
  return assertRefusal(answer, 400, code);
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64');
}
