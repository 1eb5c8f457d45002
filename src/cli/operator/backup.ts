// `cabinet backup DIR`: backs up everything into a folder, with or without a running service. Exit code 1 if a content was already
// lost; the rest is backed up.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig, readSettings } from '../../config/config.ts';
import { makeBackup, requireEmbedded } from '../../maintenance/backing-up.ts';
import { type ShownBackup, toBackupReport } from '../../maintenance/maintenance-report.ts';
import { lockFolder } from '../../runtime/folder-lock.ts';
import { print } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { ProgressLine, toProgressStep } from './progress-line.ts';
import { askOrRun } from './run-command.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup <dir>')
    .description('back up everything; later backups copy only what is new')
    .option('--key-file <file>', 'sign with this Ed25519 key (PEM) instead of backup-key.pem of the data folder')
    .option('--json', 'print JSON')
    .action((dir: string, options: BackupOptions) => print(options, () => run(resolve(dir), options), toLines));
}

interface BackupOptions {
  keyFile?: string;
  json?: boolean;
}

async function run(directory: string, options: BackupOptions): Promise<ShownBackup> {
  const config = readConfig();
  requireEmbedded(config);
  const { CABINET_CONFIG, CABINET_ISSUERS } = readSettings();
  const configuration = [CABINET_CONFIG, CABINET_ISSUERS].filter((path) => path !== '').map((path) => resolve(path));
  const line = new ProgressLine();
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  try {
    const keyFile = options.keyFile === undefined ? null : resolve(options.keyFile);
    const input = { directory, configuration: configuration.join('\n'), ...(keyFile !== null && { keyFile }) };
    const observer = { progress: (step: object) => line.show(toProgressStep(step)), signal: abort.signal };
    const command = { name: 'backup', input };
    const report = await askOrRun({ config, command, observer }, () =>
      backUpOffline({ directory, configuration, keyFile, line, signal: abort.signal }),
    );
    if (report.Lost.length > 0) process.exitCode = 1;
    return report;
  } finally {
    line.end();
  }
}

interface OfflineBackup {
  directory: string;
  configuration: string[];
  keyFile: string | null;
  line: ProgressLine;
  signal: AbortSignal;
}

async function backUpOffline({ line, signal, ...backup }: OfflineBackup): Promise<ShownBackup> {
  const storage = readConfig();
  if (!existsSync(storage.dataFolder)) throw new Error(`There is no data folder ${storage.dataFolder}.`);
  const lock = lockFolder(storage.dataFolder, 'cabinet backup');
  try {
    const observer = { progress: (step: Parameters<ProgressLine['show']>[0]) => line.show(step), signal };
    const hold = () => async () => undefined;
    return toBackupReport(await makeBackup({ storage, ...backup, hold, observer }));
  } finally {
    lock.release();
  }
}

function toLines({ Directory, Environments, Lost, SignedBy }: ShownBackup): string[] {
  const made = Environments.map(({ Name, Contents, Bytes, Copied }) => {
    return `${Name}: the catalog and ${toCount(Contents, 'large content')} (${toSize(Bytes)}), ${Copied} of them new`;
  });
  const lost = Lost.map(({ Blob, File, Problem }) => `lost: blob ${Blob} of ${JSON.stringify(File)}: ${Problem}`);
  return [
    ...made,
    ...lost,
    `signed with the key ${SignedBy}`,
    `The backup in ${Directory} is complete. To verify it: cabinet restore ${Directory} --check`,
  ];
}
