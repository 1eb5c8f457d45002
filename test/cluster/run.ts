// `npm run test:cluster`: the service on PostgreSQL and S3. Both are started once; then the whole interface suite runs against one
// service on them, the tests of many nodes, the tests of the engines, and a short run of the faults. Where S3 cannot be had, PostgreSQL
// runs with contents on the disk, and that is said loudly.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { newStores, startGround, toText } from './ground.ts';

const root = join(import.meta.dirname, '../..');
const faultSeconds = 40;
/** For what hangs, not for what is slow. */
const testTimeoutMs = 600_000;

interface Part {
  name: string;
  words: string[];
  environment?: Record<string, string>;
}

async function run({ name, words, environment }: Part): Promise<boolean> {
  process.stdout.write(`\n== ${name}\n`);
  const child = spawn(process.execPath, words, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

const begun = performance.now();
const ground = await startGround();
if (ground.s3 === null) console.error('SKIPPED: S3; large contents are kept on the disk, and nodes do not share them');
const parts: Part[] = [
  {
    name: 'the interface on PostgreSQL and S3',
    words: ['test/interface/run.ts'],
    environment: { ...(await newStores(ground)) },
  },
  {
    // One at a time: each starts several nodes, and some measure how soon they are told.
    name: 'many nodes, and the engines',
    words: ['--test', '--test-concurrency=1', `--test-timeout=${testTimeoutMs}`, 'test/cluster/*.test.ts'],
    environment: { CLUSTER_GROUND: toText(ground) },
  },
  { name: 'faults', words: ['test/cluster/faults.ts', '--seconds', String(faultSeconds)] },
];
const failed: string[] = [];
for (const part of parts) if (!(await run(part))) failed.push(part.name);
await ground.stop();
const seconds = Math.round((performance.now() - begun) / 1000);
process.stdout.write(`\n${parts.length - failed.length} of ${parts.length} parts passed in ${seconds} s\n`);
if (failed.length > 0) process.stdout.write(`failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
