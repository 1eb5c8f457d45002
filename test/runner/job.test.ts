// How test files run: several in one process, and errors that nothing handles.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { joinTestFiles } from './groups.ts';
import { type Job, root, runJob, toTestFile } from './job.ts';

const folder = mkdtempSync(join(tmpdir(), 'cabinet-job-'));
after(() => rmSync(folder, { recursive: true }));

/** A test file with this source, as a job. */
function toJob(name: string, source: string): Job {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, `import { test } from 'node:test';\n${source}`);
  // Node sets this for the files of `node --test`: they report to it instead of to us.
  return { ...toTestFile('units', relative(root, path)), environment: { NODE_TEST_CONTEXT: undefined } };
}

test('files of one process all run, however late the last one declares its tests', async () => {
  const quick = toJob('quick', `test('is done at once', () => {});`);
  const late = toJob('late', `await new Promise((resolve) => setImmediate(resolve)); test('comes late', () => {});`);
  const [joined] = joinTestFiles([quick, late], 2);
  const { isPassed, report } = await runJob(
    { ...(joined as Job), environment: { NODE_TEST_CONTEXT: undefined } },
    folder,
  );
  assert.deepEqual([isPassed, report?.passed], [true, 2]);
});

test('hooks of a file apply to its own tests, and a file that does not load fails alone', async () => {
  const hooks = toJob(
    'hooks',
    `import { before, beforeEach } from 'node:test';
    before(() => { globalThis.before = 1; }); beforeEach(() => { globalThis.each = (globalThis.each ?? 0) + 1; });
    test('one', () => { if (globalThis.before !== 1) throw new Error(); }); test('two', () => {});`,
  );
  const broken = toJob('broken', `throw new Error('does not load');`);
  const other = toJob('other', `test('other', () => { if (globalThis.each !== 2) throw new Error(); });`);
  const [joined] = joinTestFiles([hooks, broken, other], 3);
  const { isPassed, report, output } = await runJob(
    { ...(joined as Job), environment: { NODE_TEST_CONTEXT: undefined } },
    folder,
  );
  assert.deepEqual([isPassed, report?.passed, report?.failed], [false, 3, 1]);
  assert.match(output, /does not load/);
});

test('a rejection that nothing handles fails the file', async () => {
  const job = toJob('rejects', `test('rejects', async () => { Promise.reject(new Error('unhandled')); await null; });`);
  const { isPassed, ending, output } = await runJob(job, folder);
  assert.deepEqual([isPassed, ending], [false, 'exit code 1']);
  assert.match(output, /unhandled/);
});

test('an exception after the end of its test fails the file', async () => {
  const job = toJob('throws', `test('throws', () => { setImmediate(() => { throw new Error('uncaught'); }); });`);
  assert.equal((await runJob(job, folder)).isPassed, false);
});
