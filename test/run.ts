// `npm test`: everything, in the order in which a failure is cheapest to understand, two parts at a time; what measures has the
// machine to itself. All run even if one fails or hangs; how a failed one ended is told once more at the very end, and how long each took.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const node = process.execPath;
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const toldLines = 80;
/** Several times what the longest part takes: who is not done then hangs. */
const patienceMs = 40 * 60_000;

/** Hundreds of processes load the same sources: kept compiled, a start takes half the work. Its own folder, so that nothing is left over. */
const compiled = mkdtempSync(join(tmpdir(), 'cabinet-compiled-'));
/** Whatever the machine has, the same is tested: one HTTP thread, but where a suite says more. */
const environment = { ...process.env, NODE_COMPILE_CACHE: compiled, CABINET_HTTP_THREADS: '1' };

interface Part {
  name: string;
  command: string[];
}

interface Ended {
  name: string;
  isPassed: boolean;
  seconds: number;
  lines: string[];
}

/** Before everything that starts the service, which would build it each for itself. */
const first: Part[] = [{ name: 'the console is built', command: [node, 'src/console/build.ts'] }];

const beside: Part[] = [
  { name: 'types', command: [bin('tsc')] },
  { name: 'types of the client', command: [bin('tsc'), '-p', 'sdk'] },
  { name: 'types of the console', command: [bin('tsc'), '-p', 'src/console'] },
  { name: 'lint and format', command: [bin('biome'), 'check'] },
  { name: 'units and contracts', command: [node, '--test', 'src/**/*.test.ts', 'bench/*.test.ts', 'test/*.test.ts'] },
  { name: 'the interface, black box', command: [node, 'test/interface/run.ts'] },
  { name: 'against a model', command: [node, 'test/model/run.ts'] },
  { name: 'security', command: [node, 'test/security/run.ts'] },
  { name: 'the command line', command: [node, '--test', '--test-concurrency=2', 'test/cli/*.test.ts'] },
  { name: 'examples', command: [node, '--test', 'test/examples/*.test.ts'] },
  { name: 'the client', command: [node, '--test', '--test-concurrency=2', 'sdk/test/*.test.ts'] },
  { name: 'the service as a process', command: [node, '--test', '--test-concurrency=1', 'test/service/*.test.ts'] },
  { name: 'crashes, kills and faults', command: [node, 'test/crash/run.ts'] },
  { name: 'on PostgreSQL and S3, many nodes', command: [node, 'test/cluster/run.ts'] },
  { name: 'in a browser', command: [node, 'test/browser/run.ts'] },
  { name: 'uploads that are cut off', command: [node, 'test/resume/run.ts', '--uploads', '60'] },
];

const alone: Part[] = [{ name: 'what a save costs', command: [node, 'bench/main.ts', 'guard'] }];

/** Each part is a group of its own: with it ends everything that it has started. */
const running = new Set<ChildProcess>();

function endGroup({ pid }: { pid?: number | undefined }): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) endGroup(child);
    process.exit(1);
  });
}

async function run({ name, command: [program = '', ...words] }: Part): Promise<Ended> {
  const begun = performance.now();
  process.stdout.write(`\n.. ${name}: begun after ${Math.round(begun / 1000)} s\n`);
  const options = { cwd: root, env: environment, detached: true };
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const patience = setTimeout(() => endGroup(child), patienceMs);
  const told: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => told.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => told.push(chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(patience);
  running.delete(child);
  const text = Buffer.concat(told).toString();
  const seconds = Math.round((performance.now() - begun) / 1000);
  const how = code === 0 ? 'passed' : `FAILED (${signal ?? `exit code ${code}`})`;
  process.stdout.write(`\n== ${name}\n${text}\n-- ${name}: ${how} after ${seconds} s\n`);
  return { name, isPassed: code === 0, seconds, lines: text.trimEnd().split('\n') };
}

/** A lane takes the next part when it is free. */
async function runLanes(parts: Part[], lanes: number): Promise<Ended[]> {
  const waiting = [...parts];
  const ended: Ended[] = [];
  const lane = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) ended.push(await run(part));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return ended;
}

const ended = [...(await runLanes(first, 1)), ...(await runLanes(beside, 2)), ...(await runLanes(alone, 1))];
const failed = ended.filter(({ isPassed }) => !isPassed);
for (const { name, lines } of failed) {
  process.stdout.write(`\n== how "${name}" ended\n${lines.slice(-toldLines).join('\n')}\n`);
}
const total = Math.round(performance.now() / 1000);
process.stdout.write('\nseconds\n');
for (const { name, seconds, isPassed } of ended) {
  process.stdout.write(`${String(seconds).padStart(7)}  ${name}${isPassed ? '' : ' (FAILED)'}\n`);
}
process.stdout.write(`${String(total).padStart(7)}  all of it\n`);
process.stdout.write(`\n${ended.length - failed.length} passed, ${failed.length} failed\n`);
if (failed.length > 0) process.stdout.write(`failed: ${failed.map(({ name }) => name).join(', ')}\n`);
rmSync(compiled, { recursive: true, force: true });
process.exitCode = failed.length === 0 ? 0 : 1;
