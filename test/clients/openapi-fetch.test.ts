// The client that openapi-typescript and openapi-fetch make of the description: it compiles, and does the main operations. The
// clients of other generators are in `generated-clients.ts` (npm run test:long).

import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { checkClient, openWorld, programs, root, run } from './world.ts';

const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext'];

test('the client of openapi-typescript and openapi-fetch saves, reads, lists and archives', async (t) => {
  await using world = await openWorld();
  const { folder } = world;
  writeFileSync(join(folder, 'api.d.ts'), await generateTypes(join(folder, 'openapi.json')));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(join(programs, 'openapi-fetch/main.ts'), join(folder, 'main.ts'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const words = [...options, '--types', 'node', '--lib', 'esnext,dom,dom.iterable', 'main.ts'];
  await run([process.execPath, join(root, 'node_modules/.bin/tsc'), ...words], { cwd: folder });
  t.diagnostic(await checkClient(world, [process.execPath, 'main.ts'], { cwd: folder, folderName: 'openapi-fetch' }));
});

/** It stands in the package of this folder, with the TypeScript that it needs. */
async function generateTypes(description: string): Promise<string> {
  const { default: generate, astToString } = createRequire(import.meta.url)('openapi-typescript');
  return astToString(await generate(pathToFileURL(description)));
}
