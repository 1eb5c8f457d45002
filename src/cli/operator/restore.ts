// `cabinet restore DIR`: verifies a backup and restores it into an empty data folder. With `--check` it only verifies. Exit code 1 if
// anything is wrong.

import type { KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
import { readKeyFile, requireKeyFile, signatureKeyName } from '../../maintenance/backup/signature.ts';
import { type ShownRestore, toRestoreReport } from '../../maintenance/maintenance-report.ts';
import { FolderInUse, lockFolder } from '../../runtime/folder-lock.ts';
import { print } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { ProgressLine } from './progress-line.ts';
import { toProblemLines } from './verify.ts';

interface RestoreOptions {
  check?: boolean;
  acceptDamage?: boolean;
  keyFile?: string;
  json?: boolean;
}

export function registerRestore(program: Command): void {
  program
    .command('restore <dir>')
    .description('verify a backup and restore it into an empty data folder')
    .option('--check', 'only verify the backup')
    .option('--key-file <file>', 'the key (PEM, private or public) that must have signed the backup')
    .option('--accept-damage', 'restore what is not damaged, and report the rest')
    .option('--json', 'print JSON')
    .action((dir: string, options: RestoreOptions) =>
      print(
        options,
        () => run(resolve(dir), options),
        (shown) => toLines(shown, options),
      ),
    );
}

async function run(directory: string, options: RestoreOptions): Promise<ShownRestore> {
  const line = new ProgressLine();
  const onProgress = (step: Parameters<ProgressLine['show']>[0]) => line.show(step);
  try {
    if (options.check !== true) return await restore(directory, options, onProgress);
    const key = await findKey(options);
    return judge(directory, await checkBackup(directory, { onProgress, key }), false);
  } finally {
    line.end();
  }
}

type ShowProgress = (step: Parameters<ProgressLine['show']>[0]) => void;

async function restore(directory: string, options: RestoreOptions, onProgress: ShowProgress): Promise<ShownRestore> {
  const config = readConfig();
  requireEmbedded(config);
  requireLocal(config);
  const { dataFolder } = config;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockOrExplain(dataFolder);
  try {
    const unfinished = await findUnfinished(dataFolder);
    if (unfinished !== 'complete') await requireEmpty(dataFolder);
    const checked = await checkBackup(directory, { onProgress, key: await findKey(options) });
    if (checked.problems.length > 0 && options.acceptDamage !== true) return judge(directory, checked, false);
    if (unfinished !== 'complete') await fillRestoring(directory, checked, { dataFolder, onProgress });
    await finishRestore(dataFolder);
    return judge(directory, checked, true);
  } finally {
    lock.release();
  }
}

/** The one that is named, or the one in the data folder. */
async function findKey({ keyFile }: RestoreOptions): Promise<KeyObject | null> {
  if (keyFile !== undefined) return await requireKeyFile(resolve(keyFile));
  return await readKeyFile(join(readConfig().dataFolder, signatureKeyName));
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

const signatures = {
  valid: ({ SignedBy }: ShownRestore) => `Its manifest is signed with the key ${SignedBy}, which was checked.`,
  unchecked: ({ SignedBy }: ShownRestore) =>
    `Its manifest is signed with the key ${SignedBy}, which was not checked: whoever could write to the backup could have changed anything in it and signed it again. Compare the key with what cabinet backup printed, or name it with --key-file.`,
  missing: () =>
    'Its manifest is not signed: whoever could write to the backup could have changed anything in it, records and contents, and nothing would show it. Restore it only if nobody else could.',
};

function toDamaged(isCheck: boolean): string {
  if (isCheck)
    return 'The backup is damaged. To restore what is not damaged, use cabinet restore with --accept-damage.';
  return 'The backup is damaged; nothing was restored. To restore what is not damaged, add --accept-damage.';
}

function toLines(shown: ShownRestore, { check }: RestoreOptions): string[] {
  const { Restored, MadeAt, Signature, Environments, Problems } = shown;
  const found = Environments.map(({ Name, Entries, Versions, Contents, Bytes }) => {
    return `${Name}: ${toCount(Entries, 'entry')}, ${toCount(Versions, 'version')}, ${toCount(Contents, 'content')} (${toSize(Bytes)})`;
  });
  const verdict = Restored
    ? 'It is restored. Start the service.'
    : Problems.length === 0
      ? 'The backup is complete and undamaged.'
      : toDamaged(check === true);
  const lines = [`A backup of ${MadeAt}`, signatures[Signature](shown), ...found];
  return [...lines, ...Problems.flatMap(toProblemLines), verdict];
}
