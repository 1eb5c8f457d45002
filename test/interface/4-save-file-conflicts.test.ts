// Name conflicts when saving a file (docs/contract.md §4.4): new versions, identical bytes, and the four ConflictBehaviors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal, type Entry } from './assertions.ts';
import {
  createFolder,
  download,
  listFolder,
  makeFolder,
  postFile,
  saveFile,
  signIn,
  toSaved,
  untilLater,
} from './client.ts';
import { filePart, MULTIPART, multipart, type Part, textPart } from './multipart.ts';

const main = await signIn('Main');
const LARGE = Buffer.alloc(100_000, 'large');

for (const behavior of [undefined, 'Version']) {
  test(`Saving over a file with ConflictBehavior ${behavior ?? 'absent'} adds a version`, async () => {
    const { folder, file, at } = await makeFile('first');
    await untilLater();
    for (const bytes of ['second', LARGE, 'third!']) {
      const { File, Children, Folder } = await saveFile(main, { ...at, ConflictBehavior: behavior }, bytes);
      assert.deepEqual(File, { ...file, Size: bytes.length, ModifiedAt: File.ModifiedAt });
      assert.ok(File.ModifiedAt > file.ModifiedAt, 'ModifiedAt did not move');
      assert.deepEqual(Children, [File]);
      assert.deepEqual(Folder, { ...folder, Size: bytes.length });
      assert.equal((await download(main, File.Id)).toString(), bytes.toString());
    }
  });
}

for (const bytes of ['same bytes', LARGE]) {
  test(`Saving the same ${bytes.length} bytes again changes nothing`, async () => {
    const { folder, file, at } = await makeFile(bytes);
    await untilLater();
    const again = await saveFile(main, at, bytes);
    assert.deepEqual(again.File, file);
    assert.equal(again.answer.headers.entryid, file.Id);
    assert.deepEqual(again.Folder, { ...folder, Size: bytes.length });
  });
}

test('Saving the same bytes in another way changes nothing', async () => {
  const { folder, file, at } = await makeFile('same', { type: 'text/plain' });
  await untilLater();
  const multi = await postFile(
    main,
    { ...at, 'Content-Type': MULTIPART },
    multipart([filePart('same', { type: 'text/plain' })]),
  );
  assert.deepEqual(toSaved(multi).File, file);
  const body = JSON.stringify({ filename: { Content: btoa('same'), ContentType: 'text/plain' } });
  const json = await postFile(main, { ...at, 'Content-Type': 'application/json' }, body);
  assert.deepEqual(toSaved(json).File, file);
  assert.deepEqual(await listFolder(main, folder.Id), [file]);
});

const DIFFERENCES: { field: keyof Entry; value: unknown; part: Part }[] = [
  { field: 'Properties', value: { k: 'new' }, part: textPart('Properties', '{"k":"new"}') },
  { field: 'ObjectType', value: 'acme:other', part: textPart('ObjectType', 'acme:other') },
  { field: 'ContentType', value: 'image/x-other', part: textPart('ContentType', 'image/x-other') },
];

for (const { field, value, part } of DIFFERENCES) {
  test(`The same bytes with another ${field} change the record`, async () => {
    const { folder, file, at } = await makeFile('same', { type: 'text/plain' });
    await untilLater();
    const parts = [part, filePart('same', { type: 'text/plain' })];
    const { File } = toSaved(await postFile(main, { ...at, 'Content-Type': MULTIPART }, multipart(parts)));
    assert.deepEqual(File, { ...file, [field]: value, ModifiedAt: File.ModifiedAt });
    assert.ok(File.ModifiedAt > file.ModifiedAt, 'ModifiedAt did not move');
    await untilLater();
    const again = toSaved(await postFile(main, { ...at, 'Content-Type': MULTIPART }, multipart(parts)));
    assert.deepEqual(again.File, File);
    assert.deepEqual(await listFolder(main, folder.Id), [File]);
  });
}

test('ConflictBehavior Fail is 400 NameAlreadyExists with the existing record, also for the same bytes', async () => {
  const { folder, file, at } = await makeFile('first');
  for (const bytes of ['second', 'first', LARGE]) {
    const answer = await postFile(main, { ...at, ConflictBehavior: 'Fail' }, bytes);
    assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [file]);
  }
  assert.deepEqual(await listFolder(main, folder.Id), [file]);
  assert.equal((await download(main, file.Id)).toString(), 'first');
});

test('ConflictBehavior Existing answers the stored file, which is unchanged', async () => {
  const { folder, file, at } = await makeFile('first');
  await untilLater();
  const { File, Folder } = await saveFile(main, { ...at, ConflictBehavior: 'Existing' }, 'second');
  assert.deepEqual(File, file);
  assert.deepEqual(Folder, { ...folder, Size: 5 });
  assert.equal((await download(main, file.Id)).toString(), 'first');
});

for (const [name, renamed] of [
  ['a.pdf', ['a (2).pdf', 'a (3).pdf']],
  ['archive.tar.gz', ['archive.tar (2).gz', 'archive.tar (3).gz']],
  ['README', ['README (2)', 'README (3)']],
] as const) {
  test(`ConflictBehavior Rename saves ${name} as ${renamed.join(', then ')}`, async () => {
    const folder = await makeFolder(main);
    const at = { FolderId: folder.Id, FileName: name, ConflictBehavior: 'Rename' };
    const saves = [await saveFile(main, at, '1'), await saveFile(main, at, '1'), await saveFile(main, at, '22')];
    assert.deepEqual(
      saves.map(({ File }) => File.Name),
      [name, ...renamed],
    );
    assert.equal(new Set(saves.map(({ File }) => File.Id)).size, 3);
    assert.equal(saves[2]?.Folder.Size, 4);
  });
}

test('A name that a folder has is 400 NameAlreadyExists, except with Rename', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'taken.d');
  const at = { FolderId: folder.Id, FileName: 'taken.d' };
  for (const behavior of [undefined, 'Version', 'Fail', 'Existing']) {
    const answer = await postFile(main, { ...at, ConflictBehavior: behavior }, 'x');
    assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [inner]);
  }
  const { File } = await saveFile(main, { ...at, ConflictBehavior: 'Rename' }, 'x');
  assert.equal(File.Name, 'taken (2).d');
  assert.deepEqual(await listFolder(main, folder.Id), [inner, File]);
});

test('Without a conflict every ConflictBehavior saves', async () => {
  const folder = await makeFolder(main);
  for (const behavior of ['Version', 'Fail', 'Rename', 'Existing']) {
    const at = { FolderId: folder.Id, FileName: behavior, ConflictBehavior: behavior };
    assert.equal((await saveFile(main, at, 'x')).File.Name, behavior);
  }
});

test('An unknown ConflictBehavior is 400 InvalidField', async () => {
  const { folder, file, at } = await makeFile('first');
  for (const behavior of ['Overwrite', 'Fail,Rename', '1']) {
    assertRefusal(await postFile(main, { ...at, ConflictBehavior: behavior }, 'second'), 400, 'InvalidField');
  }
  assert.deepEqual(await listFolder(main, folder.Id), [file]);
});

test('application/octet-stream in any case counts as undeclared: the same bytes keep the content type', async () => {
  const { file, at } = await makeFile('x', { type: 'text/x-mine' });
  for (const type of ['application/octet-stream', 'Application/Octet-Stream', 'application/octet-stream; a=b']) {
    const again = await saveFile(main, { ...at, 'Content-Type': type }, 'x');
    assert.deepEqual(again.File, file, type);
  }
});

async function makeFile(bytes: string | Uint8Array, { type = 'application/octet-stream' } = {}) {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a.bin', 'Content-Type': type };
  const { File } = await saveFile(main, at, bytes);
  return { folder, file: File, at };
}
