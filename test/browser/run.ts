// `npm run test:browser`: everything that wants a real browser. `--pictures` also makes the screenshots of docs/images anew.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const [option, ...files] = process.argv.slice(2);
const isPictured = option === '--pictures';
const given = isPictured ? files : [option, ...files].filter((one) => one !== undefined);
const words = ['--test', '--test-force-exit', ...(given.length > 0 ? given : ['test/browser/*.test.ts'])];
const env = { ...process.env, ...(isPictured && { PICTURES: 'docs/images' }) };
process.exitCode = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit', env }).status ?? 1;
