// `npm run collections`: writes the collections for Postman and Bruno, from the service's own description. After a route has
// changed; `test/examples/collections.test.ts` says when it was forgotten.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderBruno } from './bruno.ts';
import { renderPostman } from './postman.ts';

/** Each file by its path beneath this folder. */
export function renderCollections(): Map<string, string> {
  const files = new Map([['cabinet.postman_collection.json', renderPostman()]]);
  for (const [path, text] of renderBruno()) files.set(`bruno/${path}`, text);
  return files;
}

if (import.meta.main) {
  rmSync(join(import.meta.dirname, 'bruno'), { recursive: true, force: true });
  for (const [path, text] of renderCollections()) {
    const target = join(import.meta.dirname, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}
