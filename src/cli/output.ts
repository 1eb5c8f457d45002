// Output of commands: one JSON object with `--json`, otherwise plain lines; errors likewise, with exit code 1.

import { ConfigMistakes } from '../config/config-mistakes.ts';
import { Refusal } from '../domain/refusal.ts';

interface OutputOptions {
  json?: boolean;
}

/** Runs a command and prints its result; `toLines` renders it for people. */
export async function print<Result extends object>(
  { json }: OutputOptions,
  run: () => Promise<Result>,
  toLines: (result: Result) => string[],
): Promise<void> {
  try {
    const result = await run();
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${toLines(result).join('\n')}\n`);
  } catch (error) {
    fail({ ...(json !== undefined && { json }) }, error);
  }
}

export function fail({ json }: OutputOptions, error: unknown): void {
  process.exitCode = 1;
  const known = error instanceof Error ? error : new Error(String(error));
  if (json) {
    const details = error instanceof Refusal ? { Target: error.details.target, Hint: error.details.hint } : {};
    const code = error instanceof Refusal ? error.code : known.name;
    const mistakes = error instanceof ConfigMistakes ? { Mistakes: error.mistakes } : {};
    process.stdout.write(
      `${JSON.stringify({ Error: { Code: code, Message: known.message, ...details, ...mistakes } })}\n`,
    );
    return;
  }
  const hint = error instanceof Refusal && error.details.hint !== undefined ? `\n${error.details.hint}` : '';
  process.stderr.write(`cabinet: ${known.message}${hint}\n`);
}

/** `Name: value` lines. */
export function toPairs(record: object): string[] {
  return Object.entries(record).map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(' ') : value}`);
}

/** Escapes control characters, which a terminal would interpret. */
export function toPrintable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
