// Preconditions are checked in the transaction that writes: whatever is sent at once, they hold at the commit.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { type Precondition, toContentEtag } from '../../src/domain/precondition.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, fileIn, folderIn, inline, type Registered, refuses, what } from './requests.ts';

const none: Precondition = { match: null, noneMatch: null, unmodifiedSince: null };
const absent: Precondition = { ...none, noneMatch: '*' };
const stale: Precondition = { ...none, match: ['"stale"'] };
const failed = refuses('PreconditionFailed');

export function testPreconditions(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} checks preconditions`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let app: Registered;
    let count = 0;

    before(async () => {
      under = await open();
      catalog = under.catalog;
    });
    after(() => under.close());
    const newFile = async (content = inline(Buffer.from('one'))) => {
      count += 1;
      app = await addApplication(catalog, `preconditions-${count}`);
      return (await catalog.saveFile(fileIn(app, 'a', { content }))).file;
    };
    const detailsOf = async (id: string) => {
      const details = await catalog.findDetails({ space: app.space, id });
      assert.ok(details);
      return details;
    };
    const version = (file: string, text: string, precondition: Precondition) =>
      catalog.saveVersion({ ...fileIn(app, 'a'), file, content: inline(Buffer.from(text)), precondition });

    it('of a save, about the content that has the name', async () => {
      const one = inline(Buffer.from('one'));
      await newFile(one);
      const save = (text: string, precondition: Precondition, more = {}) =>
        catalog.saveFile(fileIn(app, 'a', { content: inline(Buffer.from(text)), precondition, ...more }));
      const current = { ...none, match: [toContentEtag(one.sha256)] };
      for (const conflict of ['Version', 'Rename', 'Existing'] as const) {
        await assert.rejects(save('two', absent, { conflict }), failed);
        await assert.rejects(save('two', stale, { conflict }), failed);
        await assert.rejects(save('two', { ...none, unmodifiedSince: 0 }, { conflict }), failed);
      }
      await assert.rejects(save('two', absent, { conflict: 'Fail' }), refuses('NameAlreadyExists'));
      assert.equal((await save('two', current)).version, 2);
      await assert.rejects(save('three', current), failed);
      await assert.rejects(catalog.saveFile(fileIn(app, 'b', { precondition: stale })), failed);
      assert.equal((await catalog.saveFile(fileIn(app, 'b', { precondition: absent }))).version, 1);
    });

    it('of concurrent saves, so that one succeeds', async () => {
      const one = inline(Buffer.from('one'));
      const file = await newFile(one);
      const created = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          catalog.saveFile(fileIn(app, 'new', { content: inline(Buffer.from(`${index}`)), precondition: absent })),
        ),
      );
      assertOne(created);
      const match = [toContentEtag(one.sha256)];
      assertOne(
        await Promise.allSettled(
          Array.from({ length: 12 }, (_, index) => version(file.id, `v${index}`, { ...none, match })),
        ),
      );
    });

    it('of every change of an entry', async () => {
      const file = await newFile();
      const at = { space: app.space, id: file.id, ...what };
      const same = { name: null, parent: null, properties: { k: 'v' }, objectType: null, conflict: 'Fail' as const };
      const copied = { parent: app.rootId, name: 'copy', conflict: 'Fail' as const };
      const ofVersion = { space: app.space, file: file.id, version: 1, keptVersions: null, ...what };
      const back = { ...at, parent: null, name: null, conflict: 'Fail' as const };
      for (const precondition of [stale, absent, { ...none, unmodifiedSince: 0 }]) {
        await assert.rejects(catalog.changeEntry({ ...at, ...same, precondition }), failed);
        await assert.rejects(catalog.beginCopy({ ...at, ...copied, precondition }), failed);
        await assert.rejects(catalog.trashEntry({ ...at, precondition }), failed);
        await assert.rejects(catalog.removeEntry({ ...at, precondition }), failed);
        await assert.rejects(catalog.restoreVersion({ ...ofVersion, precondition }), failed);
        await assert.rejects(catalog.removeVersion({ ...ofVersion, precondition }), failed);
        await assert.rejects(catalog.commentVersion({ ...ofVersion, comment: 'c', precondition }), failed);
        await assert.rejects(version(file.id, 'two', precondition), failed);
      }
      const before = await detailsOf(file.id);
      assert.equal(before.version, 1);
      const precondition = { ...none, match: [before.etag], unmodifiedSince: null };
      await catalog.commentVersion({ ...ofVersion, comment: 'c', precondition });
      await catalog.beginCopy({ ...at, ...copied, precondition });
      await catalog.trashEntry({ ...at, precondition });
      await assert.rejects(catalog.restoreEntry({ ...back, precondition: stale }), failed);
      assert.equal((await catalog.findInTrash(at))?.etag, before.etag);
      await catalog.restoreEntry({ ...back, precondition });
      assert.deepEqual(await detailsOf(file.id), before);
    });

    it('of a new folder, about the entry that has the name', async () => {
      await newFile();
      const make = (folderName: string, precondition: Precondition) =>
        catalog.createFolder(folderIn(app, folderName, { conflict: 'Existing', precondition }));
      await assert.rejects(make('f', stale), failed);
      const { folder } = await make('f', absent);
      await assert.rejects(make('f', absent), failed);
      const { etag } = await detailsOf(folder.id);
      assert.ok((await make('f', { ...none, match: [etag] })).isExisting);
    });
  });
}

function assertOne(results: PromiseSettledResult<unknown>[]): void {
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of results) {
    if (result.status === 'rejected') {
      assert.ok(result.reason instanceof Refusal, String(result.reason));
      assert.equal(result.reason.code, 'PreconditionFailed');
    }
  }
}
