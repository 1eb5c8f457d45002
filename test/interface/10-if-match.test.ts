// `If-Match` on `PATCH /entries/{id}` (docs/contract.md §9.3), and concurrent changes of one entry. For DELETE see
// 10-trash, for PUT see 10-versions.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal, type Entry } from './assertions.ts';
import { call, createFolder, listFolder, makeFolder, saveFile, signIn } from './client.ts';
import { askChange, change, show } from './life.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');

/** A folder and a file, side by side. */
async function makePair(): Promise<{ pair: Entry[]; inner: Entry; file: Entry }> {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner');
  const { File: file } = await saveFile(main, { FolderId: folder.Id, FileName: 'file.txt' }, 'bytes');
  return { pair: [inner, file], inner, file };
}

test('If-Match with the current ETag, a list that contains it, or * allows the change', async () => {
  const { pair } = await makePair();
  for (const entry of pair) {
    let number = 0;
    for (const toHeader of [
      (etag: string) => etag,
      (etag: string) => `"x", ${etag}`,
      (etag: string) => `"x",${etag} , "y"`,
      () => '*',
    ]) {
      const { ETag } = await show(main, entry.Id);
      number += 1;
      const changed = await change(
        main,
        entry.Id,
        { Name: `name ${number} ${entry.Id}` },
        { 'If-Match': toHeader(ETag) },
      );
      assert.notEqual(changed.ETag, ETag);
    }
  }
});

test('If-Match with any other ETag is 400 PreconditionFailed, and nothing changes', async () => {
  const { pair, inner, file } = await makePair();
  for (const entry of pair) {
    const old = (await show(main, entry.Id)).ETag;
    const before = await change(main, entry.Id, { Properties: { changed: 'yes' } });
    const another = (await show(main, entry === inner ? file.Id : inner.Id)).ETag;
    const wrong = [old, another, '"x"', `W/${before.ETag}`, `"x", "y"`, '""', `${before.ETag.toUpperCase()}x`];
    for (const header of wrong) {
      const answer = await askChange(main, entry.Id, { Name: 'other' }, { 'If-Match': header });
      assertRefusal(answer, 400, /^(PreconditionFailed|InvalidHeader)$/);
      if (!header.endsWith('x')) assertRefusal(answer, 400, 'PreconditionFailed');
    }
    const idle = await askChange(main, entry.Id, {}, { 'If-Match': old });
    assertRefusal(idle, 400, 'PreconditionFailed');
    assert.deepEqual(await show(main, entry.Id), before);
  }
});

test('The ETag of the content is not the ETag of the entry', async () => {
  const { file } = await makePair();
  const { etag } = (await call(main, `/files/${file.Id}/content`)).headers;
  const answer = await askChange(main, file.Id, { Name: 'other' }, { 'If-Match': String(etag) });
  assertRefusal(answer, 400, 'PreconditionFailed');
});

test('Of 20 concurrent changes with one ETag exactly one succeeds', async () => {
  const { pair } = await makePair();
  for (const { Id } of pair) {
    const { ETag } = await show(main, Id);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        askChange(index % 2 === 0 ? main : neighbour, Id, { Name: `winner ${index} ${Id}` }, { 'If-Match': ETag }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    for (const answer of answers) if (answer !== won[0]) assertRefusal(answer, 400, 'PreconditionFailed');
  }
});

test('Of 20 concurrent renames to one name exactly one succeeds', async () => {
  const folder = await makeFolder(main);
  const all = await Promise.all(Array.from({ length: 20 }, (_, index) => createFolder(main, folder.Id, `${index}`)));
  const answers = await Promise.all(all.map(({ Id }) => askChange(main, Id, { Name: 'one' })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 400, 'NameAlreadyExists');
  assert.equal((await listFolder(main, folder.Id)).filter(({ Name }) => Name === 'one').length, 1);
});
