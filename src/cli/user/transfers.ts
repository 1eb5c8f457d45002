// What put, get and sync have in common: how many at a time, what was done, what was not, and how far it is.

import { Interrupted, LocalProblem, WrongUse } from './exit-codes.ts';
import { toReadable } from './local-files.ts';
import { type Failure, type PersonOptions, type Running, toFailure } from './perform.ts';
import { inParallel } from './pool.ts';
import { Progress } from './progress.ts';

export interface TransferOptions extends PersonOptions {
  parallel: string;
  quiet?: boolean;
  verbose?: boolean;
}

export interface Transfers extends Running {
  width: number;
  progress: Progress;
  failed: Failure[];
  errors: unknown[];
}

export interface Tallied {
  Files: number;
  Folders: number;
  Bytes: number;
  Unchanged: number;
  Failed: Failure[];
}

const mostParallel = 64;

export function openTransfers(running: Running, options: TransferOptions, verb: string): Transfers {
  const width = Number(options.parallel);
  if (!Number.isInteger(width) || width < 1 || width > mostParallel) {
    throw new WrongUse(`--parallel ${options.parallel}: use a number from 1 to ${mostParallel}.`);
  }
  return { ...running, width, progress: new Progress(verb, options.quiet === true), failed: [], errors: [] };
}

/** Runs all, some at a time. One that fails is noted and the others go on; being interrupted, or losing the service, ends all. */
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
      if (isEndOfAll(error)) throw error;
      for (const path of toPaths(item)) fail(transfers, path, error);
    }
  });
}

export function fail({ failed, errors }: Pick<Transfers, 'failed' | 'errors'>, path: string, error: unknown): void {
  const readable = toReadable(error);
  errors.push(readable);
  failed.push(toFailure(path, readable));
}

const endsAll = new Set([
  'Unreachable',
  'TokenRefused',
  'TokenInvalid',
  'QuotaExceeded',
  'StorageFull',
  'ENOSPC',
  'AppKeyUnknown',
]);

function isEndOfAll(error: unknown): boolean {
  return error instanceof Interrupted || endsAll.has((error as { code?: string }).code ?? '');
}

/** One that was asked for and failed is the command's own failure. */
export function throwOnlyFailure({ errors, failed }: Transfers, did: number): void {
  if (did === 0 && errors.length === 1 && failed.length === 1) throw errors[0];
}

export function notAFolderHere(path: string): LocalProblem {
  return new LocalProblem('NotAFolder', `${path} is not a folder here.`);
}
