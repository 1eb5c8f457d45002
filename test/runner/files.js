// Several test files in one process. No test begins before all of them are loaded: with `--test-force-exit` the process would end as
// soon as those that are known are done.

import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const loaded = load(process.argv.slice(2));
test('every file of this process loads', () => loaded);

async function load(paths) {
  for (const path of paths) await import(pathToFileURL(resolve(path)).href);
}
