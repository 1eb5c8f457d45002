// `cabinet verify`: reads everything and says what is wrong, beside a service that runs or without one. Exit code 1 when
// anything is. It never changes or removes anything.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { askService } from '../control/ask.ts';
import { environmentNames } from '../domain/environment-name.ts';
import { verifyAll } from '../maintenance/maintenance.ts';
import { type ShownProblem, type ShownVerify, toVerifyReport } from '../maintenance/maintenance-report.ts';
import { lockFolder } from '../runtime/folder-lock.ts';
import { print } from './output.ts';
import { ProgressLine, toTold } from './progress-line.ts';

interface VerifyOptions {
  env?: string;
  json?: boolean;
}

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description('read everything and say what is wrong; exit code 1 if anything is')
    .option('--env <environment>', 'production or test; both by default')
    .option('--json', 'print JSON')
    .action((options: VerifyOptions) => print(options, () => run(options), toLines));
}

async function run({ env }: VerifyOptions): Promise<ShownVerify> {
  const names = environmentNames.filter((name) => env === undefined || name === env);
  if (names.length === 0) throw new Error(`--env: there is no environment ${JSON.stringify(env)}.`);
  const config = readConfig();
  const line = new ProgressLine();
  const broken = new AbortController();
  process.once('SIGINT', () => broken.abort());
  const watcher = { progress: (told: object) => line.show(toTold(told)), signal: broken.signal };
  try {
    const command = { name: 'verify', input: env === undefined ? {} : { env } };
    const asked = (await askService(config, command, watcher)) as ShownVerify | null;
    const report = asked ?? (await verifyHere(line, broken.signal, names));
    if (!report.Verified) process.exitCode = 1;
    return report;
  } finally {
    line.end();
  }
}

async function verifyHere(
  line: ProgressLine,
  signal: AbortSignal,
  names: readonly (typeof environmentNames)[number][],
): Promise<ShownVerify> {
  const places = readConfig();
  if (!existsSync(places.dataFolder)) throw new Error(`There is no data folder ${places.dataFolder}.`);
  const lock = lockFolder(places.dataFolder, 'cabinet verify');
  try {
    const watched = { progress: (told: Parameters<ProgressLine['show']>[0]) => line.show(told), signal };
    return toVerifyReport(await verifyAll({ places, watched }, names));
  } finally {
    lock.release();
  }
}

function toLines({ Verified, Environments }: ShownVerify): string[] {
  const parts = Environments.flatMap((environment) => {
    const { Name, Entries, Versions, Contents, Bytes, JournalRows, Strangers, ProblemCount, Problems } = environment;
    const more = ProblemCount > Problems.length ? [`… and ${ProblemCount - Problems.length} more`] : [];
    const mib = (Bytes / 1024 / 1024).toFixed(1);
    return [
      `${Name}: ${Entries} entries, ${Versions} versions, ${Contents} contents (${mib} MiB), ${JournalRows} rows of the journal`,
      ...(Strangers > 0 ? [`  ${Strangers} blobs have no record; the sweeper removes them after a day`] : []),
      ...Problems.flatMap(toProblemLines),
      ...more,
    ];
  });
  return [...parts, Verified ? 'Everything is what was saved.' : 'Not everything is what was saved.'];
}

export function toProblemLines({ What, Problem, Entries }: ShownProblem): string[] {
  const hurt = Entries.map(({ Path, Version, Id }) => `    hurt: ${toPrintable(Path)}, version ${Version} (${Id})`);
  return [`  ${What}: ${Problem}`, ...hurt];
}

/** A name may hold what a terminal would obey. */
export function toPrintable(path: string): string {
  return path.replaceAll(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
