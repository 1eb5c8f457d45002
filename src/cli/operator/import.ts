// `cabinet import DIR`: imports a directory, and lists what it skipped. Exit code 1 if anything was skipped. Run again, it resumes.

import { realpathSync } from 'node:fs';
import type { Command } from 'commander';
import { print, toPrintable } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { type CommonOptions, common } from './app.ts';
import { runCommand } from './run-command.ts';

interface ImportOptions extends CommonOptions {
  app?: string;
  space?: string;
  into?: string;
}

interface Counts {
  Folders: number;
  Files: number;
  Bytes: number;
  Unchanged: number;
  SkippedCount: number;
}

interface Report extends Counts {
  Skipped: { Path: string; Problem: string }[];
  Stopped?: string;
}

export function registerImport(program: Command): void {
  common(program.command('import <dir>').description('import a directory of files'))
    .option('--app <app>', 'as this application, by AppKey or name, into its space')
    .option('--space <name>', 'as the operator, into this space')
    .option('--into <path>', 'the target folder; created if it is missing', '/')
    .action(importDirectory);
}

async function importDirectory(dir: string, options: ImportOptions): Promise<void> {
  const { json: _, ...input } = options;
  const abort = new AbortController();
  // Once: the second Ctrl-C ends the process.
  process.once('SIGINT', () => abort.abort());
  const isShown = process.stderr.isTTY === true;
  const progress = (step: object) => {
    if (isShown) process.stderr.write(`\r\x1b[K${toCountsLine(step as Counts)}`);
  };
  await print(
    options,
    async () => {
      const command = { name: 'import', input: { ...input, directory: toReal(dir) } };
      const report = (await runCommand(command, { progress, signal: abort.signal })) as Report;
      if (isShown) process.stderr.write('\r\x1b[K');
      if (report.SkippedCount > 0 || report.Stopped !== undefined) process.exitCode = 1;
      return report;
    },
    toLines,
  );
}

function toReal(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    throw new Error(`There is no directory ${JSON.stringify(dir)}.`);
  }
}

function toLines(report: Report): string[] {
  const { Skipped, SkippedCount, Stopped } = report;
  const skipped = Skipped.map(({ Path, Problem }) => `skipped ${toPrintable(Path)}: ${Problem}`);
  if (SkippedCount > Skipped.length) skipped.push(`… and ${SkippedCount - Skipped.length} more`);
  const stopped = Stopped === undefined ? [] : [`Stopped: ${Stopped} Run it again to go on.`];
  return [...skipped, ...stopped, toCountsLine(report)];
}

function toCountsLine({ Folders, Files, Bytes, Unchanged, SkippedCount }: Counts): string {
  return `${toCount(Folders, 'folder')} created, ${toCount(Files, 'file')} (${toSize(Bytes)}) imported, ${Unchanged} unchanged, ${SkippedCount} skipped`;
}
