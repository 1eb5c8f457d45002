// Starred and recent entries (docs/contract.md §18.4). The suite has applications only; people are in `test/security`.

import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { makeFolder, saveFile, signIn } from './client.ts';
import { ask } from './managing.ts';

const main = await signIn('Main');

test('They belong to people: an application has none, and its saves are recent for nobody', async () => {
  const { Id } = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: Id, FileName: 'a' }, 'a');
  for (const [method, path] of [
    ['GET', '/me/starred'],
    ['PUT', `/me/starred/${File.Id}`],
    ['DELETE', `/me/starred/${File.Id}`],
    ['PUT', '/me/starred/none'],
    ['GET', '/me/recent'],
  ] as const) {
    assertRefusal(await ask(main, method, path), 403, 'Forbidden');
  }
});
