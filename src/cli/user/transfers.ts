// What put, get and sync share: parallelism, totals, failures and progress.

import { Interrupted, LocalError, UsageError } from './exit-codes.ts';
import { toReadable } from './local-files.ts';
import { type CommandContext, type Failure, type PersonOptions, toFailure } from './perform.ts';
import { inParallel } from './pool.ts';
import { Progress } from './progress.ts';

export interface TransferOptions extends PersonOptions {
  parallel: string;
  quiet?: boolean;
  verbose?: boolean;
}

export interface Transfers extends CommandContext {
  width: number;
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

export function openTransfers(context: CommandContext, options: TransferOptions, verb: string): Transfers {
  const width = Number(options.parallel);
  if (!Number.isInteger(width) || width < 1 || width > maxParallel) {
    throw new UsageError(`--parallel ${options.parallel}: use a number from 1 to ${maxParallel}.`);
  }
  return { ...context, width, progress: new Progress(verb, options.quiet === true), failed: [], errors: [] };
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
  return new LocalError('NotAFolder', `${path} is not a folder here.`);
}
