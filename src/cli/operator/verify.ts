// `cabinet verify`: reads everything and reports damage, with or without a running service. Exit code 1 if there is any. It changes
// nothing.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { environmentNames } from '../../domain/environment-name.ts';
import { verifyAll } from '../../maintenance/maintenance.ts';
import { type ShownProblem, type ShownVerify, toVerifyReport } from '../../maintenance/maintenance-report.ts';
import { lockFolder } from '../../runtime/folder-lock.ts';
import { print, toPrintable } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { ProgressLine, toProgressStep } from './progress-line.ts';
import { askOrRun } from './run-command.ts';

interface VerifyOptions {
  env?: string;
  json?: boolean;
}

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description('check all stored data; exit code 1 if anything is wrong')
    .option('--env <environment>', 'production or test; both by default')
    .option('--json', 'print JSON')
    .action((options: VerifyOptions) => print(options, () => run(options), toLines));
}

async function run({ env }: VerifyOptions): Promise<ShownVerify> {
  const names = environmentNames.filter((name) => env === undefined || name === env);
  if (names.length === 0) throw new Error(`--env: there is no environment ${JSON.stringify(env)}.`);
  const config = readConfig();
  const line = new ProgressLine();
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const observer = { progress: (step: object) => line.show(toProgressStep(step)), signal: abort.signal };
  try {
    const command = { name: 'verify', input: env === undefined ? {} : { env } };
    const report = await askOrRun({ config, command, observer }, () => verifyOffline(line, abort.signal, names));
    if (!report.Verified) process.exitCode = 1;
    return report;
  } finally {
    line.end();
  }
}

async function verifyOffline(
  line: ProgressLine,
  signal: AbortSignal,
  names: readonly (typeof environmentNames)[number][],
): Promise<ShownVerify> {
  const storage = readConfig();
  if (!existsSync(storage.dataFolder)) throw new Error(`There is no data folder ${storage.dataFolder}.`);
  const lock = lockFolder(storage.dataFolder, 'cabinet verify');
  try {
    const observer = { progress: (step: Parameters<ProgressLine['show']>[0]) => line.show(step), signal };
    return toVerifyReport(await verifyAll({ storage, observer: observer }, names));
  } finally {
    lock.release();
  }
}

function toLines({ Verified, Environments }: ShownVerify): string[] {
  const parts = Environments.flatMap((environment) => {
    const { Name, Entries, Versions, Contents, Bytes, JournalRows, Strangers, ProblemCount, Problems } = environment;
    const more = ProblemCount > Problems.length ? [`… and ${ProblemCount - Problems.length} more`] : [];
    return [
      `${Name}: ${toCount(Entries, 'entry')}, ${toCount(Versions, 'version')}, ${toCount(Contents, 'content')} (${toSize(Bytes)}), ${toCount(JournalRows, 'journal row')}`,
      ...(Strangers > 0 ? [`  ${Strangers} blobs have no record; the sweeper removes them after a day`] : []),
      ...Problems.flatMap(toProblemLines),
      ...more,
    ];
  });
  return [...parts, Verified ? 'No damage was found.' : 'Damage was found; it is listed above.'];
}

export function toProblemLines({ What, Problem, Entries }: ShownProblem): string[] {
  const affected = Entries.map(
    ({ Path, Version, Id }) => `    affects: ${toPrintable(Path)}, version ${Version} (${Id})`,
  );
  return [`  ${What}: ${Problem}`, ...affected];
}
