// `cabinet restore DIR`: verifies a backup and restores it into an empty data folder. With `--check` it only verifies. Exit code 1 if
// anything is wrong.

import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../../config/config.ts';
import { requireEmbedded } from '../../maintenance/backing-up.ts';
import {
  type CheckedBackup,
  checkBackup,
  fillRestoring,
  findUnfinished,
  finishRestore,
  requireEmpty,
} from '../../maintenance/backup/restore.ts';
import { type ShownRestore, toRestoreReport } from '../../maintenance/maintenance-report.ts';
import { FolderInUse, lockFolder } from '../../runtime/folder-lock.ts';
import { print } from '../output.ts';
import { ProgressLine } from './progress-line.ts';
import { toProblemLines } from './verify.ts';

interface RestoreOptions {
  check?: boolean;
  acceptDamage?: boolean;
  json?: boolean;
}

export function registerRestore(program: Command): void {
  program
    .command('restore <dir>')
    .description('take a backup back into an empty data folder, after everything in it was verified')
    .option('--check', 'only verify the backup')
    .option('--accept-damage', 'restore although something in the backup is damaged; it is told what')
    .option('--json', 'print JSON')
    .action((dir: string, options: RestoreOptions) => print(options, () => run(resolve(dir), options), toLines));
}

async function run(directory: string, options: RestoreOptions): Promise<ShownRestore> {
  const line = new ProgressLine();
  const onProgress = (step: Parameters<ProgressLine['show']>[0]) => line.show(step);
  try {
    if (options.check !== true) return await restore(directory, options, onProgress);
    return judge(directory, await checkBackup(directory, { onProgress }), false);
  } finally {
    line.end();
  }
}

type ShowProgress = (step: Parameters<ProgressLine['show']>[0]) => void;

async function restore(
  directory: string,
  { acceptDamage }: RestoreOptions,
  onProgress: ShowProgress,
): Promise<ShownRestore> {
  const config = readConfig();
  requireEmbedded(config);
  requireLocal(config);
  const { dataFolder } = config;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockOrExplain(dataFolder);
  try {
    const unfinished = await findUnfinished(dataFolder);
    if (unfinished !== 'complete') await requireEmpty(dataFolder);
    const checked = await checkBackup(directory, { onProgress });
    if (checked.problems.length > 0 && acceptDamage !== true) return judge(directory, checked, false);
    if (unfinished !== 'complete') await fillRestoring(directory, checked, { dataFolder, onProgress });
    await finishRestore(dataFolder);
    return judge(directory, checked, true);
  } finally {
    lock.release();
  }
}

function requireLocal({ blobs }: Config): void {
  if (blobs.kind === 'file') return;
  throw new Error(
    'A backup is restored to the disk: set CABINET_BLOBS=file:, restore, and move large contents to S3 with cabinet migrate --blobs s3://….',
  );
}

function lockOrExplain(dataFolder: string) {
  try {
    return lockFolder(dataFolder, 'cabinet restore');
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new Error(`${error.message} A backup is restored into an empty folder that no service uses (CABINET_DATA).`);
  }
}

function judge(directory: string, checked: CheckedBackup, isRestored: boolean): ShownRestore {
  if (checked.problems.length > 0) process.exitCode = 1;
  return toRestoreReport(directory, checked, isRestored);
}

function toLines({ Restored, MadeAt, Environments, Problems }: ShownRestore): string[] {
  const found = Environments.map(({ Name, Entries, Versions, Contents, Bytes }) => {
    const mib = (Bytes / 1024 / 1024).toFixed(1);
    return `${Name}: ${Entries} entries, ${Versions} versions, ${Contents} contents (${mib} MiB)`;
  });
  const verdict = Restored
    ? 'It is restored. Start the service.'
    : Problems.length === 0
      ? 'The backup is whole.'
      : 'The backup is damaged; nothing was restored. With --accept-damage the rest of it is.';
  return [`A backup of ${MadeAt}`, ...found, ...Problems.flatMap(toProblemLines), verdict];
}
