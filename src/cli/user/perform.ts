// Runs a user command: opens the session, handles Ctrl-C, prints lines or one JSON object, and sets the exit code.

import { CabinetError } from '@cabinet/client';
import type { Command, CommanderError } from 'commander';
import { toPrintable } from '../output.ts';
import { exitCodes, Interrupted, LocalError, NotSignedIn, UsageError } from './exit-codes.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

export interface PersonOptions extends SessionOptions {
  json?: boolean;
}

export interface CommandContext extends Session {
  /** Aborted by Ctrl-C; the second time ends the process at once. */
  signal: AbortSignal;
}

/** One of several items that failed. */
export interface Failure {
  Path: string;
  Code: string;
  Message: string;
}

/** A command with the options that all of them have. */
export function personCommand(program: Command, usage: string, description: string): Command {
  return program
    .command(usage)
    .description(description)
    .option('--profile <name>', 'use this sign-in (cabinet profiles lists them)')
    .option('--space <name>', 'work in this space, if you are in several')
    .option('--json', 'print JSON')
    .exitOverride(exitOnUsageError);
}

/** Showing help exits with 0. */
export function exitOnUsageError(error: CommanderError): never {
  if (error.exitCode !== 0) error.exitCode = exitCodes.wrongUse;
  throw error;
}

interface SignedInCommand<Result> extends Resumable {
  run: (context: CommandContext) => Promise<Result>;
  toLines: (result: Result) => string[];
}

/** Runs a command that needs a session. A result with a non-empty `Failed` exits with the code for partial success. */
export async function perform<Result extends object | null>(
  options: PersonOptions,
  { run, toLines, canResume = false }: SignedInCommand<Result>,
): Promise<void> {
  await performWithoutSession(options, {
    run: async (signal) => run({ ...(await openSession(options, signal)), signal }),
    toLines,
    canResume,
  });
}

interface Resumable {
  /** After Ctrl-C, the same command goes on where this one ended. */
  canResume?: boolean;
}

interface PlainCommand<Result> extends Resumable {
  run: (signal: AbortSignal) => Promise<Result>;
  toLines: (result: Result) => string[];
}

export async function performWithoutSession<Result extends object | null>(
  { json }: PersonOptions,
  { run, toLines, canResume = false }: PlainCommand<Result>,
): Promise<void> {
  const interruption = listenForInterruption(canResume);
  try {
    const result = await run(interruption.signal);
    // The command has printed its output itself.
    if (result === null) return;
    const lines = json ? [JSON.stringify(result)] : toLines(result);
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
    if (((result as { Failed?: Failure[] }).Failed ?? []).length > 0) process.exitCode = exitCodes.inPart;
  } catch (error) {
    printError(error, json === true);
  } finally {
    interruption.close();
  }
}

function listenForInterruption(canResume: boolean): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const stop = () => controller.abort(new Interrupted({ canResume }));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  const close = () => {
    for (const signal of signals) process.removeListener(signal, stop);
  };
  return { signal: controller.signal, close };
}

export function printError(error: unknown, isJson: boolean): void {
  process.exitCode = toExitCode(error);
  const { message, code, hint, target, trackingId } = toErrorReport(error);
  if (isJson) {
    const report = { Code: code, Message: message, Target: target, Hint: hint, RequestTrackingId: trackingId };
    process.stdout.write(`${JSON.stringify({ Error: report })}\n`);
    return;
  }
  const more = hint === undefined || error instanceof CabinetError ? [] : [hint];
  process.stderr.write(`cabinet: ${[message, ...more].map(toPrintable).join('\n')}\n`);
}

interface ErrorReport {
  message: string;
  code: string;
  hint?: string | undefined;
  target?: string | undefined;
  trackingId?: string | undefined;
}

/** The hints of the service name headers and fields, so only JSON output has them. */
function toErrorReport(error: unknown): ErrorReport {
  if (error instanceof CabinetError) return error;
  const { message, code, name } = error as NodeJS.ErrnoException;
  return { message: message ?? String(error), code: code ?? name ?? 'Failed' };
}

export function toFailure(path: string, error: unknown): Failure {
  const { message, code } = toErrorReport(error);
  return { Path: path, Code: code, Message: message };
}

function toExitCode(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.wrongUse;
  if (error instanceof NotSignedIn) return exitCodes.notSignedIn;
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof LocalError) return error.code === 'NotFound' ? exitCodes.notFound : exitCodes.failed;
  if (!(error instanceof CabinetError)) return exitCodes.failed;
  if (error.code === 'Unreachable') return exitCodes.unreachable;
  if (error.code === 'TokenRefused' || error.status === 401) return exitCodes.notSignedIn;
  if (error.status === 404) return exitCodes.notFound;
  return error.status === 403 ? exitCodes.notAllowed : exitCodes.failed;
}

/** If the only item failed, the command fails with its error. */
export function throwSingleFailure<Result extends { Failed: Failure[] }>(
  result: Result,
  did: number,
  errors: unknown[],
): Result {
  if (did === 0 && errors.length === 1) throw errors[0];
  return result;
}

export function toFailedLines(failed: readonly Failure[]): string[] {
  return failed.map(({ Path, Message }) => `failed: ${toPrintable(Path)}: ${toPrintable(Message)}`);
}
