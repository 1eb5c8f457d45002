// Runs the interface suite: `npm run test:interface -- [--production URL --test URL --applications FILE] [FILTER…]`.
// Without addresses it starts the service on a temporary folder, registers the applications and stops it at the end.
// FILE holds what `cabinet app add … --json` printed, plus each Name (Disabled, with a Token, may be left out):
//   {"Main": {"Name","AppKey","Secret","Space","RootFolderId"}, "Neighbour", "Reader", "Stranger", "Administrator", "Tester", "Solo", "Disabled"}
// Main, Neighbour and Reader share a space; Reader has content.read alone; Stranger and Solo each have their own space and the
// default scopes; Administrator has its own space and all scopes; Tester is of the test environment; Disabled was given a Token and then disabled.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';
import { fetchToken } from './client.ts';
import { fetchDescription, readChecked } from './description.ts';
import type { Application, Applications, Target } from './target.ts';

const CABINET = join(import.meta.dirname, '../../bin/cabinet');
const READY_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 120_000;
/** For what hangs, not for what is slow. */
const TEST_TIMEOUT_MS = 240_000;
const PARALLEL_FILES = 4;

/** Resolves to the exit code: 0 when every test passed and, if the suite started the service, that stopped cleanly. */
export async function runInterfaceSuite(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { production: { type: 'string' }, test: { type: 'string' }, applications: { type: 'string' } },
  });
  const { production, test, applications } = values;
  if (production === undefined && test === undefined && applications === undefined) return runOnOwnService(positionals);
  if (production === undefined || test === undefined || applications === undefined) {
    console.error('--production, --test and --applications are given together or not at all');
    return 2;
  }
  const known = JSON.parse(readFileSync(applications, 'utf8')) as Applications;
  return runTests({ Production: production, Test: test, Applications: known }, positionals);
}

async function runOnOwnService(filters: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-interface-'));
  // Several HTTP threads, where there can be: whatever is said of the service must hold whichever of them answers.
  const threads = process.env.CABINET_CATALOG?.startsWith('postgres') ? '1' : '2';
  const own = { CABINET_DATA: join(folder, 'data'), CABINET_ALLOW_ANY_DISK: 'yes', CABINET_HTTP_THREADS: threads };
  const environment = { ...process.env, ...own, ...PORTS };
  const log = join(folder, 'service.log');
  const service = spawn(CABINET, ['serve', '--json'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  service.stderr.pipe(createWriteStream(log));
  const stopWithUs = (): void => void service.kill('SIGTERM');
  process.on('SIGINT', stopWithUs).on('SIGTERM', stopWithUs);
  let code = 1;
  try {
    const addresses = await readAddresses(service);
    code = await runTests({ ...addresses, Applications: await register(addresses, environment) }, filters);
  } catch (error) {
    console.error(error);
  }
  if (!(await stop(service))) code = 1;
  if (code === 0) rmSync(folder, { recursive: true });
  else console.error(`The service's folder and log are kept: ${log}`);
  return code;
}

const PORTS = { CABINET_PORT: '0', CABINET_TEST_PORT: '0', CABINET_MTLS_PORT: '0' };

async function readAddresses(service: ChildProcess): Promise<{ Production: string; Test: string }> {
  assert.ok(service.stdout);
  const lines = createInterface({ input: service.stdout });
  const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
  const [line] = (await Promise.race([once(lines, 'line', { signal }), once(service, 'exit', { signal })])) as [
    unknown,
  ];
  if (typeof line !== 'string') throw new Error('the service stopped before it was ready');
  return JSON.parse(line) as { Production: string; Test: string };
}

async function register(
  addresses: { Production: string; Test: string },
  environment: NodeJS.ProcessEnv,
): Promise<Applications> {
  async function cabinet(...words: string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(CABINET, [...words, '--json'], { env: environment });
    return JSON.parse(stdout);
  }
  async function add(name: string, ...options: string[]): Promise<Application> {
    const printed = await cabinet('app', 'add', name, ...options);
    return { Name: name, ...(printed as Omit<Application, 'Name'>) };
  }
  const production = ['--env', 'production'];
  const shared = [...production, '--space', 'interface-shared'];
  const Main = await add('interface-main', ...shared, '--scopes', 'content.read content.write');
  const [Neighbour, Reader, Stranger, Administrator, Tester, Solo, Disabled] = await Promise.all([
    add('interface-neighbour', ...shared, '--scopes', 'content.read content.write'),
    add('interface-reader', ...shared, '--scopes', 'content.read'),
    add('interface-stranger', ...production),
    add('interface-administrator', ...production, '--scopes', 'content.read content.write content.admin'),
    add('interface-tester', '--env', 'test'),
    add('interface-solo', ...production),
    add('interface-disabled', ...production),
  ]);
  const Token = await fetchToken(addresses.Production, Disabled);
  await cabinet('app', 'disable', Disabled.AppKey);
  return { Main, Neighbour, Reader, Stranger, Administrator, Tester, Solo, Disabled: { ...Disabled, Token } };
}

async function runTests(target: Target, filters: string[]): Promise<number> {
  const files = globSync('*.test.ts', { cwd: import.meta.dirname }).filter(
    (file) => filters.length === 0 || filters.some((filter) => file.includes(filter)),
  );
  const limits = [`--test-concurrency=${PARALLEL_FILES}`, `--test-timeout=${TEST_TIMEOUT_MS}`];
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-described-'));
  const described = join(folder, 'checked');
  writeFileSync(described, '');
  const tests = spawn(process.execPath, ['--test', ...limits, ...files], {
    cwd: import.meta.dirname,
    env: { ...process.env, CABINET_TARGET: JSON.stringify(target), CABINET_DESCRIBED: described },
    stdio: 'inherit',
  });
  const [code] = (await once(tests, 'exit')) as [number | null];
  const isChecked = await tellChecked(target, described, filters.length === 0);
  rmSync(folder, { recursive: true });
  return isChecked ? (code ?? 1) : 1;
}

/** False: not one answer was held to the description, or the whole suite never asked for an operation that is described. */
async function tellChecked({ Production }: Target, path: string, isWhole: boolean): Promise<boolean> {
  const { checked, covered } = readChecked(path);
  const { operations } = await fetchDescription(Production);
  const missed = operations.filter((operation) => !covered.has(operation));
  console.log(`${checked} answers are as the description says, of ${covered.size} of ${operations.length} operations`);
  if (missed.length > 0) console.log(`never asked for: ${missed.join(', ')}`);
  return checked > 0 && covered.size > 0 && !(isWhole && missed.length > 0);
}

/** SIGTERM must end the service by itself, with exit code 0. */
async function stop(service: ChildProcess): Promise<boolean> {
  if (service.exitCode === null && service.signalCode === null) {
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    const killer = setTimeout(() => service.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(killer);
  }
  if (service.exitCode === 0) return true;
  console.error(`The service ended with ${service.signalCode ?? service.exitCode}, not with 0.`);
  return false;
}

if (import.meta.main) process.exitCode = await runInterfaceSuite(process.argv.slice(2));
