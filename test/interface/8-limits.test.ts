// Limits (docs/contract.md §8.1), each at its edge: the last allowed value and the first refused one. Names are in 6-names,
// the size of a file in 7-early-refusal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal } from './assertions.ts';
import {
  type Answer,
  assertEmptyFolder,
  createFolder,
  download,
  listFolder,
  makeDeep,
  makeFolder,
  postFile,
  postFolder,
  saveFile,
  signIn,
  toSaved,
} from './client.ts';
import { filePart, MULTIPART, multipart, textPart } from './multipart.ts';
import { contentHead, openWire } from './wire.ts';

const main = await signIn('Main');
const MIB = 1024 * 1024;
const MAX_LEVELS = 100;

const PROPERTIES: { title: string; allowed: Record<string, string>; refused: Record<string, string> }[] = [
  { title: '100 keys', allowed: keys(100, 'v'), refused: keys(101, 'v') },
  { title: '128 bytes in a key', allowed: { ['k'.repeat(128)]: 'v' }, refused: { ['k'.repeat(129)]: 'v' } },
  { title: '128 bytes in an odd key', allowed: { ['é'.repeat(64)]: 'v' }, refused: { ['é'.repeat(65)]: 'v' } },
  { title: '4 KiB in a value', allowed: { k: 'v'.repeat(4096) }, refused: { k: 'v'.repeat(4097) } },
  { title: '4 KiB in an odd value', allowed: { k: '😀'.repeat(1024) }, refused: { k: '😀'.repeat(1025) } },
  { title: '64 KiB in all', allowed: keys(15, 'v'.repeat(4096)), refused: keys(17, 'v'.repeat(4096)) },
];

for (const { title, allowed, refused } of PROPERTIES) {
  test(`Properties hold at most ${title}, on folders and files`, async () => {
    const folder = await makeFolder(main);
    const asFolder = (Properties: object): Promise<Answer> =>
      postFolder(main, { ParentFolderId: folder.Id, FolderName: 'a', Properties });
    const asFile = (properties: object): Promise<Answer> => {
      const body = multipart([filePart('x'), textPart('Properties', JSON.stringify(properties))]);
      return postFile(main, { FolderId: folder.Id, FileName: 'b', 'Content-Type': MULTIPART }, body);
    };
    assertRefusal(await asFolder(refused), 400, 'InvalidField');
    assertRefusal(await asFile(refused), 400, 'InvalidField');
    await assertEmptyFolder(main, folder);
    assert.deepEqual(assertEnvelope(await asFolder(allowed)).Folder.Properties, allowed);
    assert.deepEqual(toSaved(await asFile(allowed)).File.Properties, allowed);
  });
}

test('ObjectType is 1 to 128 characters of a small set, on folders and files', async () => {
  const folder = await makeFolder(main);
  const refused = ['', 'a'.repeat(129), 'a b', 'é', 'a/b', 'a\n', '<a>', 'a,b'];
  for (const ObjectType of refused) {
    const asFolder = await postFolder(main, { ParentFolderId: folder.Id, FolderName: 'a', ObjectType });
    assertRefusal(asFolder, 400, 'InvalidField');
    const body = multipart([filePart('x'), textPart('ObjectType', ObjectType)]);
    const asFile = await postFile(main, { FolderId: folder.Id, FileName: 'b', 'Content-Type': MULTIPART }, body);
    assertRefusal(asFile, 400, 'InvalidField');
  }
  await assertEmptyFolder(main, folder);
  for (const ObjectType of ['a', 'a'.repeat(128), 'AZaz09:._-']) {
    assert.equal((await createFolder(main, folder.Id, ObjectType.slice(0, 9), { ObjectType })).ObjectType, ObjectType);
  }
});

test('A tree is at most 100 levels deep', async () => {
  const levels = [await makeFolder(main)];
  for (let parent = levels[0]; parent !== undefined && levels.length < MAX_LEVELS; levels.push(parent)) {
    parent = await createFolder(main, parent.Id, `level ${levels.length + 1}`);
  }
  const deepest = levels.at(-1)?.Id ?? '';
  const answer = await postFolder(main, { ParentFolderId: deepest, FolderName: 'one too many' });
  assertRefusal(answer, 400, 'TooDeep');
  assert.deepEqual(await listFolder(main, deepest), []);
});

test('Sizes are exact through all 100 levels', async () => {
  const top = await makeFolder(main);
  const parent = await makeDeep(main, top.Id, MAX_LEVELS - 2);
  await saveFile(main, { FolderId: parent.Id, FileName: 'a' }, 'x'.repeat(123));
  const [child] = await listFolder(main, top.Id);
  assert.equal(child?.Size, 123);
});

test('JSON of 1 MiB creates a folder, one byte more is 400 InvalidBody', async () => {
  const folder = await makeFolder(main);
  const fields = { ParentFolderId: folder.Id, FolderName: 'a', Ignored: '' };
  const rest = MIB - JSON.stringify(fields).length;
  assertRefusal(await postFolder(main, { ...fields, Ignored: 'x'.repeat(rest + 1) }), 400, 'InvalidBody');
  await assertEmptyFolder(main, folder);
  assertEnvelope(await postFolder(main, { ...fields, Ignored: 'x'.repeat(rest) }));
});

test('JSON of 16 levels creates a folder, one level more is 400 InvalidBody', async () => {
  const folder = await makeFolder(main);
  const nest = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
    levels === 1 ? wrap(null) : wrap(nest(levels - 1, wrap));
  const post = (levels: number, wrap: (inner: unknown) => unknown): Promise<Answer> =>
    postFolder(main, { ParentFolderId: folder.Id, FolderName: 'a', Ignored: nest(levels - 1, wrap) });
  const wraps = [(inner: unknown) => [inner], (inner: unknown) => ({ inner })];
  for (const wrap of wraps) assertRefusal(await post(17, wrap), 400, 'InvalidBody');
  await assertEmptyFolder(main, folder);
  assertEnvelope(await post(16, (inner) => (inner === null ? [] : [inner])));
});

test('A file in JSON has up to 16 MiB, and more is refused', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a', 'Content-Type': 'application/json' };
  const send = (bytes: Buffer): Promise<Answer> =>
    postFile(main, at, JSON.stringify({ filename: bytes.toString('base64') }));
  assertRefusal(await send(Buffer.alloc(17 * MIB)), 400, /^(InvalidBody|FileTooLarge)$/);
  await assertEmptyFolder(main, folder);
  const bytes = Buffer.alloc(11 * MIB, 'base64 ');
  const { File } = toSaved(await send(bytes));
  assert.ok((await download(main, File.Id)).equals(bytes));
});

test('ConflictBehavior Rename never exceeds the maximum length of a name', async () => {
  const folder = await makeFolder(main);
  const longest = `${'a'.repeat(251)}.pdf`;
  await saveFile(main, { FolderId: folder.Id, FileName: longest }, 'x');
  const answer = await postFile(main, { FolderId: folder.Id, FileName: longest, ConflictBehavior: 'Rename' }, 'y');
  if (answer.status === 200) assert.ok([...toSaved(answer).File.Name].length <= 255, 'longer than 255 characters');
  else assertRefusal(answer, 400, 'InvalidName');
});

test('Headers that never end are answered after ten seconds', { timeout: 40_000 }, async () => {
  using wire = await openWire(main.base);
  wire.write(contentHead(main, 'POST', '/files', {}).trimEnd());
  assertRefusal(await wire.answer(25_000), 400, /./);
});

function keys(count: number, value: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value]));
}
