// What a catalog keeps as sums must be right whatever happens at once: the sizes of folders, and what a space holds. Waves
// of verbs that run in the same transactions, some of them refused, then everything is counted anew.

import assert from 'node:assert/strict';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { sized } from '../size.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, fileIn, folderIn, inline, type Registered, what } from './requests.ts';

const verbs = ['save', 'save', 'save', 'folder', 'move', 'copy', 'trash', 'restore', 'remove', 'version'] as const;
const by = { ...what, by: 'app:contract' };

interface Change {
  verb: (typeof verbs)[number];
  /** Which of the entries that are known so far. */
  of: number;
  to: number;
  name: string;
  bytes: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  verb: fc.constantFrom(...verbs),
  of: fc.nat(1000),
  to: fc.nat(1000),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  bytes: fc.nat(50),
});

export function testSums(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} keeps exact sums`, () => {
    let under: CatalogUnderTest;
    before(async () => {
      under = await open();
    });
    after(() => under.close());

    it('of folders and of spaces under concurrent changes', async () => {
      let count = 0;
      const waves = fc.array(fc.array(change, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 });
      const property = fc.asyncProperty(waves, async (sequence) => {
        count += 1;
        const application = await addApplication(under.catalog, `sums-${count}`);
        const known = { folders: [application.rootId], entries: [] as string[] };
        for (const wave of sequence) {
          await Promise.all(wave.map((one) => ignoreRefusal(() => run(under.catalog, application, known, one))));
          await countAnew(under.catalog, application, application.rootId, async () => 0);
        }
        await emptyAll(under.catalog, application);
        await checkUsage(under.catalog, application);
      });
      await fc.assert(property, { numRuns: sized(12, 60) });
    });
  });
}

async function ignoreRefusal(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

interface Known {
  folders: string[];
  entries: string[];
}

async function run(catalog: Catalog, application: Registered, known: Known, one: Change): Promise<void> {
  const { space } = application;
  const folder = known.folders[one.to % known.folders.length] as string;
  const id = known.entries[one.of % Math.max(1, known.entries.length)] ?? randomUUIDv7();
  const content = inline(randomBytes(one.bytes));
  const rename = { parent: folder, name: null, conflict: 'Rename' } as const;
  if (one.verb === 'save') {
    known.entries.push((await catalog.saveFile(fileIn(application, one.name, { folder, content }))).file.id);
  } else if (one.verb === 'folder') {
    const made = await catalog.createFolder(folderIn(application, one.name, { parent: folder, conflict: 'Rename' }));
    known.folders.push(made.folder.id);
    known.entries.push(made.folder.id);
  } else if (one.verb === 'move') {
    const same = { properties: null, objectType: null };
    await catalog.changeEntry({ space, id, ...rename, ...same, ...by });
  } else if (one.verb === 'copy') await copy(catalog, { space, id, ...rename, ...by });
  else if (one.verb === 'trash') await catalog.trashEntry({ space, id, ...by });
  else if (one.verb === 'restore') await catalog.restoreEntry({ space, id, ...rename, ...by });
  else if (one.verb === 'remove') await catalog.removeEntry({ space, id, ...by });
  else await catalog.restoreVersion({ space, file: id, version: 1, keptVersions: 2, ...by });
}

async function copy(catalog: Catalog, wanted: Parameters<Catalog['beginCopy']>[0]): Promise<void> {
  const begun = await catalog.beginCopy(wanted);
  if (begun === null || 'details' in begun) return;
  let { stack } = begun;
  while (stack.length > 0) stack = await catalog.continueCopy({ copy: wanted, top: begun.top, stack, at: what.at });
  await catalog.finishCopy({ copy: wanted, top: begun.top });
}

interface Counted {
  bytes: number;
  entries: number;
  versionBytes: number;
}

/** Walks the tree and compares each folder's size with what is beneath it. */
async function countAnew(
  catalog: Catalog,
  { space }: Pick<Registered, 'space'>,
  id: string,
  countBytes: typeof countVersions,
): Promise<Counted> {
  const page = await catalog.listFolder({ space, folder: id, limit: 1000 });
  assert.ok(page !== null && page.next === null);
  const sum = { bytes: 0, entries: 0, versionBytes: 0 };
  for (const child of page.children) {
    const below =
      child.kind === 'folder'
        ? await countAnew(catalog, { space }, child.id, countBytes)
        : { bytes: child.sizeBytes, entries: 0, versionBytes: await countBytes(catalog, space, child.id) };
    sum.bytes += below.bytes;
    sum.entries += below.entries + 1;
    sum.versionBytes += below.versionBytes;
  }
  assert.equal(page.folder.sizeBytes, sum.bytes, `the size of ${page.folder.name}`);
  return sum;
}

async function countVersions(catalog: Catalog, space: number, file: string): Promise<number> {
  const page = await catalog.listVersions({ space, file, below: null, limit: 1000 });
  return (page?.versions ?? []).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

async function emptyAll(catalog: Catalog, { space }: Registered): Promise<void> {
  while ((await catalog.emptyTrash({ space, before: Number.MAX_SAFE_INTEGER, ...what })) > 0);
  for (let tops = await catalog.findHiddenTrees({}); tops.length > 0; tops = await catalog.findHiddenTrees({})) {
    for (const tree of tops) {
      while (!(await catalog.purgeSlice({ ...tree, at: what.at, request: what.request })).isDone);
    }
  }
}

async function checkUsage(catalog: Catalog, application: Registered): Promise<void> {
  const counted = await countAnew(catalog, application, application.rootId, countVersions);
  for (const actor of ['', 'app:contract']) {
    const { entries, bytes } = await catalog.findUsage({ space: application.space, actor });
    assert.deepEqual(
      { entries, bytes },
      { entries: counted.entries, bytes: counted.versionBytes },
      `usage of ${actor}`,
    );
  }
}
