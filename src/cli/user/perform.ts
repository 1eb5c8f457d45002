// How a command for people runs: signed in, breakable by Ctrl-C, told as lines or as one JSON object, ended with an exit code.

import { CabinetError } from '@cabinet/client';
import type { Command, CommanderError } from 'commander';
import { toPrintable } from '../output.ts';
import { exitCodes, Interrupted, LocalProblem, NotSignedIn, WrongUse } from './exit-codes.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

export interface PersonOptions extends SessionOptions {
  json?: boolean;
}

export interface Running extends Session {
  /** Aborted by Ctrl-C; the second time ends the process at once. */
  signal: AbortSignal;
}

/** What could not be done, of several things. */
export interface Failure {
  Path: string;
  Code: string;
  Message: string;
}

/** A command of its own, with what all of them take. */
export function personCommand(program: Command, usage: string, description: string): Command {
  return program
    .command(usage)
    .description(description)
    .option('--profile <name>', 'which sign-in to use (cabinet profiles)')
    .option('--space <name>', 'which space, for people who are in several')
    .option('--json', 'print JSON')
    .exitOverride(endOnWrongUse);
}

/** Help is no mistake. */
export function endOnWrongUse(error: CommanderError): never {
  if (error.exitCode !== 0) error.exitCode = exitCodes.wrongUse;
  throw error;
}

export interface Performed<Result> {
  run: (running: Running) => Promise<Result>;
  toLines: (result: Result) => string[];
}

/** Runs a command that needs a sign-in. A result with `Failed` in it that is not empty ends with the code for "in part". */
export async function perform<Result extends object | null>(
  options: PersonOptions,
  { run, toLines }: Performed<Result>,
): Promise<void> {
  await performUnsigned(options, {
    run: async (signal) => run({ ...(await openSession(options, signal)), signal }),
    toLines,
  });
}

export interface PerformedUnsigned<Result> {
  run: (signal: AbortSignal) => Promise<Result>;
  toLines: (result: Result) => string[];
}

export async function performUnsigned<Result extends object | null>(
  { json }: PersonOptions,
  { run, toLines }: PerformedUnsigned<Result>,
): Promise<void> {
  const interruption = listenForInterruption();
  try {
    const result = await run(interruption.signal);
    // It has said all that there is to say.
    if (result === null) return;
    const lines = json ? [JSON.stringify(result)] : toLines(result);
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
    if (((result as { Failed?: Failure[] }).Failed ?? []).length > 0) process.exitCode = exitCodes.inPart;
  } catch (error) {
    tellError(error, json === true);
  } finally {
    interruption.close();
  }
}

function listenForInterruption(): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const stop = () => controller.abort(new Interrupted());
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  const close = () => {
    for (const signal of signals) process.removeListener(signal, stop);
  };
  return { signal: controller.signal, close };
}

export function tellError(error: unknown, isJson: boolean): void {
  process.exitCode = toExitCode(error);
  const { message, code, hint, target, trackingId } = toTold(error);
  if (isJson) {
    const told = { Code: code, Message: message, Target: target, Hint: hint, RequestTrackingId: trackingId };
    process.stdout.write(`${JSON.stringify({ Error: told })}\n`);
    return;
  }
  const more = hint === undefined || error instanceof CabinetError ? [] : [hint];
  process.stderr.write(`cabinet: ${[message, ...more].map(toPrintable).join('\n')}\n`);
}

interface Told {
  message: string;
  code: string;
  hint?: string | undefined;
  target?: string | undefined;
  trackingId?: string | undefined;
}

/** The service's hints speak of headers and fields; they are for programs. */
function toTold(error: unknown): Told {
  if (error instanceof CabinetError) return error;
  const { message, code, name } = error as NodeJS.ErrnoException;
  return { message: message ?? String(error), code: code ?? name ?? 'Failed' };
}

export function toFailure(path: string, error: unknown): Failure {
  const { message, code } = toTold(error);
  return { Path: path, Code: code, Message: message };
}

export function toExitCode(error: unknown): number {
  if (error instanceof WrongUse) return exitCodes.wrongUse;
  if (error instanceof NotSignedIn) return exitCodes.notSignedIn;
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof LocalProblem) return error.code === 'NotFound' ? exitCodes.notFound : exitCodes.failed;
  if (!(error instanceof CabinetError)) return exitCodes.failed;
  if (error.code === 'Unreachable') return exitCodes.unreachable;
  if (error.code === 'TokenRefused' || error.status === 401) return exitCodes.notSignedIn;
  if (error.status === 404) return exitCodes.notFound;
  return error.status === 403 ? exitCodes.notAllowed : exitCodes.failed;
}

/** Where nothing was done but one thing that failed, the command failed as that did. */
export function settle<Result extends { Failed: Failure[] }>(result: Result, did: number, errors: unknown[]): Result {
  if (did === 0 && errors.length === 1) throw errors[0];
  return result;
}

export function toFailedLines(failed: readonly Failure[]): string[] {
  return failed.map(({ Path, Message }) => `not done: ${toPrintable(Path)}: ${toPrintable(Message)}`);
}
