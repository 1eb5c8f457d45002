// Several test files in one process, each a suite of its own. All of them are loaded before any test begins: with `--test-force-exit`
// the process would end as soon as those that are known are done.

import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const collector = new URL('./collected-tests.js', import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const isCollected = specifier === 'node:test' && context.parentURL !== collector;
    return isCollected ? { url: collector, shortCircuit: true } : next(specifier, context);
  },
});
const { collect, describe, test } = await import(collector);

const files = [];
for (const path of process.argv.slice(2)) files.push({ path, register: await load(path) });
for (const { path, register } of files) describe(path, register);

/** Returns what registers the tests of a file, or one test that fails because the file does not load. */
async function load(path) {
  try {
    return await collect(() => import(pathToFileURL(resolve(path)).href));
  } catch (error) {
    return () => {
      test('the file loads', () => {
        throw error;
      });
    };
  }
}
