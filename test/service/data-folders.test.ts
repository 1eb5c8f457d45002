// Data folders of earlier releases open in this one, and opening changes nothing in them.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Entry } from '../interface/assertions.ts';
import { download, fetchToken, listFolder, readFolder, saveFile } from '../interface/client.ts';
import type { Application } from '../interface/target.ts';
import { makeDataFolder, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';

interface Expected {
  Application: Application;
  Folders: string[];
  Entries: Entry[];
  Sha256: Record<string, string>;
}

const kept = join(import.meta.dirname, '..', 'data-folders');
const versions = readdirSync(kept, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test('at least one release left a data folder', () => assert.ok(versions.length > 0));

for (const { name } of versions) {
  test(`a data folder of release ${name} opens completely and accepts saves`, async (context) => {
    const expected = JSON.parse(readFileSync(join(kept, name, 'expected.json'), 'utf8')) as Expected;
    const dataFolder = makeDataFolder();
    cpSync(join(kept, name, 'data'), dataFolder, { recursive: true });
    const service = await startServiceHere(dataFolder);
    context.after(async () => {
      await service.stop();
      removeDataFolder(dataFolder);
    });
    const { Application: application } = expected;
    const caller = { base: service.production, application, token: await fetchToken(service.production, application) };
    const entries = (await Promise.all(expected.Folders.map((id) => listFolder(caller, id)))).flat();
    assert.deepEqual(entries, expected.Entries);
    // Adds keys that earlier releases did not write.
    for (const id of expected.Folders) {
      const inOrder = (await readFolder(caller, id, '?order=natural')).Children;
      const byId = (list: Entry[]) => list.toSorted((a, b) => (a.Id < b.Id ? -1 : 1));
      assert.deepEqual(byId(inOrder), byId(await listFolder(caller, id)));
    }
    for (const [id, sha256] of Object.entries(expected.Sha256))
      assert.equal(hash('sha256', await download(caller, id)), sha256);
    const { Folder } = await saveFile(
      caller,
      { FolderId: expected.Folders[1] as string, FileName: 'a.txt' },
      'third version',
    );
    assert.equal(Folder.Size, 'third version'.length + 100_000);
  });
}
