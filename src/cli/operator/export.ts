// `cabinet export DIR`: writes the current versions as plain files with their names and times, and a line of JSON for each entry. Exit
// code 1 if anything was skipped.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { print, toPrintable } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { type CommonOptions, common } from './app.ts';
import { runCommand } from './run-command.ts';

interface Counts {
  Folders: number;
  Files: number;
  Bytes: number;
  SkippedCount: number;
}

interface Report extends Counts {
  Directory: string;
  Skipped: { Path: string; Problem: string }[];
}

export function registerExport(program: Command): void {
  common(program.command('export <dir>').description('export everything as plain files'))
    .option('--space <name>', 'only this space')
    .action((dir: string, options: CommonOptions & { space?: string }) =>
      print(options, () => run(resolve(dir), options), toLines),
    );
}

async function run(directory: string, { json: _, ...input }: CommonOptions & { space?: string }): Promise<Report> {
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const isShown = process.stderr.isTTY === true;
  const progress = (step: object) => {
    if (isShown) process.stderr.write(`\r\x1b[K${toCountsLine(step as Counts)}`);
  };
  const command = { name: 'export', input: { ...input, directory } };
  const report = (await runCommand(command, { progress, signal: abort.signal })) as Report;
  if (isShown) process.stderr.write('\r\x1b[K');
  if (report.SkippedCount > 0) process.exitCode = 1;
  return report;
}

function toLines(report: Report): string[] {
  const skipped = report.Skipped.map(({ Path, Problem }) => `skipped ${toPrintable(Path)}: ${Problem}`);
  return [...skipped, `${toCountsLine(report)}, in ${report.Directory}`];
}

function toCountsLine({ Folders, Files, Bytes, SkippedCount }: Counts): string {
  return `${toCount(Folders, 'folder')}, ${toCount(Files, 'file')} (${toSize(Bytes)}), ${SkippedCount} skipped`;
}
