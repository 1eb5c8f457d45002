// Search (docs/contract.md §10.9): names, properties and the text of documents; only what the caller can access; page by
// page. The index follows shortly after a save: tests wait for it, within limits.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDocx, makePdf, makePptx, makeXlsx } from '../../src/search/extract/documents-for-tests.ts';
import { assertAnswer, assertRecord, assertRefusal, type Entry } from './assertions.ts';
import {
  type Answer,
  type Caller,
  call,
  createFolder,
  identity,
  makeFolder,
  saveFile,
  send,
  signIn,
} from './client.ts';
import { change, copy, put, readNext, remove, restore, trash } from './life.ts';

const [main, stranger, reader] = [await signIn('Main'), await signIn('Stranger'), await signIn('Reader')];
const patienceMs = 20_000;

type Result = { Entry: Entry; Path: string; Snippet: string };

/** A word that no other test uses. */
function newWord(): string {
  return `w${randomBytes(6).toString('hex')}`;
}

function ask(caller: Caller, q: string, more: Record<string, string> = {}): Promise<Answer> {
  return call(caller, `/search?${new URLSearchParams({ q, ...more })}`);
}

function assertResults(answer: Answer): Result[] {
  assert.equal(answer.status, 200, answer.body.toString());
  const body = assertAnswer(answer) as { Results: Result[] };
  assert.deepEqual(Object.keys(body), ['Results']);
  for (const result of body.Results) {
    assert.deepEqual(Object.keys(result).sort(), ['Entry', 'Path', 'Snippet']);
    assertRecord(result.Entry);
    assert.ok(result.Path.endsWith(`/${result.Entry.Name}`));
    assert.doesNotMatch(result.Snippet.replaceAll(/<\/?mark>/g, ''), /[<>]/, 'a snippet is escaped');
  }
  return body.Results;
}

async function find(q: string, more: Record<string, string> = {}, caller = main): Promise<string[]> {
  return assertResults(await ask(caller, q, more)).map(({ Path }) => Path);
}

/** Waits until exactly these are found, in any order. */
async function finds(
  q: string,
  entries: readonly { Id: string }[],
  more: Record<string, string> = {},
): Promise<Result[]> {
  const wanted = entries.map(({ Id }) => Id).sort();
  const until = Date.now() + patienceMs;
  for (;;) {
    const results = assertResults(await ask(main, q, more));
    const found = results.map(({ Entry: { Id } }) => Id).sort();
    if (JSON.stringify(found) === JSON.stringify(wanted)) return results;
    assert.ok(Date.now() < until, `${q} finds ${JSON.stringify(results.map(({ Path }) => Path))}, wanted ${wanted}`);
    await sleep(50);
  }
}

test('The searches that the description and the documentation show are valid', async () => {
  const { paths, components } = JSON.parse((await send(main.base, '/openapi.json')).body.toString()) as {
    paths: Record<string, Record<string, { parameters: { $ref: string }[] }>>;
    components: { parameters: Record<string, { name: string; example?: unknown }> };
  };
  const parameters = paths['/v1/contentmanagement/search']?.get?.parameters ?? [];
  const shown = parameters.map(({ $ref }) => components.parameters[$ref.split('/').at(-1) ?? '']);
  const described = String(shown.find((parameter) => parameter?.name === 'q')?.example);
  const guide = readFileSync(join(import.meta.dirname, '../../docs/api/search.md'), 'utf8');
  const documented = [...guide.matchAll(/\$BASE\/search".*--data-urlencode 'q=([^']+)'/g)].map(([, q]) => String(q));
  assert.ok(documented.length > 0);
  for (const q of [described, ...documented]) assertResults(await ask(main, q));
});

test('A file is found by name, properties and text shortly after it was saved', async () => {
  const [name, value, text] = [newWord(), newWord(), newWord()];
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, `${name} folder`, { Properties: { Customer: value } });
  const { File } = await saveFile(main, { FolderId: inner.Id, FileName: `${name}.txt` }, `Some <b>${text}</b> & more`);
  const results = await finds(name, [inner, File]);
  assert.deepEqual(results.find(({ Entry }) => Entry.Id === File.Id)?.Entry, File);
  assert.equal(results.find(({ Entry }) => Entry.Id === File.Id)?.Path, `/${folder.Name}/${inner.Name}/${File.Name}`);
  const [byText] = await finds(text.toUpperCase(), [File]);
  assert.equal(byText?.Snippet, `Some &lt;b&gt;<mark>${text}</mark>&lt;/b&gt; &amp; more`);
  const [byValue] = await finds(value, [inner]);
  assert.equal(byValue?.Snippet, `Customer: <mark>${value}</mark>`);
});

test('The text of every supported document type is found', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  const documents: Record<string, string | Buffer> = {
    'a.txt': `plain ${word}`,
    'a.md': `# Title\n\n*${word}*`,
    'a.html': `<p>${word}</p>`,
    'a.csv': `x;${word};y`,
    'a.json': JSON.stringify({ key: [{ deep: word }] }),
    'a.pdf': makePdf(word),
    'a.docx': makeDocx([word]),
    'a.xlsx': makeXlsx('Sheet', [[word]]),
    'a.pptx': makePptx([word]),
    'large.pdf': Buffer.concat([makePdf(word), Buffer.alloc(200_000, '\n')]),
    'large.txt': `${word} ${'filling '.repeat(20_000)}`,
  };
  const saved: Entry[] = [];
  for (const [FileName, bytes] of Object.entries(documents)) {
    saved.push((await saveFile(main, { FolderId: folder.Id, FileName }, bytes)).File);
  }
  await saveFile(main, { FolderId: folder.Id, FileName: 'a.bin' }, word);
  await finds(word, saved);
});

test('All words must occur; prefixes and phrases work', async () => {
  const folder = await makeFolder(main);
  const [one, two] = [newWord(), newWord()];
  const save = async (FileName: string, text: string) =>
    (await saveFile(main, { FolderId: folder.Id, FileName }, text)).File;
  const both = await save('both.txt', `${one} ${two}`);
  const apart = await save(`${one}.txt`, `something and ${two}`);
  const only = await save('only.txt', `${one}s and Ünïcode`);
  await finds(`${one} ${two}`, [both, apart]);
  await finds(`${two} ${one}`, [both, apart]);
  await finds(`"${one} ${two}"`, [both]);
  await finds(`${one}*`, [both, apart, only]);
  await finds(`${one}* unicode`, [only]);
  await finds(`"${one}s and"`, [only]);
  await finds(`${one} OR ${two}`, []);
});

test('Matches in names come before matches in text, then by relevance', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  const save = async (FileName: string, text: string) =>
    (await saveFile(main, { FolderId: folder.Id, FileName }, text)).File;
  const named = await save(`${word}.txt`, 'nothing');
  const often = await save('often.txt', `${word} ${word} ${word} and more`);
  const once = await save('once.txt', `only one ${word} in a text that goes on for a while ${'and on '.repeat(50)}`);
  const results = await finds(word, [named, often, once]);
  assert.deepEqual(
    results.map(({ Entry }) => Entry.Name),
    [named.Name, 'often.txt', 'once.txt'],
  );
});

test('Renames, moves, new properties, new versions and restored versions update the index', async () => {
  const [folder, other] = [await makeFolder(main), await makeFolder(main)];
  const [first, second, text, next, value] = [newWord(), newWord(), newWord(), newWord(), newWord()];
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: `${first}.txt` }, text);
  await finds(first, [File]);
  await change(main, File.Id, { Name: `${second}.txt`, ParentFolderId: other.Id, Properties: { Key: value } });
  const [moved] = await finds(second, [File]);
  assert.equal(moved?.Path, `/${other.Name}/${second}.txt`);
  await finds(first, []);
  await finds(text, [File]);
  await finds(value, [File]);
  await put(main, File.Id, next, { 'Content-Type': 'text/plain' });
  await finds(next, [File]);
  await finds(text, []);
  assert.equal((await call(main, `/files/${File.Id}/versions/1/restore`, { method: 'POST' })).status, 200);
  await finds(text, [File]);
  await finds(next, []);
});

test('Trashed entries and those beneath them are not found until restored; deleted ones never again', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  const inner = await createFolder(main, folder.Id, word);
  const { File } = await saveFile(main, { FolderId: inner.Id, FileName: 'x.txt' }, word);
  await finds(word, [inner, File]);
  await trash(main, inner.Id);
  assert.deepEqual(await find(word), [], 'at once, whatever the index has');
  await restore(main, inner.Id);
  assert.equal((await find(word)).length, 2, 'at once');
  const copied = await copy(main, inner.Id, { ParentFolderId: folder.Id, Name: `${word} again` });
  const until = Date.now() + patienceMs;
  while ((await find(word)).length !== 4) assert.ok(Date.now() < until, 'a copy is found');
  await remove(main, inner.Id);
  await remove(main, copied.Entry.Id);
  assert.deepEqual(await find(word), []);
});

test('Results of other spaces never show, and content.read is sufficient', async () => {
  const word = newWord();
  const foreign = await makeFolder(stranger);
  await saveFile(stranger, { FolderId: foreign.Id, FileName: `${word}.txt` }, word);
  const own = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: own.Id, FileName: 'own.txt' }, word);
  await finds(word, [File]);
  assert.deepEqual(await find(word, {}, reader), [`/${own.Name}/own.txt`]);
  const until = Date.now() + patienceMs;
  while ((await find(word, {}, stranger)).length === 0) assert.ok(Date.now() < until);
  assert.deepEqual(await find(word, {}, stranger), [`/${foreign.Name}/${word}.txt`]);
  for (const folder of [foreign.Id, randomUUID(), 'nothing']) {
    const error = assertRefusal(await ask(main, word, { folder }), 404, 'FolderNotFound');
    assert.equal(error.Target, 'folder');
  }
});

test('Results can be filtered by type, content type, folder, time and properties, alone and together', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  const deep = await createFolder(main, (await createFolder(main, folder.Id, 'between')).Id, `${word} deep`);
  const text = (
    await saveFile(main, { FolderId: deep.Id, FileName: 'a.txt', 'Content-Type': 'Text/Plain; charset=utf-8' }, word)
  ).File;
  const page = (await saveFile(main, { FolderId: folder.Id, FileName: 'a.html' }, `<p>${word}`)).File;
  await change(main, page.Id, { Properties: { Status: 'paid', 'a.b=c': 'x y' } });
  await finds(word, [deep, text, page]);
  await finds(word, [deep], { type: 'folder' });
  await finds(word, [text, page], { type: 'file' });
  await finds(word, [text], { contentType: 'text/plain' });
  await finds(word, [text, page], { contentType: 'TEXT/*' });
  await finds(word, [], { contentType: 'text' + '/*x' });
  for (const contentType of ['inode/directory', 'inode/*']) await finds(word, [deep], { contentType });
  await finds(word, [], { contentType: 'inode/directory', type: 'file' });
  await finds(word, [text], { folder: deep.Id });
  await finds(word, [deep, text, page], { folder: folder.Id });
  await finds(word, [deep, text, page], { folder: '-root-' });
  await finds(word, [page], { 'property.Status': 'paid' });
  await finds(word, [page], { 'property.Status': 'paid', 'property.a.b=c': 'x y', type: 'file' });
  await finds(word, [], { 'property.Status': 'paid', 'property.Other': '' });
  await finds(word, [], { 'property.status': 'paid' });
  await finds(word, [deep, text, page], { modifiedAfter: '2020-01-01' });
  await finds(word, [], { modifiedAfter: new Date(Date.now() + 60_000).toISOString() });
  await finds(word, [page], { modifiedAfter: text.ModifiedAt, type: 'file', 'property.Status': 'paid' });
});

test('Pages do not repeat results, and a cursor is valid for its own list only', async () => {
  const folder = await makeFolder(main);
  const word = newWord();
  const saved: Entry[] = [];
  for (let index = 0; index < 23; index += 1) {
    const text = index % 3 === 0 ? `${word} ${word}` : `${word} ${'x '.repeat(index)}`;
    const FileName = index % 5 === 0 ? `${word} ${index}.txt` : `${index}.txt`;
    saved.push((await saveFile(main, { FolderId: folder.Id, FileName }, text)).File);
  }
  const whole = (await finds(word, saved, { limit: '1000' })).map(({ Entry }) => Entry.Id);
  for (const limit of ['1', '4', '22', '23']) {
    const seen: string[] = [];
    let answer = await ask(main, word, { limit, type: 'file' });
    for (;;) {
      const results = assertResults(answer);
      assert.ok(results.length <= Number(limit));
      seen.push(...results.map(({ Entry }) => Entry.Id));
      const next = readNext(answer);
      if (next === null) break;
      assert.match(next, /type=file/, 'the link keeps the filters');
      answer = await send(main.base, next, { headers: identity(main) });
    }
    assert.deepEqual(seen, whole, `by ${limit}`);
  }
  const next =
    new URL(readNext(await ask(main, word, { limit: '4' })) ?? '', 'http://x').searchParams.get('cursor') ?? '';
  const changed = `${next.slice(0, -4)}${next.at(-4) === 'A' ? 'B' : 'A'}${next.slice(-3)}`;
  assertRefusal(await ask(main, word, { cursor: changed }), 400, 'InvalidCursor');
  assertRefusal(await call(main, `/folders/${folder.Id}?cursor=${encodeURIComponent(next)}`), 400, 'InvalidCursor');
  for (const limit of ['0', '1001', 'x']) assertRefusal(await ask(main, word, { limit }), 400, 'InvalidField');
});

test('match=part finds names by any part of them, with filters and pages, and nothing by its text', async () => {
  const word = newWord();
  const folder = await makeFolder(main);
  const save = async (name: string, text = 'x') =>
    (await saveFile(main, { FolderId: folder.Id, FileName: name }, text)).File;
  const first = await save(`IMG_${word.toUpperCase()}00.jpg`);
  const inner = await save(`Über${word}_00 & <b>.txt`);
  await save('text.txt', `img_${word}`);
  const part = { match: 'part' };
  const inside = word.slice(2, 11);
  const results = await finds(inside, [first, inner], part);
  const snippets = results.map(({ Snippet }) => Snippet.replace(inside, 'PART').replace(inside.toUpperCase(), 'PART'));
  for (const snippet of snippets) assert.match(snippet, /<mark>PART<\/mark>/);
  assert.ok(snippets.some((snippet) => snippet.endsWith('_00 &amp; &lt;b&gt;.txt')));
  assert.deepEqual(await find(`g_${word}`, part), [`/${folder.Name}/${first.Name}`]);
  assert.deepEqual(await find(`ber${word}_00 & <`, part), [`/${folder.Name}/${inner.Name}`]);
  assert.deepEqual(await find(`${word}*`, part), [], 'an asterisk is an asterisk');
  assert.deepEqual(await find(word, { ...part, type: 'folder' }), []);
  assert.deepEqual(await find(word, { ...part, folder: (await makeFolder(main)).Id }), []);
  assert.deepEqual(await find(word, part, stranger), []);
  const short = await find(word.slice(-1), { ...part, folder: folder.Id });
  assert.ok(short.length >= 2, 'a single character is a part, too');
  await trash(main, inner.Id);
  assert.deepEqual(await find(word, part), [`/${folder.Name}/${first.Name}`]);
});

test('An invalid query is refused with the parameter at fault', async () => {
  assert.equal(assertRefusal(await call(main, '/search'), 400, 'InvalidField').Target, 'q');
  for (const q of ['', ' ', '"', 'a "b', 'a"b"', '...', '*', 'ab*', 'x'.repeat(501), '\u0000']) {
    assert.equal(assertRefusal(await ask(main, q), 400, 'InvalidField').Target, 'q', JSON.stringify(q));
  }
  for (const [name, value] of [
    ['type', 'document'],
    ['match', 'parts'],
    ['match', ''],
    ['contentType', 'text'],
    ['modifiedAfter', 'yesterday'],
    ['modifiedAfter', '2026-13-01'],
    ['modifiedAfter', '1700000000000'],
  ] as const) {
    assert.equal(assertRefusal(await ask(main, 'word', { [name]: value }), 400, 'InvalidField').Target, name);
  }
  const { File } = await saveFile(main, { FolderId: (await makeFolder(main)).Id, FileName: 'x' }, 'x');
  assertRefusal(await ask(main, 'word', { folder: File.Id }), 400, 'NotAFolder');
});

test('The query language of the index cannot be reached', async () => {
  for (const q of [
    'name:x',
    'x NOT y',
    'NEAR(a b, 2)',
    "'; DROP TABLE words; --",
    '{a b}:c',
    '^abc',
    'a + b',
    'rank',
    '$1 ?',
  ]) {
    assertResults(await ask(main, q));
  }
});
