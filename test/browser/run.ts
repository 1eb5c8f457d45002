// `npm run test:browser`: everything that wants a real browser. `--pictures` also makes the screenshots of docs/images anew. As in
// `npm test`, hooks of a file run one after the other, which `node --test` does not do for those of a whole file.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const [option, ...files] = process.argv.slice(2);
const isPictured = option === '--pictures';
const given = isPictured ? files : [option, ...files].filter((one) => one !== undefined);
const paths = given.length > 0 ? given : globSync('test/browser/*.test.ts', { cwd: root }).toSorted();
const env = { ...process.env, ...(isPictured && { PICTURES: 'docs/images' }) };
for (const path of paths) {
  const words = ['--test-force-exit', join(root, 'test/runner/files.js'), path];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}
