// What put, get and sync share: parallelism, totals, failures and progress.

import type { Command } from 'commander';
import { collect } from '../repeated-option.ts';
import { Bandwidth, toRate, withBandwidth } from './bandwidth.ts';
import { Interrupted, LocalError, UsageError } from './exit-codes.ts';
import { Filter } from './filter.ts';
import { toReadable } from './local-files.ts';
import { type CommandContext, type Failure, type PersonOptions, toFailure } from './perform.ts';
import { inParallel } from './pool.ts';
import { Progress } from './progress.ts';

export interface TransferOptions extends PersonOptions {
  parallel: string;
  quiet?: boolean;
  include?: string[];
  exclude?: string[];
  bwlimit?: string;
  verbose?: boolean;
}

export interface Transfers extends CommandContext {
  width: number;
  filter: Filter;
  progress: Progress;
  failed: Failure[];
  errors: unknown[];
}

export interface TransferTotals {
  Files: number;
  Folders: number;
  Bytes: number;
  Unchanged: number;
  Failed: Failure[];
}

const maxParallel = 64;

/** The options that put, get and sync have. */
export function withTransferOptions(command: Command): Command {
  return command
    .option('--include <pattern>', 'in folders, transfer only these files, such as "*.pdf"; may be repeated', collect)
    .option('--exclude <pattern>', 'in folders, leave out these files and folders; may be repeated', collect)
    .option('--bwlimit <rate>', 'the maximum of bytes per second in all, such as 500k or 10M')
    .option('--parallel <number>', 'how many files to transfer at a time', '16')
    .option('-q, --quiet', 'show no progress')
    .option('-v, --verbose', 'print a line for each file');
}

export function openTransfers(context: CommandContext, options: TransferOptions, verb: string): Transfers {
  const width = Number(options.parallel);
  if (!Number.isInteger(width) || width < 1 || width > maxParallel) {
    throw new UsageError(`--parallel ${options.parallel}: use a number from 1 to ${maxParallel}.`);
  }
  const { bwlimit } = options;
  const cabinet =
    bwlimit === undefined ? context.cabinet : withBandwidth(context.cabinet, new Bandwidth(toRate(bwlimit)));
  const progress = new Progress(verb, options.quiet === true);
  return { ...context, cabinet, width, filter: new Filter(options), progress, failed: [], errors: [] };
}

/** Runs all items, some in parallel. A failed item is recorded and the others continue; an interrupt or a fatal error stops all. */
export async function transferAll<Item>(
  transfers: Transfers,
  items: Iterable<Item>,
  { toPaths, work }: { toPaths: (item: Item) => string[]; work: (item: Item) => Promise<void> },
): Promise<void> {
  const { signal, width } = transfers;
  await inParallel(items, width, async (item) => {
    signal.throwIfAborted();
    try {
      await work(item);
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      for (const path of toPaths(item)) fail(transfers, path, error);
    }
  });
}

export function fail({ failed, errors }: Pick<Transfers, 'failed' | 'errors'>, path: string, error: unknown): void {
  const readable = toReadable(error);
  errors.push(readable);
  failed.push(toFailure(path, readable));
}

const fatalCodes = new Set([
  'Unreachable',
  'TokenRefused',
  'TokenInvalid',
  'QuotaExceeded',
  'StorageFull',
  'ENOSPC',
  'AppKeyUnknown',
]);

function isFatal(error: unknown): boolean {
  return error instanceof Interrupted || fatalCodes.has((error as { code?: string }).code ?? '');
}

/** If the only item failed, the command fails with its error. */
export function throwIfOnlyFailure({ errors, failed }: Transfers, did: number): void {
  if (did === 0 && errors.length === 1 && failed.length === 1) throw errors[0];
}

export function notALocalFolder(path: string): LocalError {
  return new LocalError('NotAFolder', `${path} is not a folder on this machine.`);
}
