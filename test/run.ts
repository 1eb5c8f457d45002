// `npm test`: everything, in the order in which a failure is cheapest to understand. All parts run even if one fails.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const node = process.execPath;
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

const parts: { name: string; command: string[] }[] = [
  { name: 'types', command: [bin('tsc')] },
  { name: 'lint and format', command: [bin('biome'), 'check'] },
  { name: 'units and contracts', command: [node, '--test', 'src/**/*.test.ts', 'bench/*.test.ts', 'test/*.test.ts'] },
  { name: 'the interface, black box', command: [node, 'test/interface/run.ts'] },
  { name: 'against a model', command: [node, 'test/model/run.ts'] },
  { name: 'security', command: [node, 'test/security/run.ts'] },
  { name: 'in a browser', command: [node, '--test', 'test/browser/*.test.ts'] },
  // One at a time: they measure memory, count descriptors and kill what they started.
  { name: 'the service as a process', command: [node, '--test', '--test-concurrency=1', 'test/service/*.test.ts'] },
  { name: 'on PostgreSQL and S3, many nodes', command: [node, 'test/cluster/run.ts'] },
];

const failed = parts.filter(({ name, command: [program, ...words] }) => {
  process.stdout.write(`\n== ${name}\n`);
  return spawnSync(program as string, words, { cwd: root, stdio: 'inherit' }).status !== 0;
});

process.stdout.write(`\n${parts.length - failed.length} passed, ${failed.length} failed\n`);
if (failed.length > 0) process.stdout.write(`failed: ${failed.map(({ name }) => name).join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
