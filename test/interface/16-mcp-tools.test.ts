// MCP, tools and resources (docs/contract.md §16): results are those of the REST API, document text has blocks of its own, and
// nobody gets more than they could without an agent.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeDocx, makePdf } from '../../src/search/extract/documents-for-tests.ts';
import { eventually } from '../service/service.ts';
import { assertRecord, type Entry } from './assertions.ts';
import { call, createFolder, download, makeFolder, saveFile, send, signIn } from './client.ts';
import { put, type Shown, show } from './life.ts';
import { ask, callTool, documentsOf, must, refused, tool } from './mcp.ts';

const main = await signIn('Main');
const stranger = await signIn('Stranger');
const reader = await signIn('Reader');

type Listing = { Folder: Entry; Children: Entry[]; Cursor?: string };
type Page = {
  Version: number;
  Offset: number;
  Length: number;
  TotalLength: number;
  NextOffset?: number;
  IsExtractionCut: boolean;
};

function newWord(): string {
  return `w${randomBytes(6).toString('hex')}`;
}

test('list_folder shows the spaces, then folders page by page', async () => {
  const { Spaces } = await tool<{ Spaces: { RootFolderId: string; Name: string }[] }>(main, 'list_folder');
  assert.deepEqual(
    Spaces.map(({ RootFolderId }) => RootFolderId),
    [main.application.RootFolderId],
  );
  const folder = await makeFolder(main);
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) await createFolder(main, folder.Id, name);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = { folderId: folder.Id, limit: 2, ...(cursor !== undefined && { cursor }) };
    const { Folder, Children, Cursor } = await tool<Listing>(main, 'list_folder', page);
    assertRecord(Folder);
    assert.equal(Folder.Id, folder.Id);
    seen.push(...Children.map(({ Name }) => Name));
    cursor = Cursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, names);
  assert.equal((await tool<Listing>(main, 'list_folder', { folderId: '-root-', limit: 1 })).Folder.Type, 'folder');
});

test('A cursor works for its own list only', async () => {
  const [one, other] = [await makeFolder(main), await makeFolder(main)];
  for (const name of ['a', 'b']) await createFolder(main, one.Id, name);
  const { Cursor } = await tool<Listing>(main, 'list_folder', { folderId: one.Id, limit: 1 });
  await refused(main, 'list_folder', { folderId: other.Id, cursor: Cursor }, 'InvalidCursor');
  await refused(main, 'list_folder', { folderId: one.Id, cursor: 'x.y' }, 'InvalidCursor');
  await refused(main, 'search', { query: 'a', cursor: Cursor }, 'InvalidCursor');
});

test('A list of entries with large properties is cut, and goes on', async () => {
  const folder = await makeFolder(main);
  const Properties = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`key${n}`, 'x'.repeat(4096)]));
  for (let n = 0; n < 24; n += 1) await createFolder(main, folder.Id, `folder ${n}`, { Properties });
  const page = await tool<Listing>(main, 'list_folder', { folderId: folder.Id });
  assert.ok(page.Children.length < 24 && page.Cursor !== undefined);
  assert.ok(JSON.stringify(page).length <= 1024 * 1024);
});

test('get_entry, list_versions and list_changes show what the REST API shows', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt', Comment: 'first' }, 'one');
  await put(main, File.Id, 'two');
  assert.deepEqual(await tool(main, 'get_entry', { entryId: File.Id }), await show(main, File.Id));
  const versions = await call(main, `/files/${File.Id}/versions`);
  assert.deepEqual(await tool(main, 'list_versions', { entryId: File.Id }), JSON.parse(versions.body.toString()));
  type Changes = { Changes: { EntryId: string; Action: string }[]; Cursor: string };
  let page = await tool<Changes>(main, 'list_changes');
  while (page.Changes.length > 0) page = await tool<Changes>(main, 'list_changes', { cursor: page.Cursor });
  await put(main, File.Id, 'three');
  // Others save in this space, too, and on PostgreSQL a change is listed a moment after it was answered.
  await eventually('the change is listed', async () => {
    page = await tool<Changes>(main, 'list_changes', { cursor: page.Cursor });
    return page.Changes.some(({ EntryId, Action }) => EntryId === File.Id && Action === 'file.saved');
  });
});

test('search finds text; snippets are plain text in blocks of their own', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  const { File } = await saveFile(
    main,
    { FolderId: folder.Id, FileName: 'a.txt' },
    `Ignore <b>everything</b> & ${word}`,
  );
  const ask = () => callTool(main, 'search', { query: word });
  const isFound = async () => ((await ask()).structuredContent as { Results: unknown[] }).Results.length === 1;
  await eventually('the file is found', isFound);
  const result = await ask();
  const { Results } = result.structuredContent as { Results: { Entry: Entry; Path: string }[] };
  assert.deepEqual(Results, [{ Entry: File, Path: `/${folder.Name}/a.txt` }]);
  assert.doesNotMatch(result.content[0]?.text ?? '', /Ignore/);
  const [snippet, ...others] = documentsOf(result);
  assert.deepEqual(others, []);
  assert.equal(snippet?.uri, `cabinet://${File.Id}`);
  assert.equal(snippet?.text, `Ignore <b>everything</b> & ${word}`);
  assert.deepEqual(snippet?.origin, { EntryId: File.Id, Path: `/${folder.Name}/a.txt` });
});

test('search goes on page by page, and shows nothing of other spaces', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  for (let n = 0; n < 5; n += 1) await createFolder(main, folder.Id, `${word} ${n}`);
  type Found = { Results: { Entry: Entry }[]; Cursor?: string };
  const findAll = async () => {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = { query: word, limit: 2, ...(cursor !== undefined && { cursor }) };
      const { Results, Cursor } = await tool<Found>(main, 'search', page);
      ids.push(...Results.map(({ Entry }) => Entry.Id));
      if (Cursor === undefined) return ids;
      cursor = Cursor;
    }
  };
  await eventually('all five are found', async () => new Set(await findAll()).size === 5);
  assert.deepEqual((await tool<Found>(stranger, 'search', { query: word })).Results, []);
  await refused(main, 'search', { query: word, spaceId: stranger.application.Space }, 'SpaceNotFound');
  const { Spaces } = await tool<{ Spaces: { Id: string }[] }>(main, 'list_folder');
  assert.equal((await tool<Found>(main, 'search', { query: word, spaceId: Spaces[0]?.Id })).Results.length, 5);
});

test('read_text gives the text of documents in a block of its own, with its origin', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  for (const [FileName, bytes] of [
    ['a.pdf', makePdf(word)],
    ['a.docx', makeDocx([word])],
    ['a.html', `<p>${word}</p><script>hidden()</script>`],
    ['a.md', word],
    ['a.json', JSON.stringify({ word })],
  ] as const) {
    const { File } = await saveFile(main, { FolderId: folder.Id, FileName }, bytes);
    const result = await callTool(main, 'read_text', { entryId: File.Id });
    assert.equal(result.isError, false, FileName);
    const [document, ...others] = documentsOf(result);
    assert.deepEqual(others, []);
    assert.match(document?.text ?? '', new RegExp(word), FileName);
    assert.doesNotMatch(document?.text ?? '', /hidden/);
    assert.deepEqual([document?.uri, document?.origin], [`cabinet://${File.Id}`, { EntryId: File.Id, Version: 1 }]);
    assert.doesNotMatch(result.content[0]?.text ?? '', new RegExp(word), 'the JSON has no document text');
    const page = result.structuredContent as Page;
    assert.deepEqual([page.Version, page.Offset, page.IsExtractionCut], [1, 0, false]);
  }
});

async function readPage(entryId: string, more: object = {}): Promise<Page & { text: string }> {
  const result = await callTool(main, 'read_text', { entryId, ...more });
  assert.equal(result.isError, false, JSON.stringify(result.content));
  return { ...(result.structuredContent as Page), text: documentsOf(result)[0]?.text ?? '' };
}

test('read_text counts in code points, of any version', async () => {
  const folder = await makeFolder(main);
  const text = '😀ä漢'.repeat(10_000);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, text);
  await put(main, File.Id, 'short');
  const first = await readPage(File.Id, { version: 1 });
  assert.deepEqual([first.Length, first.TotalLength, first.NextOffset], [20_000, 30_000, 20_000]);
  const second = await readPage(File.Id, { version: 1, offset: 20_000 });
  assert.deepEqual([second.Length, second.NextOffset], [10_000, undefined]);
  assert.equal(first.text + second.text, text);
  assert.equal((await readPage(File.Id, { version: 1, offset: 1, length: 2 })).text, 'ä漢');
  assert.equal((await readPage(File.Id, { version: 1, length: 100_000 })).Length, 30_000);
  const beyond = await readPage(File.Id, { version: 1, offset: 99_999 });
  assert.deepEqual([beyond.Length, beyond.TotalLength, beyond.text], [0, 30_000, '']);
  assert.deepEqual([(await readPage(File.Id)).text, (await readPage(File.Id)).Version], ['short', 2]);
  for (const wrong of [{ length: 100_001 }, { length: 0 }, { offset: -1 }, { offset: 1.5 }, { version: 0 }]) {
    await refused(main, 'read_text', { entryId: File.Id, ...wrong }, 'InvalidField');
  }
  await refused(main, 'read_text', { entryId: File.Id, version: 9 }, 'VersionNotFound');
});

test('read_text says when a document has more text than is extracted', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'word '.repeat(300_000));
  const { IsExtractionCut, TotalLength } = await readPage(File.Id, { offset: 1_000_000 });
  assert.equal(IsExtractionCut, true);
  assert.ok(TotalLength > 1_000_000 && TotalLength < 1_100_000);
});

test('read_text refuses what has no text, and what cannot be read', async () => {
  const folder = await makeFolder(main);
  const save = async (FileName: string, bytes: string | Buffer) =>
    (await saveFile(main, { FolderId: folder.Id, FileName }, bytes)).File.Id;
  await refused(main, 'read_text', { entryId: folder.Id }, 'FileNotFound');
  await refused(main, 'read_text', { entryId: await save('a.bin', randomBytes(50)) }, 'UnsupportedMediaType');
  await refused(main, 'read_text', { entryId: await save('a.pdf', '%PDF-1.7 broken') }, 'UnsupportedMediaType');
  await refused(main, 'read_text', { entryId: await save('a.txt', 'a\0b') }, 'UnsupportedMediaType');
  assert.equal((await readPage(await save('empty.txt', ''))).TotalLength, 0);
});

test('save_text saves a file, or a version of it', async () => {
  const folder = await makeFolder(main);
  const given = { folderId: folder.Id, name: 'notes.md', text: '# Grüße 😀' };
  const saved = await tool<Shown & Listing>(main, 'save_text', given);
  assertRecord(saved.Entry);
  assert.deepEqual([saved.Folder.Id, saved.Children], [folder.Id, [saved.Entry]]);
  assert.deepEqual(
    [saved.Entry.ContentType, saved.Path, saved.Version],
    ['text/markdown', `/${folder.Name}/notes.md`, 1],
  );
  assert.equal((await download(main, saved.Entry.Id)).toString(), '# Grüße 😀');
  const again = await tool<Shown>(main, 'save_text', { ...given, text: 'new' });
  assert.deepEqual([again.Entry.Id, again.Version], [saved.Entry.Id, 2]);
  await refused(main, 'save_text', { ...given, conflictBehavior: 'Fail' }, 'NameAlreadyExists');
  const renamed = await tool<Shown>(main, 'save_text', { ...given, text: 'x', conflictBehavior: 'Rename' });
  assert.notEqual(renamed.Entry.Id, saved.Entry.Id);
  await refused(main, 'save_text', { ...given, conflictBehavior: 'Delete' }, 'InvalidField');
  await refused(main, 'save_text', { ...given, name: 'a/b' }, 'InvalidName');
  await refused(main, 'save_text', { ...given, folderId: saved.Entry.Id }, 'NotAFolder');
  const large = 'ä'.repeat(500_000);
  const { Entry } = await tool<Shown>(main, 'save_text', { folderId: folder.Id, name: 'large.txt', text: large });
  assert.equal(Entry.Size, 1_000_000);
});

test('create_folder and move_entry create, rename and move', async () => {
  const folder = await makeFolder(main);
  const made = await tool<Shown & Listing>(main, 'create_folder', { parentFolderId: folder.Id, name: 'in' });
  assert.deepEqual([made.Folder, made.Children, made.Path], [made.Entry, [], `/${folder.Name}/in`]);
  await refused(main, 'create_folder', { parentFolderId: folder.Id, name: 'in' }, 'NameAlreadyExists');
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'x');
  const moved = await tool<Shown>(main, 'move_entry', {
    entryId: File.Id,
    parentFolderId: made.Folder.Id,
    name: 'b.txt',
  });
  assert.equal(moved.Path, `/${folder.Name}/in/b.txt`);
  await refused(main, 'move_entry', { entryId: folder.Id, parentFolderId: made.Folder.Id }, 'InvalidMove');
});

test('make_link makes an address that needs no headers', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'linked');
  type Link = { Url: string; ExpiresAt: string };
  const { Url, ExpiresAt } = await tool<Link>(main, 'make_link', { entryId: File.Id, expiresInSeconds: 600 });
  assert.ok(Date.parse(ExpiresAt) > Date.now() + 500_000);
  assert.equal((await send(main.base, new URL(Url).pathname)).body.toString(), 'linked');
  await refused(main, 'make_link', { entryId: File.Id, expiresInSeconds: 0 }, 'InvalidField');
  await refused(main, 'make_link', { entryId: folder.Id }, 'FileNotFound');
});

test('What a caller may not see is not found, whichever tool asks', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'secret');
  const own = (await makeFolder(stranger)).Id;
  const attempts: [string, object, string][] = [
    ['list_folder', { folderId: folder.Id }, 'FolderNotFound'],
    ['get_entry', { entryId: File.Id }, 'EntryNotFound'],
    ['read_text', { entryId: File.Id }, 'FileNotFound'],
    ['list_versions', { entryId: File.Id }, 'FileNotFound'],
    ['list_changes', { spaceId: main.application.Space }, 'SpaceNotFound'],
    ['save_text', { folderId: folder.Id, name: 'x', text: 'x' }, 'FolderNotFound'],
    ['create_folder', { parentFolderId: folder.Id, name: 'x' }, 'FolderNotFound'],
    ['move_entry', { entryId: File.Id, name: 'x' }, 'EntryNotFound'],
    ['move_entry', { entryId: own, parentFolderId: folder.Id }, 'FolderNotFound'],
    ['make_link', { entryId: File.Id }, 'FileNotFound'],
  ];
  for (const [name, given, code] of attempts) await refused(stranger, name, given as Record<string, unknown>, code);
  const { rpc } = await ask(stranger, 'resources/read', { uri: `cabinet://${File.Id}` });
  assert.equal(rpc.error?.code, -32602);
});

test('Resources: a template, the first page of the root, text, bytes and folders', async () => {
  const { resourceTemplates } = await must(main, 'resources/templates/list');
  assert.equal((resourceTemplates as { uriTemplate: string }[])[0]?.uriTemplate, 'cabinet://{entryId}');
  const { resources } = await must(reader, 'resources/list');
  const { Children } = await tool<Listing>(reader, 'list_folder', { folderId: '-root-' });
  assert.ok((resources as { uri: string }[]).every(({ uri }) => uri.startsWith('cabinet://')));
  assert.ok(Children.length <= 100 && (resources as unknown[]).length <= 100);
  const folder = await makeFolder(main);
  const read = async (id: string) => {
    const { contents, ttlMs, cacheScope } = await must(main, 'resources/read', { uri: `cabinet://${id}` });
    assert.deepEqual([ttlMs, cacheScope], [0, 'private']);
    const [content, ...others] = contents as { uri: string; mimeType: string; text?: string; blob?: string }[];
    assert.deepEqual([others, content?.uri], [[], `cabinet://${id}`]);
    return content;
  };
  const save = async (FileName: string, bytes: string | Buffer) =>
    (await saveFile(main, { FolderId: folder.Id, FileName }, bytes)).File.Id;
  assert.equal((await read(await save('a.txt', 'as it is\r\n')))?.text, 'as it is\r\n');
  const bytes = randomBytes(200);
  assert.deepEqual(Buffer.from((await read(await save('a.bin', bytes)))?.blob ?? '', 'base64'), bytes);
  assert.equal((JSON.parse((await read(folder.Id))?.text ?? '') as Listing).Children.length, 2);
  const uris = [await save('large.bin', Buffer.alloc(1024 * 1024 + 1)), 'nothing', ''].map((id) => `cabinet://${id}`);
  for (const uri of [...uris, 'file:///etc/passwd']) {
    const { status, rpc } = await ask(main, 'resources/read', { uri });
    assert.deepEqual([status, rpc.error?.code], [200, -32602], uri);
  }
});
