// Runs a scenario as `npm run bench` does, and returns its output.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export async function bench(...args: string[]): Promise<string> {
  const program = join(import.meta.dirname, 'main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { timeout: 900_000 });
  return stdout;
}
