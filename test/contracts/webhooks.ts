// The contract of the catalog about webhooks: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { Delivery } from '../../src/catalog/verbs/webhooks.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, fileIn, folderIn, type Registered, refuses, what } from './requests.ts';

const secret = 'c2VjcmV0';
const toHook = ({ space }: Registered, more = {}) => ({
  ...{ id: randomUUIDv7(), space, url: 'https://example.com/', events: ['*'], folderId: null, description: '' },
  ...{ secret, position: 0, ...what, ...more },
});
const toDelivery = (more: Partial<Delivery> = {}): Delivery => ({
  ...{ id: randomUUIDv7(), eventId: 'space:1', type: 'cabinet.file.saved', attempt: 1, at: what.at, status: 200 },
  ...{ durationMs: 3, error: null, response: 'ok', ...more },
});

export function testWebhooks(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about webhooks`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let count = 0;
    const newApplication = () => {
      count += 1;
      return addApplication(catalog, `hooks-${count}`);
    };

    before(async () => {
      under = await open();
      catalog = under.catalog;
    });
    after(() => under.close());

    const workOf = async (id: string) => {
      const work = await catalog.findWebhookWork({ id });
      assert.ok(work !== null);
      return work;
    };

    it('adds at most a hundred to a space, and finds them only there', async () => {
      const [app, other] = [await newApplication(), await newApplication()];
      const first = await catalog.addWebhook(toHook(app, { events: ['file.*', 'user.role'], description: 'd' }));
      assert.deepEqual(first.events, ['file.*', 'user.role']);
      assert.deepEqual([first.state, first.lastDelivery, first.createdBy], ['active', null, 'operator']);
      for (let n = 1; n < 100; n += 1) await catalog.addWebhook(toHook(app));
      await assert.rejects(catalog.addWebhook(toHook(app)), refuses('TooManyWebhooks'));
      const listed = await catalog.listWebhooks({ space: app.space });
      assert.deepEqual([listed.length, listed[0]?.id], [100, first.id]);
      assert.deepEqual(await catalog.listWebhooks({ space: other.space }), []);
      assert.equal(await catalog.findWebhook({ space: other.space, id: first.id }), null);
      const foreign = { ...what, space: other.space, id: first.id };
      await assert.rejects(catalog.changeWebhook({ ...foreign, state: 'paused' }), refuses('WebhookNotFound'));
      await assert.rejects(catalog.removeWebhook(foreign), refuses('WebhookNotFound'));
      await assert.rejects(catalog.rotateWebhook({ ...foreign, secret, previousUntil: 0 }), refuses('WebhookNotFound'));
      await assert.rejects(catalog.replayWebhook({ ...foreign, from: 1 }), refuses('WebhookNotFound'));
      await catalog.removeWebhook({ ...foreign, space: app.space });
      assert.equal(await catalog.findWebhook({ space: app.space, id: first.id }), null);
    });

    it('takes only folders of the space', async () => {
      const [app, other] = [await newApplication(), await newApplication()];
      const { file } = await catalog.saveFile(fileIn(app, 'f'));
      for (const folderId of [other.rootId, '-trash-', '-hidden-', 'unknown'])
        await assert.rejects(catalog.addWebhook(toHook(app, { folderId })), refuses('FolderNotFound'));
      await assert.rejects(catalog.addWebhook(toHook(app, { folderId: file.id })), refuses('NotAFolder'));
    });

    it('moves a position forward only, and not under a change', async () => {
      const app = await newApplication();
      const { id: webhook } = await catalog.addWebhook(toHook(app));
      const { revision } = await workOf(webhook);
      const move = async (position: number, ...deliveries: Delivery[]) =>
        (await catalog.moveWebhooks({ moves: [{ webhook, revision, position, deliveries }] })).length === 1;
      assert.equal(await move(7, toDelivery()), true);
      assert.equal(await move(7), false);
      assert.equal(await move(6), false);
      await catalog.replayWebhook({ space: app.space, id: webhook, from: 3, ...what });
      assert.equal(await move(9, toDelivery({ eventId: 'late' })), false);
      assert.equal((await workOf(webhook)).position, 2);
      const logged = await catalog.listDeliveries({ webhook, before: null, limit: 10 });
      assert.deepEqual(
        logged.map(({ eventId }) => eventId),
        ['late', 'space:1'],
      );
    });

    it('moves several together, each only if it was not changed', async () => {
      const app = await newApplication();
      const [first, second] = [await catalog.addWebhook(toHook(app)), await catalog.addWebhook(toHook(app))];
      const { revision } = await workOf(first.id);
      await catalog.replayWebhook({ space: app.space, id: second.id, from: 3, ...what });
      const deliveries = [toDelivery({ eventId: 'a' }), toDelivery({ eventId: 'b' })];
      const moves = [second, first].map(({ id: webhook }) => ({
        ...{ webhook, revision, position: 8 },
        deliveries: deliveries.map((delivery) => ({ ...delivery, id: randomUUIDv7() })),
      }));
      assert.deepEqual(await catalog.moveWebhooks({ moves }), [first.id]);
      assert.deepEqual([(await workOf(first.id)).position, (await workOf(second.id)).position], [8, 2]);
      for (const { id: webhook } of [first, second]) {
        const logged = await catalog.listDeliveries({ webhook, before: null, limit: 10 });
        assert.deepEqual(logged.map(({ eventId }) => eventId).toSorted(), ['a', 'b']);
      }
    });

    it('remembers failures until a success, and disables', async () => {
      const app = await newApplication();
      const { id: webhook } = await catalog.addWebhook(toHook(app));
      const { revision, space } = await workOf(webhook);
      const fail = (attempt: number, disabled: 'gone' | null) =>
        catalog.failWebhook({
          ...{ webhook, space, revision, delivery: toDelivery({ attempt, status: null, error: 'no' }) },
          ...{ retryAt: 99, failingSince: 11, disabled, ...what },
        });
      assert.equal(await fail(1, null), true);
      const failing = await workOf(webhook);
      assert.deepEqual(
        [failing.state, failing.attempts, failing.failingSince, failing.retryAt],
        ['failing', 1, 11, 99],
      );
      await catalog.moveWebhooks({ moves: [{ webhook, revision, position: 5, deliveries: [toDelivery()] }] });
      const healed = await workOf(webhook);
      assert.deepEqual([healed.state, healed.attempts, healed.failingSince, healed.retryAt], ['active', 0, null, null]);
      await fail(1, 'gone');
      assert.equal((await workOf(webhook)).state, 'disabled');
      assert.ok(!(await catalog.listWebhookWork({})).some(({ id }) => id === webhook));
      assert.deepEqual(await catalog.moveWebhooks({ moves: [{ webhook, revision, position: 6, deliveries: [] }] }), []);
      await catalog.changeWebhook({ space, id: webhook, state: 'active', ...what });
      assert.ok((await catalog.listWebhookWork({})).some(({ id }) => id === webhook));
      const audit = { since: null, until: null, by: null, entry: webhook, before: null, limit: 10 };
      const { events } = await catalog.listAudit({ space, action: 'webhook.disabled', ...audit });
      assert.deepEqual(JSON.parse(events[0]?.details ?? ''), { reason: 'gone' });
    });

    it('keeps the log within limits of number and age', async () => {
      const app = await newApplication();
      const [kept, gone] = [await catalog.addWebhook(toHook(app)), await catalog.addWebhook(toHook(app))];
      for (let n = 0; n < 5; n += 1)
        await catalog.logDelivery({
          webhook: kept.id,
          // The ids give the order, and those of one millisecond have none.
          delivery: toDelivery({ id: `0199b7c2-8d1e-7000-8000-00000000000${n}`, eventId: `${n}`, at: what.at + n }),
        });
      await catalog.logDelivery({ webhook: gone.id, delivery: toDelivery({ at: what.at + 9 }) });
      const idsOf = async (webhook: string) =>
        (await catalog.listDeliveries({ webhook, before: null, limit: 9 })).map(({ eventId }) => eventId);
      assert.equal(await catalog.trimDeliveries({ webhook: kept.id, keep: 3 }), 2);
      assert.equal(await catalog.trimDeliveries({ webhook: kept.id, keep: 3 }), 0);
      assert.deepEqual(await idsOf(kept.id), ['4', '3', '2']);
      await catalog.removeWebhook({ space: app.space, id: gone.id, ...what });
      while ((await catalog.forgetDeliveries({ before: what.at + 4 })) > 0);
      assert.deepEqual(await idsOf(kept.id), ['4']);
      assert.deepEqual(await idsOf(gone.id), []);
    });

    it('knows whether a change was beneath a folder then, wherever its folders are now', async () => {
      const app = await newApplication();
      const { space } = app;
      const folder = async (name: string, parent = app.rootId) =>
        (await catalog.createFolder(folderIn(app, name, { parent }))).folder.id;
      const [left, right] = [await folder('left'), await folder('right')];
      const inner = await folder('inner', left);
      const { file } = await catalog.saveFile(fileIn(app, 'a', { folder: inner }));
      const moved = {
        space,
        precondition: null,
        objectType: null,
        properties: null,
        name: null,
        conflict: 'Fail',
      } as const;
      await catalog.changeEntry({ ...moved, id: inner, parent: right, ...what });
      await catalog.saveFile(fileIn(app, 'b', { folder: inner }));
      await catalog.trashEntry({ space, id: right, precondition: null, ...what });
      await catalog.removeEntry({ space, id: right, precondition: null, ...what });
      for (const tree of await catalog.findHiddenTrees({})) {
        if (tree.space === space) while (!(await catalog.purgeSlice({ ...tree, ...what })).isDone);
      }
      assert.equal(await catalog.findEntry({ space, id: file.id }), null);
      const { changes } = await catalog.listSpaceJournal({ space, after: 0, limit: 100 });
      const beneath = async (root: string) => {
        const tree = changes.filter(({ action }) => /^(file|folder|entry)\./.test(action));
        const placed = await catalog.placeChanges({ space, changes: tree, folders: [left, right] });
        return tree.filter((_, index) => placed[index]?.includes(root)).map(({ action }) => action);
      };
      assert.deepEqual(await beneath(left), ['folder.created', 'folder.created', 'file.created', 'entry.changed']);
      assert.deepEqual(await beneath(right), [
        ...['folder.created', 'entry.changed', 'file.created'],
        ...['entry.trashed', 'entry.removed'],
      ]);
    });

    it('finds the first change of a time', async () => {
      const app = await newApplication();
      const { space } = app;
      const hour = 60 * 60 * 1000;
      for (const [n, at] of [1, 2, 3].map((h) => what.at + h * hour).entries())
        await catalog.saveFile(fileIn(app, `f${n}`, { at }));
      const { changes, upTo } = await catalog.listSpaceJournal({ space, after: 0, limit: 100 });
      const saved = changes.filter(({ action }) => action === 'file.created').map(({ position }) => position);
      const since = (time: number) => catalog.findPositionSince({ space, since: time });
      assert.equal(await since(what.at + 2 * hour), saved[1]);
      assert.equal(await since(what.at + 2 * hour + 1), saved[2]);
      assert.equal(await since(0), changes[0]?.position);
      assert.equal(await since(what.at + 9 * hour), upTo + 1);
    });
  });
}
