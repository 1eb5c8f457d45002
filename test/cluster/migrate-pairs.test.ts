// `cabinet migrate` through all four pairs of storages, one half at a time, until it is where it began.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { cabinetJson } from '../service/here.ts';
import type { Environment } from '../service/service.ts';
import { findGround, newStores } from './ground.ts';
import { dump, getReady, listBlobs, type Ready } from './migrating.ts';
import { journalFilesOf, type Place } from './move.ts';

interface Report {
  Finished: boolean;
  Environments: { Records: object | null; Contents: object | null; Journal: { SealedParts: number | null } | null }[];
}

describe('a migration works between all four pairs of storages', { timeout: 300_000 }, () => {
  let ready: Ready;
  let ground: Awaited<ReturnType<typeof findGround>>;

  before(async () => {
    ready = await getReady();
    ground = await findGround();
  });
  after(async () => {
    await ready?.stop();
    await ground?.stop();
  });

  it('one half at a time, and the data is unchanged', async (context) => {
    if (ground.s3 === null) return context.skip('there is no S3 here');
    const { CABINET_CATALOG: postgres, CABINET_BLOBS: s3 } = await newStores(ground);
    const first = ready.copyOf(ready.sqlite);
    const last = ready.place();
    const migrate = async ({ folder }: Place, words: string[], kept: Environment) => {
      const report = await cabinetJson<Report>(dirname(folder), ['migrate', ...words], kept);
      assert.equal(report.Finished, true);
      const [{ Records, Contents, Journal } = { Records: null, Contents: null, Journal: null }] = report.Environments;
      return [Records !== null, Contents !== null, (Journal?.SealedParts ?? null) !== null];
    };
    const inS3 = { CABINET_BLOBS: s3 };
    const inPostgres = { CABINET_CATALOG: postgres };
    assert.deepEqual(await migrate(first, ['--blobs', s3], {}), [false, true, false]);
    assert.deepEqual(await migrate(first, ['--to', postgres], inS3), [true, false, true]);
    assert.deepEqual(await migrate(last, ['--blobs', 'file:'], { ...inS3, ...inPostgres }), [false, true, true]);
    assert.deepEqual(await migrate(last, ['--to', 'sqlite:'], inPostgres), [true, false, false]);

    assert.deepEqual(dump(last), dump(first));
    assert.deepEqual(await ready.readAll(last), ready.expected);
    assert.deepEqual(await journalFilesOf(last).list(), await journalFilesOf(first).list());
    const blobsOf = (place: Place) => listBlobs(place).map((path) => [basename(path), readFileSync(path, 'base64')]);
    assert.deepEqual(blobsOf(last), blobsOf(first));
  });
});
