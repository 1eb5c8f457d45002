// Previews (docs/contract.md §18.9). Those of office documents need a converter, which the service may not have:
// `test/service/office-previews.test.ts` configures one.

import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { call, makeFolder, saveFile, signIn } from './client.ts';

const main = await signIn('Main');
const folder = await makeFolder(main);

const ask = (id: string) => call(main, `/files/${id}/preview`);

test('A file that is no office document has no preview', async () => {
  const headers = { FolderId: folder.Id, FileName: 'a.txt', 'Content-Type': 'text/plain' };
  const { File } = await saveFile(main, headers, 'text');
  assertRefusal(await ask(File.Id), 404, 'NoPreview');
});

test('Neither a folder nor an unknown file has a preview', async () => {
  assertRefusal(await ask(folder.Id), 404, 'FileNotFound');
  assertRefusal(await ask(crypto.randomUUID()), 404, 'FileNotFound');
});
