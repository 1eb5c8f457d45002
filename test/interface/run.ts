// Runs the interface suite: `npm run test:interface -- [--production URL --test URL --applications FILE] [FILTER…]`.
// Without addresses it starts the service on a temporary folder, registers the applications and stops it at the end.
// FILE holds what `cabinet app add … --json` printed, plus each Name (Disabled, with a Token, may be left out):
//   {"Main": {"Name","AppKey","Secret","Space","RootFolderId"}, "Neighbour", "Reader", "Stranger", "Administrator", "Tester", "Solo", "Disabled"}
// Main, Neighbour and Reader share a space; Reader has content.read alone; Stranger and Solo each have their own space and the
// default scopes; Administrator has its own space and all scopes; Tester is of the test environment; Disabled was given a Token and then disabled.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findUndescribed, openTarget } from './own-target.ts';
import type { Applications, Target } from './target.ts';

/** For what hangs, not for what is slow. */
const testTimeoutMs = 240_000;
const filesAtOnce = 4;

/** Resolves to the exit code: 0 when every test passed and, if the suite started the service, that stopped cleanly. */
async function main(args: string[]): Promise<number> {
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
  return runOn({ Production: production, Test: test, Applications: known }, positionals);
}

async function runOnOwnService(filters: string[]): Promise<number> {
  const { environment, close } = await openTarget({});
  const code = await runFiles(filters, environment);
  return judge(code, await close({ isWhole: filters.length === 0 }));
}

async function runOn(target: Target, filters: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-described-'));
  const described = join(folder, 'described');
  writeFileSync(described, '');
  const code = await runFiles(filters, { CABINET_TARGET: JSON.stringify(target), CABINET_DESCRIBED: described });
  const problems = await findUndescribed(target, described, filters.length === 0);
  rmSync(folder, { recursive: true });
  return judge(code, problems);
}

function judge(code: number, problems: readonly string[]): number {
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? code : 1;
}

async function runFiles(filters: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const files = globSync('*.test.ts', { cwd: import.meta.dirname }).filter(
    (file) => filters.length === 0 || filters.some((filter) => file.includes(filter)),
  );
  const limits = [`--test-concurrency=${filesAtOnce}`, `--test-timeout=${testTimeoutMs}`];
  const tests = spawn(process.execPath, ['--test', ...limits, ...files], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
  const [code] = (await once(tests, 'exit')) as [number | null];
  return code ?? 1;
}

process.exitCode = await main(process.argv.slice(2));
