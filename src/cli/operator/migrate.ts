// `cabinet migrate --to … --blobs …`: moves everything to another storage and compares every record. Exit code 1 if anything differs or
// is unfinished. Run again, it resumes.

import { mkdirSync } from 'node:fs';
import type { Command } from 'commander';
import { CatalogInUse } from '../../catalog/table-store.ts';
import { type Config, readConfig, readConfigWith } from '../../config/config.ts';
import { ConfigMistakes } from '../../config/config-mistakes.ts';
import { type EnvironmentName, environmentNames } from '../../domain/environment-name.ts';
import { MigrationError } from '../../maintenance/migrate/side.ts';
import { describeBlobs, describeRecords, migrateEnvironment } from '../../maintenance/migration.ts';
import { FolderInUse, type FolderLock, lockFile, lockFolder } from '../../runtime/folder-lock.ts';
import { print } from '../output.ts';
import { type EnvironmentReport, type Report, toLines, toReport } from './migrate-report.ts';
import { ProgressLine } from './progress-line.ts';

interface MigrateOptions {
  to?: string;
  blobs?: string;
  env: string;
  contentsOnly?: boolean;
  verify: string;
  json?: boolean;
}

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('move everything to another storage engine')
    .option('--to <catalog>', 'the new place of records: postgres://… or sqlite:')
    .option('--blobs <blobs>', 'the new place of large contents: s3://bucket… or file:')
    .option('--env <environment>', 'production, test or both', 'both')
    .option(
      '--contents-only',
      'copy only large contents; the service may run meanwhile, and needs only a short stop for the rest',
    )
    .option('--verify <how>', 'full, or quick: compare only the sizes of large contents', 'full')
    .option('--json', 'print JSON')
    .action((options: MigrateOptions) => print(options, () => run(options), toLines));
}

async function run(options: MigrateOptions): Promise<Report> {
  const names = options.env === 'both' ? environmentNames : environmentNames.filter((name) => name === options.env);
  if (names.length === 0) throw new Error(`--env: there is no environment ${JSON.stringify(options.env)}.`);
  if (options.verify !== 'full' && options.verify !== 'quick') throw new Error('--verify is full or quick.');
  const [from, to] = [readConfig(), readTarget(options)];
  const locks = lock(from, options.contentsOnly === true);
  try {
    const environments: EnvironmentReport[] = [];
    for (const name of names) {
      const report = await move(from, to, name, options);
      if (report !== null) environments.push(report);
    }
    if (environments.length === 0)
      throw new Error(`There is nothing in ${describeRecords(from, names[0] as EnvironmentName)}.`);
    return judge(environments, options);
  } finally {
    locks.release();
  }
}

function judge(environments: EnvironmentReport[], { contentsOnly }: MigrateOptions): Report {
  const isFinished = environments.every(({ Finished }) => Finished);
  const problems = environments.flatMap(({ Differences, Journal }) => [...Differences, ...(Journal?.Problems ?? [])]);
  if (problems.length > 0 || (!isFinished && contentsOnly !== true)) process.exitCode = 1;
  return { Finished: isFinished, Environments: environments };
}

function readTarget({ to, blobs }: MigrateOptions): Config {
  if (to === undefined && blobs === undefined) {
    throw new Error('Say where to: --to postgres://… (or sqlite:), --blobs s3://… (or file:), or both.');
  }
  try {
    return readConfigWith({
      ...(to !== undefined && { CABINET_CATALOG: to }),
      ...(blobs !== undefined && { CABINET_BLOBS: blobs }),
    });
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error;
    const toOptionNames = (mistake: string) =>
      mistake.replace(/^CABINET_CATALOG(?=:)/, '--to').replace(/^CABINET_BLOBS(?=:)/, '--blobs');
    throw new Error(error.mistakes.map(toOptionNames).join('\n'));
  }
}

/** No service may use what is moved. Large contents never change, so they can be copied while a service runs, but by one process. */
function lock({ dataFolder }: Config, isContentsOnly: boolean): FolderLock {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const alone = lockOr(dataFolder, 'migrate.db', 'Another cabinet migrate is at work here.');
  if (isContentsOnly) return alone;
  const stop = `A service uses ${dataFolder}: stop it first. Large contents can be copied while it runs, with --contents-only.`;
  try {
    const folder = lockOr(dataFolder, 'lock.db', stop);
    return {
      release() {
        folder.release();
        alone.release();
      },
    };
  } catch (error) {
    alone.release();
    throw error;
  }
}

function lockOr(folder: string, file: string, problem: string): FolderLock {
  try {
    return file === 'lock.db' ? lockFolder(folder, 'cabinet migrate') : lockFile(folder, file);
  } catch (error) {
    throw error instanceof FolderInUse ? new Error(problem) : error;
  }
}

async function move(
  from: Config,
  to: Config,
  name: EnvironmentName,
  options: MigrateOptions,
): Promise<EnvironmentReport | null> {
  const line = new ProgressLine(name);
  try {
    const report = await migrateEnvironment(from, to, name, {
      isContentsOnly: options.contentsOnly === true,
      verify: options.verify === 'quick' ? 'quick' : 'full',
      onProgress: (progress) => line.show(progress),
    });
    const toPlaces = (config: Config) => ({
      Records: describeRecords(config, name),
      Contents: describeBlobs(config, name),
    });
    return report === null ? null : toReport(name, { From: toPlaces(from), To: toPlaces(to) }, report);
  } catch (error) {
    const isOurs = error instanceof MigrationError || error instanceof CatalogInUse;
    throw isOurs ? error : new Error(`${name}: ${(error as Error).message}. Run it again to go on.`, { cause: error });
  } finally {
    line.end();
  }
}
