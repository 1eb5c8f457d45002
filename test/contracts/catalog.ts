// The contract of the catalog as tests: every engine's own test file calls this with a way to open one.

import assert from 'node:assert/strict';
import { hash, randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { Idempotency } from '../../src/catalog/verbs/idempotency.ts';
import type { SaveFile } from '../../src/catalog/verbs/save-file.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import {
  addApplication,
  asBlob,
  fileIn,
  folderIn,
  inline,
  pathIn,
  type Registered,
  refuses,
  what,
} from './requests.ts';

export interface CatalogUnderTest {
  catalog: Catalog;
  close(): Promise<void>;
}

export function testCatalog(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let count = 0;
    /** Each test has a space of its own. */
    const newApplication = () => {
      count += 1;
      return addApplication(catalog, `app-${count}`);
    };
    const findNamed = async ({ space, rootId }: Registered, name: string) => {
      const page = await catalog.listFolder({ space, folder: rootId, limit: 1000 });
      return page?.children.find((child) => child.name === name);
    };
    const sizeOf = async (application: Registered, id: string) =>
      (await catalog.findEntry({ space: application.space, id }))?.sizeBytes;

    before(async () => {
      under = await open();
      catalog = under.catalog;
    });
    after(() => under.close());

    describe('applications', () => {
      it('are found by AppKey, with the root of their space', async () => {
        const made = await newApplication();
        const found = await catalog.findApplication({ appKey: made.appKey });
        assert.deepEqual({ ...found, space: made.space, rootId: made.rootId }, made);
        const root = await catalog.findEntry({ space: made.space, id: made.rootId });
        assert.equal(root?.kind, 'folder');
        assert.equal(await catalog.findApplication({ appKey: 'ak_unknown' }), null);
      });

      it('share a space when they name it, and never by accident', async () => {
        const one = await addApplication(catalog, 'sharing-1', 'shared');
        const two = await addApplication(catalog, 'sharing-2', 'shared');
        const three = await addApplication(catalog, 'shared');
        assert.equal(one.space, two.space);
        assert.notEqual(three.space, one.space);
        assert.equal(three.access?.spaceName, 'shared (2)');
      });

      it('never release their name, even when removed', async () => {
        const made = await newApplication();
        await catalog.setApplicationState({
          application: made.name,
          state: 'removed',
          areTokensRevoked: false,
          ...what,
        });
        await assert.rejects(addApplication(catalog, made.name), refuses('NameAlreadyExists'));
        const again = catalog.setApplicationState({
          application: made.name,
          state: 'active',
          areTokensRevoked: false,
          ...what,
        });
        await assert.rejects(again, refuses('ApplicationNotFound'));
        assert.ok(!(await catalog.listApplications({})).some(({ appKey }) => appKey === made.appKey));
      });

      it('keep the previous secret beside the new one', async () => {
        const made = await newApplication();
        const rotated = await catalog.rotateSecret({
          application: made.appKey,
          secretSha256: hash('sha256', 'new'),
          previousUntil: what.at + 5,
          areTokensRevoked: false,
          ...what,
        });
        assert.equal(rotated.previousSecretSha256, made.secretSha256);
        assert.equal(rotated.secretSha256, hash('sha256', 'new'));
        assert.equal(rotated.previousSecretUntil, what.at + 5);
      });
    });

    describe('folders', () => {
      it('are created once per name in either Unicode form', async () => {
        const app = await newApplication();
        const { folder } = await catalog.createFolder(folderIn(app, 'Caf\u00e9'));
        assert.equal(folder.name, 'Caf\u00e9');
        const again = catalog.createFolder(folderIn(app, 'Cafe\u0301'));
        await assert.rejects(again, (error) => {
          assert.ok(error instanceof Refusal);
          assert.equal(error.code, 'NameAlreadyExists');
          assert.deepEqual(error.details.conflicts, [folder]);
          return true;
        });
        const existing = await catalog.createFolder(folderIn(app, 'Cafe\u0301', { conflict: 'Existing' }));
        assert.deepEqual(existing.folder, folder);
        assert.ok(existing.isExisting);
      });

      it('find a free name among hundreds', async () => {
        const app = await newApplication();
        const make = async (name: string, conflict: 'Fail' | 'Rename') =>
          (await catalog.createFolder(folderIn(app, name, { conflict }))).folder.name;
        await make('x', 'Fail');
        for (let number = 2; number <= 40; number += 1) assert.equal(await make('x', 'Rename'), `x (${number})`);
        const taken = Array.from({ length: 259 }, (_, index) => `x (${41 + index})`);
        await Promise.all(taken.map((name) => make(name, 'Fail')));
        assert.equal(await make('x', 'Rename'), 'x (300)');
      });

      it('are refused under a file, an unknown parent or one of another space', async () => {
        const app = await newApplication();
        const other = await newApplication();
        const { file } = await catalog.saveFile(fileIn(app, 'a.txt'));
        const under = (parent: string) => catalog.createFolder(folderIn(app, 'f', { parent }));
        await assert.rejects(under(file.id), refuses('NotAFolder'));
        await assert.rejects(under(randomUUIDv7()), refuses('FolderNotFound'));
        await assert.rejects(under(other.rootId), refuses('FolderNotFound'));
      });

      it('nest up to a hundred levels', async () => {
        const app = await newApplication();
        const way = Array.from({ length: 99 }, (_, index) => `l${index + 1}`);
        const { folder } = await catalog.createFolder(pathIn(app, way.join('/')));
        const { id: parent } = (await catalog.createFolder(folderIn(app, 'l100', { parent: folder.id }))).folder;
        await assert.rejects(catalog.createFolder(folderIn(app, 'l101', { parent })), refuses('TooDeep'));
        await catalog.saveFile(fileIn(app, 'deep.txt', { folder: parent, content: inline(Buffer.alloc(7)) }));
        assert.equal(await sizeOf(app, app.rootId), 7);
      });

      it('are listed folders first, then by the bytes of their names, page by page', async () => {
        const app = await newApplication();
        const names = ['b', 'a', 'Z', 'é', '😀', '\uff5e', '10', '9', 'aa'];
        for (const name of names) {
          await catalog.createFolder(folderIn(app, name));
          await catalog.saveFile(fileIn(app, `${name}.txt`));
        }
        const inOrder = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const filesInOrder = names
          .map((n) => `${n}.txt`)
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const listed: string[] = [];
        let page = await catalog.listFolder({ space: app.space, folder: app.rootId, limit: 4 });
        while (page !== null) {
          listed.push(...page.children.map((child) => child.name));
          if (page.next === null) break;
          page = await catalog.listFolder({ space: app.space, folder: app.rootId, limit: 4, after: page.next });
        }
        assert.deepEqual(listed, [...inOrder, ...filesInOrder]);
      });

      it('leave an excluded child out of a page without making the page shorter', async () => {
        const app = await newApplication();
        for (const name of ['a', 'b', 'c']) await catalog.saveFile(fileIn(app, name));
        const b = await findNamed(app, 'b');
        const list = { space: app.space, folder: app.rootId, limit: 2, exclude: b?.id ?? '' };
        const page = await catalog.listFolder(list);
        assert.deepEqual(
          page?.children.map(({ name }) => name),
          ['a', 'c'],
        );
        assert.equal(page?.next, null);
        assert.equal(await catalog.listFolder({ ...list, folder: randomUUIDv7() }), null);
      });
    });

    describe('files', () => {
      it('keep every version and change only what differs', async () => {
        const app = await newApplication();
        const first = await catalog.saveFile(fileIn(app, 'a', { content: inline(Buffer.from('one')) }));
        const second = await catalog.saveFile(
          fileIn(app, 'a', {
            content: inline(Buffer.from('three')),
            at: what.at + 9,
            by: 'app:other',
            id: randomUUIDv7(),
          }),
        );
        assert.equal(second.file.id, first.file.id);
        assert.equal(second.file.createdAt, first.file.createdAt);
        assert.equal(second.file.createdBy, 'app:contract');
        assert.equal(second.file.modifiedAt, what.at + 9);
        assert.equal(second.file.modifiedBy, 'app:other');
        assert.equal(await sizeOf(app, app.rootId), 5);
        const content = await catalog.findContent({ space: app.space, id: first.file.id, version: null });
        assert.equal(Buffer.from(content?.bytes ?? []).toString(), 'three');
      });

      it('are unchanged by a save of the same bytes', async () => {
        const app = await newApplication();
        const first = await catalog.saveFile(fileIn(app, 'a', { properties: { k: 'v', l: 'w' } }));
        const same = fileIn(app, 'a', { at: what.at + 5, by: 'app:other' });
        assert.deepEqual((await catalog.saveFile(same)).file, first.file);
        const guessed = { ...same, contentType: 'image/png', isContentTypeDeclared: false };
        assert.deepEqual((await catalog.saveFile(guessed)).file, first.file);
        assert.deepEqual((await catalog.saveFile({ ...same, properties: { l: 'w', k: 'v' } })).file, first.file);
        assert.deepEqual((await catalog.saveFile({ ...same, objectType: 'cmis:document' })).file, first.file);
      });

      it('change their record without a new version when only it differs', async () => {
        const app = await newApplication();
        await catalog.saveFile(fileIn(app, 'a'));
        const { file } = await catalog.saveFile(
          fileIn(app, 'a', { properties: { k: 'v' }, objectType: 'my:type', contentType: 'text/csv', at: what.at + 1 }),
        );
        assert.deepEqual(file.properties, { k: 'v' });
        assert.equal(file.objectType, 'my:type');
        assert.equal(file.contentType, 'text/csv');
        assert.equal(file.modifiedAt, what.at + 1);
        const content = await catalog.findContent({ space: app.space, id: file.id, version: null });
        assert.equal(content?.contentType, 'text/csv');
        assert.equal(content?.modifiedAt, what.at, 'the version is still the first');
      });

      it('keep imported times, and are never modified before they were created', async () => {
        const application = await newApplication();
        const times = { createdAt: 1000, modifiedAt: 2000 };
        const { folder } = await catalog.createFolder(folderIn(application, 'old', { times }));
        const { file } = await catalog.saveFile(fileIn(application, 'old.txt', { times }));
        for (const { createdAt, modifiedAt } of [folder, file]) assert.deepEqual({ createdAt, modifiedAt }, times);
        const saved = await catalog.saveFile(fileIn(application, 'new.txt'));
        const content = inline(Buffer.from('changed'));
        const older = await catalog.saveFile(fileIn(application, 'new.txt', { times, content }));
        assert.equal(older.file.modifiedAt, saved.file.createdAt);
        const later = { createdAt: 1000, modifiedAt: 3000 };
        const newer = await catalog.saveFile(fileIn(application, 'old.txt', { times: later, content }));
        assert.deepEqual([newer.file.createdAt, newer.file.modifiedAt], [1000, 3000]);
        const target = { space: application.space, id: file.id };
        assert.equal((await catalog.findContent({ ...target, version: 1 }))?.modifiedAt, 2000);
        assert.equal((await catalog.findContent({ ...target, version: 2 }))?.modifiedAt, 3000);
      });

      it('obey the conflict behaviour', async () => {
        const app = await newApplication();
        const { file } = await catalog.saveFile(fileIn(app, 'a.pdf'));
        const other = (more: Partial<SaveFile>) =>
          catalog.saveFile(fileIn(app, 'a.pdf', { content: inline(Buffer.from('x')), ...more }));
        await assert.rejects(other({ conflict: 'Fail' }), refuses('NameAlreadyExists'));
        assert.deepEqual((await other({ conflict: 'Existing' })).file, file);
        assert.equal((await other({ conflict: 'Rename' })).file.name, 'a (2).pdf');
        await catalog.createFolder(folderIn(app, 'f'));
        for (const conflict of ['Version', 'Fail', 'Existing'] as const) {
          await assert.rejects(catalog.saveFile(fileIn(app, 'f', { conflict })), refuses('NameAlreadyExists'));
        }
        assert.equal((await catalog.saveFile(fileIn(app, 'f', { conflict: 'Rename' }))).file.name, 'f (2)');
        assert.equal(await sizeOf(app, app.rootId), 5 + 1 + 1);
      });

      it('store equal large bytes once in a space, and name the blob that is not needed', async () => {
        const app = await newApplication();
        const bytes = randomBytes(100);
        const [one, two] = [asBlob(bytes), asBlob(bytes)];
        assert.ok((await catalog.saveFile(fileIn(app, 'a', { content: one }))).isBlobUsed);
        assert.ok(!(await catalog.saveFile(fileIn(app, 'b', { content: two }))).isBlobUsed);
        const found = await catalog.findUnreferencedBlobs({ blobs: [one.blob ?? '', two.blob ?? ''] });
        assert.deepEqual(found, [two.blob]);
        const b = await findNamed(app, 'b');
        assert.equal((await catalog.findContent({ space: app.space, id: b?.id ?? '', version: null }))?.blob, one.blob);
        const own = asBlob(bytes);
        const { file, isBlobUsed } = await catalog.saveFile(fileIn(await newApplication(), 'a', { content: own }));
        assert.ok(isBlobUsed, 'another space has its own');
        const place = { space: app.space, version: 1, sha256: own.sha256 };
        assert.equal(await catalog.findBlob({ ...place, file: file.id }), null);
        assert.equal((await catalog.findBlob({ ...place, file: b?.id ?? '' }))?.blob, one.blob);
      });

      it('are repaired together when their blob is replaced', async () => {
        const app = await newApplication();
        const bytes = randomBytes(100);
        const [lost, good] = [asBlob(bytes), asBlob(bytes)];
        const { file, version } = await catalog.saveFile(fileIn(app, 'a', { content: lost }));
        const saved = { space: app.space, file: file.id, version };
        assert.equal((await catalog.findBlob({ ...saved, sha256: good.sha256 }))?.blob, lost.blob);
        assert.equal(await catalog.findBlob({ ...saved, sha256: randomBytes(32) }), null);
        assert.ok(await catalog.replaceBlob({ lost: lost.blob ?? '', content: good }));
        assert.ok(!(await catalog.replaceBlob({ lost: lost.blob ?? '', content: good })));
        assert.equal((await catalog.findContent({ space: app.space, id: file.id, version: null }))?.blob, good.blob);
        assert.deepEqual(await catalog.findUnreferencedBlobs({ blobs: [lost.blob ?? '', good.blob ?? ''] }), [
          lost.blob,
        ]);
      });

      it('are summed up in every folder above them', async () => {
        const app = await newApplication();
        const { folder: a } = await catalog.createFolder(folderIn(app, 'a'));
        const { folder: b } = await catalog.createFolder(folderIn(app, 'b', { parent: a.id }));
        const save = (folder: string, name: string, size: number) =>
          catalog.saveFile(fileIn(app, name, { folder, content: inline(randomBytes(size)) }));
        await Promise.all([save(b.id, 'x', 100), save(b.id, 'y', 20), save(a.id, 'z', 3), save(app.rootId, 'w', 1000)]);
        const shrunk = await save(b.id, 'x', 10);
        assert.equal(shrunk.folder.sizeBytes, 30);
        assert.equal(await sizeOf(app, b.id), 30);
        assert.equal(await sizeOf(app, a.id), 33);
        assert.equal(await sizeOf(app, app.rootId), 1033);
      });
    });

    describe('concurrent saves', () => {
      it('one refused among many does not affect the others', async () => {
        const app = await newApplication();
        const saves = Array.from({ length: 64 }, (_, index) => {
          const folder = index === 31 ? randomUUIDv7() : app.rootId;
          return catalog.saveFile(fileIn(app, `f${index}`, { folder, content: inline(Buffer.alloc(1)) }));
        });
        const settled = await Promise.allSettled(saves);
        const refused = settled.flatMap((result, index) => (result.status === 'rejected' ? [index] : []));
        assert.deepEqual(refused, [31]);
        assert.equal(await sizeOf(app, app.rootId), 63);
      });

      it('one of them wins a name', async () => {
        const app = await newApplication();
        const all = await Promise.allSettled(
          Array.from({ length: 50 }, () => catalog.createFolder(folderIn(app, 'one'))),
        );
        assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
      });
    });

    describe('idempotency keys', () => {
      const key = (fingerprint: string) =>
        ({ appKey: 'ak_x', operation: 'save-file', key: randomUUID(), fingerprint }) as const;

      it('return the first result, to the same request only', async () => {
        const app = await newApplication();
        const idempotency = key('same');
        const first = await catalog.saveFile(fileIn(app, 'a', { idempotency, conflict: 'Rename' }));
        const again = await catalog.saveFile(fileIn(app, 'a', { idempotency, conflict: 'Rename' }));
        assert.ok(again.isReplayed && !first.isReplayed);
        assert.deepEqual(again.file, first.file);
        assert.deepEqual(again.folder, first.folder);
        const other = fileIn(app, 'a', { idempotency: { ...idempotency, fingerprint: 'other' } });
        await assert.rejects(catalog.saveFile(other), refuses('IdempotencyKeyReused'));
      });

      it('remember no errors, and nothing for longer than a day', async () => {
        const app = await newApplication();
        const idempotency = key('same');
        const refused = fileIn(app, 'a', { idempotency, folder: randomUUIDv7() });
        await assert.rejects(catalog.saveFile(refused), refuses('FolderNotFound'));
        assert.ok(!(await catalog.saveFile(fileIn(app, 'a', { idempotency }))).isReplayed);
        const later = what.at + 24 * 60 * 60 * 1000;
        assert.ok((await catalog.saveFile(fileIn(app, 'a', { idempotency, at: later - 1 }))).isReplayed);
        assert.ok(!(await catalog.saveFile(fileIn(app, 'a', { idempotency, at: later }))).isReplayed);
        assert.ok((await catalog.forgetResults({ at: later + 24 * 60 * 60 * 1000 })) > 0);
      });

      it('are known for a day, to their owner and operation, those of batches by any of their files', async () => {
        const app = await newApplication();
        const first = key('same');
        const batch = { ...key('same'), operation: 'save-batch' } as const;
        const at = what.at + 1;
        const isKnown = (more: Partial<Idempotency>, now = at) =>
          catalog.isKeyKnown({ idempotency: { ...first, ...more }, at: now });
        assert.equal(await isKnown({}), false);
        await catalog.saveFile(fileIn(app, 'a', { idempotency: first }));
        await catalog.saveFile(fileIn(app, 'b', { idempotency: { ...batch, key: `${batch.key} 7` } }));
        assert.equal(await isKnown({}), true);
        assert.equal(await isKnown(batch), true);
        assert.equal(await isKnown({}, what.at + 24 * 60 * 60 * 1000), false);
        const others = [{ appKey: 'ak_y' }, { operation: 'save-batch' }, { key: first.key.slice(0, -1) }] as const;
        for (const other of [...others, { key: `${first.key}0` }]) assert.equal(await isKnown(other), false);
      });

      it('let concurrent twins make one file', async () => {
        const app = await newApplication();
        const idempotency = key('same');
        const twins = Array.from({ length: 20 }, () =>
          catalog.saveFile(fileIn(app, 'a', { idempotency, conflict: 'Rename' })),
        );
        const ids = new Set((await Promise.all(twins)).map(({ file }) => file.id));
        assert.equal(ids.size, 1);
        const page = await catalog.listFolder({ space: app.space, folder: app.rootId, limit: 10 });
        assert.equal(page?.children.length, 1);
      });
    });
  });
}
