// Resumable uploads as tests: whoever has lost the turn writes nothing, and the save and the end of an upload are one, on every
// engine.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { newBlobId } from '../../src/blobs/blobs.ts';
import type { BeginUpload, Upload } from '../../src/catalog/verbs/uploads.ts';
import { Fault } from '../../src/domain/fault.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, asBlob, fileIn, type Registered } from './requests.ts';

const hourMs = 60 * 60 * 1000;
const owner = { appKey: 'ak_uploads', actor: 'app:uploads' };

export function testUploads(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} stores uploads`, () => {
    let under: CatalogUnderTest;
    let application: Registered;
    before(async () => {
      under = await open();
      application = await addApplication(under.catalog, 'uploads');
    });
    after(() => under.close());

    async function begin(more: Partial<BeginUpload> = {}): Promise<Upload> {
      const id = randomBytes(16).toString('hex');
      const expiresAt = Date.now() + hourMs;
      const plain = { protocol: 'tus', kind: 'whole', request: '{}', lengthBytes: 100, blob: newBlobId() } as const;
      await under.catalog.beginUpload({ id, ...owner, ...plain, space: null, expiresAt, ...more });
      return await find(id);
    }

    async function find(id: string): Promise<Upload> {
      const found = await under.catalog.findUpload({ id, ...owner });
      assert.ok(found);
      return found;
    }

    const take = (upload: Upload, more = {}) =>
      under.catalog.takeTurn({
        id: upload.id,
        turn: upload.turn,
        isBusy: true,
        isLast: false,
        lengthBytes: 100,
        ...more,
      });
    const keep = (upload: Upload, turn: number, sizeBytes: number) =>
      under.catalog.keepUpload({ ...upload, turn, sizeBytes, grown: 'note', isBusy: false });

    it('shows their progress to their owner only', async () => {
      const upload = await begin({ lengthBytes: null });
      assert.deepEqual(
        [upload.sizeBytes, upload.lengthBytes, upload.turn, upload.isBusy, upload.isLast, upload.result],
        [0, null, 0, false, false, null],
      );
      const turn = await take(upload, { isLast: true, lengthBytes: 2 ** 42 });
      assert.equal(turn, 1);
      assert.deepEqual(
        [(await find(upload.id)).isBusy, (await find(upload.id)).isLast, (await find(upload.id)).lengthBytes],
        [true, true, 2 ** 42],
      );
      assert.equal(await keep({ ...upload, lengthBytes: 2 ** 42 }, 1, 2 ** 41), true);
      const kept = await find(upload.id);
      assert.deepEqual([kept.sizeBytes, kept.grown, kept.isBusy], [2 ** 41, 'note', false]);
      const { id } = upload;
      assert.equal(await under.catalog.findUpload({ id, appKey: owner.appKey, actor: 'another' }), null);
      assert.equal(await under.catalog.findUpload({ id, appKey: 'ak_another', actor: owner.actor }), null);
    });

    it('allow only the latest turn to write', async () => {
      const upload = await begin();
      const turns = await Promise.all(Array.from({ length: 8 }, () => take(upload)));
      assert.deepEqual(
        turns.filter((turn) => turn !== null),
        [1],
        'one of those who saw the same turn',
      );
      const second = await take({ ...upload, turn: 1 });
      assert.equal(second, 2);
      assert.equal(await keep(upload, 1, 50), false);
      assert.equal((await find(upload.id)).sizeBytes, 0);
      assert.equal(await keep(upload, 2, 60), true);
      assert.equal((await find(upload.id)).sizeBytes, 60);
    });

    it('are finished together with the save of their file, or neither is', async () => {
      const upload = await begin();
      const turn = (await take(upload)) as number;
      const content = { ...asBlob(randomBytes(100)), blob: upload.blob as string };
      const save = (asTurn: number) =>
        under.catalog.saveFile(fileIn(application, upload.id, { content, upload: { id: upload.id, turn: asTurn } }));
      await assert.rejects(save(turn - 1), (error) => error instanceof Fault && /taken over/.test(error.message));
      const listed = await under.catalog.listFolder({
        space: application.space,
        folder: application.rootId,
        limit: 100,
      });
      assert.ok(listed?.children.every((child) => child.name !== upload.id));
      const saved = await save(turn);
      const settled = await find(upload.id);
      assert.deepEqual([settled.result, settled.blob, saved.isBlobUsed], [saved.file.id, null, true]);
      await assert.rejects(save(turn), Fault, 'once');
      assert.equal(await take(settled), null);
      assert.equal(await keep(upload, turn, 1), false);
    });

    it('protect their blobs from the sweeper until they are dropped or expire', async () => {
      const dropped = await begin();
      const expired = await begin({ expiresAt: Date.now() - 1 });
      const live = await begin();
      const blobs = [dropped, expired, live].map(({ blob }) => blob as string);
      const findUnwanted = () => under.catalog.findUnreferencedBlobs({ blobs });
      assert.deepEqual(await findUnwanted(), []);
      assert.deepEqual(await under.catalog.dropUpload({ id: dropped.id }), { blob: blobs[0], sizeBytes: 0, grown: '' });
      assert.equal(await under.catalog.dropUpload({ id: dropped.id }), null);
      const { count, left } = await under.catalog.expireUploads({ at: Date.now() });
      assert.deepEqual([count, left], [1, [{ blob: blobs[1], sizeBytes: 0, grown: '' }]]);
      assert.deepEqual((await findUnwanted()).sort(), blobs.slice(0, 2).sort());
      assert.equal((await under.catalog.expireUploads({ at: Date.now() })).count, 0);
    });

    it('are used up as parts by the final upload', async () => {
      const parts = [await begin({ kind: 'part' }), await begin({ kind: 'part' })];
      await under.catalog.spendUploads({ ids: parts.map(({ id }) => id), final: 'f' });
      for (const { id } of parts) {
        const spent = await find(id);
        assert.deepEqual([spent.result, spent.blob], ['f', null]);
      }
    });

    it('are refused when an owner has a thousand unfinished ones', async () => {
      const many = { appKey: 'ak_many', actor: 'app:many' };
      const one = () => begin({ ...many }).catch((error: Error) => error);
      const first = await Promise.all(Array.from({ length: 1000 }, one));
      assert.equal(
        first.filter((each) => each instanceof Error && 'code' in each && each.code === 'TooManyUploads').length,
        0,
      );
      const next = await one();
      assert.equal((next as { code?: string }).code, 'TooManyUploads');
    });
  });
}
