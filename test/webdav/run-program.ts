// Runs a program beside the service, which lives in the process of the test, until it ends.

import { spawn } from 'node:child_process';

interface RunOptions {
  input?: string;
  environment?: Record<string, string>;
  cwd?: string;
}

export interface Ended {
  code: number | null;
  /** Standard output and standard error, as they came. */
  output: string;
}

export function runProgram(
  program: string,
  words: readonly string[],
  { input, environment = {}, cwd }: RunOptions = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LC_ALL: 'C.UTF-8', ...environment };
    const child = spawn(program, words, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
