// `npm run test:browser`: everything that wants a real browser. `--pictures` also makes the screenshots of docs/images anew.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { root, toTestCommand } from '../runner/job.ts';

const [option, ...files] = process.argv.slice(2);
const isPictured = option === '--pictures';
const given = isPictured ? files : [option, ...files].filter((one) => one !== undefined);
const paths = given.length > 0 ? given : globSync('test/browser/*.test.ts', { cwd: root }).toSorted();
const env = { ...process.env, ...(isPictured && { PICTURES: 'docs/images' }) };
for (const path of paths) {
  const [program = '', ...words] = toTestCommand([path]);
  const { status } = spawnSync(program, words, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}
