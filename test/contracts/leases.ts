// Leases of blobs as tests: either the record or the sweeper gets a blob, on every engine.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { StoredContent } from '../../src/catalog/verbs/stored-content.ts';
import { Fault } from '../../src/domain/fault.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, asBlob, fileIn, type Registered, refuses, what } from './requests.ts';

const hourMs = 60 * 60 * 1000;

type Leased = StoredContent & { blob: string };

export function testLeases(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} leases blobs`, () => {
    let under: CatalogUnderTest;
    let application: Registered;
    before(async () => {
      under = await open();
      application = await addApplication(under.catalog, 'leases');
    });
    after(() => under.close());

    const newContent = (): Leased => ({ ...(asBlob(randomBytes(100)) as Leased), isLeased: true });
    const lease = (content: Leased, until = Date.now() + hourMs) =>
      under.catalog.leaseBlob({ blob: content.blob, until });
    const save = (file: string, content: StoredContent, more = {}) =>
      under.catalog.saveFile(fileIn(application, file, { content, ...more }));
    /** Of these, the ones that the sweeper would remove. */
    const findUnwanted = (...contents: Leased[]) =>
      under.catalog.findUnreferencedBlobs({ blobs: contents.map(({ blob }) => blob) });
    const isOver = (error: unknown) => error instanceof Fault && error.kind === 'other' && /lease/.test(error.message);

    it('protects blobs from the sweeper until a record points to them, and no longer', async () => {
      const content = newContent();
      assert.deepEqual(await findUnwanted(content), [content.blob]);
      await lease(content);
      assert.deepEqual(await findUnwanted(content), []);
      assert.equal((await save('kept', content)).isBlobUsed, true);
      assert.deepEqual(await findUnwanted(content), []);
      // The lease is gone with the commit: nothing is left to be renewed.
      assert.deepEqual(await under.catalog.renewLeases({ blobs: [content.blob], until: Date.now() }), [content.blob]);
    });

    it('refuses a record whose lease has ended, and keeps nothing of it', async () => {
      const content = newContent();
      await assert.rejects(save('late', content), isOver);
      const listed = await under.catalog.listFolder({
        space: application.space,
        folder: application.rootId,
        limit: 100,
      });
      assert.ok(listed?.children.every((child) => child.name !== 'late'));
      assert.deepEqual(await findUnwanted(content), [content.blob]);
      // Another one in the same moment is not held up by it.
      const other = newContent();
      await lease(other);
      const [late, inTime] = await Promise.allSettled([save('late', content), save('in time', other)]);
      assert.deepEqual([late?.status, inTime?.status], ['rejected', 'fulfilled']);
    });

    it('does not use up the lease if the bytes exist already', async () => {
      const [first, twin] = [newContent(), newContent()];
      twin.sha256 = first.sha256;
      for (const content of [first, twin]) await lease(content);
      await save('first', first);
      assert.equal((await save('twin', twin)).isBlobUsed, false);
      assert.deepEqual(await findUnwanted(twin), []);
      await under.catalog.endLease({ blob: twin.blob });
      await under.catalog.endLease({ blob: twin.blob });
      assert.deepEqual(await findUnwanted(twin), [twin.blob]);
    });

    it('keeps a lease when the save is refused', async () => {
      const content = newContent();
      await lease(content);
      await save('taken', newBytes());
      await assert.rejects(save('taken', content, { conflict: 'Fail' }), refuses('NameAlreadyExists'));
      assert.deepEqual(await findUnwanted(content), []);
      assert.equal((await save('taken', content)).isBlobUsed, true);
    });

    it('ends expired leases, and none that was renewed', async () => {
      const now = Date.now();
      const [over, renewed] = [newContent(), newContent()];
      for (const content of [over, renewed]) await lease(content, now - 1);
      assert.deepEqual(await under.catalog.renewLeases({ blobs: [renewed.blob], until: now + hourMs }), []);
      while ((await under.catalog.expireLeases({ at: now })) > 0);
      assert.deepEqual(await findUnwanted(over, renewed), [over.blob]);
      await assert.rejects(save('over', over), isOver);
      assert.equal((await save('renewed', renewed)).isBlobUsed, true);
    });

    it('lets either the record or the sweeper win, even concurrently', async () => {
      for (let round = 0; round < 20; round += 1) {
        const content = newContent();
        await lease(content, 0);
        const saving = () => save(`race ${round}`, content);
        const sweeping = () => under.catalog.expireLeases({ at: 1 });
        const works = round % 2 === 0 ? [saving, sweeping] : [sweeping, saving];
        const ends = await Promise.allSettled(works.map((work) => work()));
        const isSaved = ends.every(({ status }) => status === 'fulfilled');
        assert.deepEqual(await findUnwanted(content), isSaved ? [] : [content.blob]);
      }
    });

    it('uses the lease of a blob that replaces a lost one', async () => {
      const [lost, good, late] = [newContent(), newContent(), newContent()];
      for (const content of [good, late]) content.sha256 = lost.sha256;
      await lease(lost);
      const { file, version } = await save('mended', lost);
      await assert.rejects(under.catalog.replaceBlob({ lost: lost.blob, content: late }), isOver);
      const kept = await under.catalog.findBlob({
        space: application.space,
        file: file.id,
        version,
        sha256: lost.sha256,
      });
      assert.equal(kept?.blob, lost.blob);
      await lease(good);
      assert.equal(await under.catalog.replaceBlob({ lost: lost.blob, content: good }), true);
      assert.deepEqual(await findUnwanted(lost, good), [lost.blob]);
      assert.deepEqual(await under.catalog.renewLeases({ blobs: [good.blob], until: what.at }), [good.blob]);
    });
  });
}

function newBytes(): StoredContent {
  return { ...asBlob(randomBytes(10)), bytes: randomBytes(10), blob: null, checksums: null };
}
