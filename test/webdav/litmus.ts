// Runs litmus, the test suite of Joe Orton for WebDAV servers, and reads what it says of each group.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LitmusReport {
  /** By group: how many tests ran, and how many passed. */
  groups: Record<string, { run: number; passed: number }>;
  /** Lines of tests that failed or warned. */
  complaints: string[];
  output: string;
}

/** How many tests each group of Debian's litmus 0.13 has. */
export const litmusGroups = { basic: 16, copymove: 13, props: 30, locks: 41, http: 4 };

export async function runLitmus(url: string, user: string, password: string): Promise<LitmusReport> {
  // It writes logs where it runs.
  const cwd = mkdtempSync(join(tmpdir(), 'cabinet-litmus-'));
  try {
    const output = await run(['-k', url, user, password], cwd);
    return toReport(output);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

function run(words: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('litmus', words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

function toReport(output: string): LitmusReport {
  const summaries = output.matchAll(/summary for `(\w+)': of (\d+) tests run: (\d+) passed/g);
  const groups = Object.fromEntries(
    [...summaries].map(([, name = '', run, passed]) => [name, { run: Number(run), passed: Number(passed) }]),
  );
  const complaints = output.split(/[\r\n]+/).filter((line) => /FAIL|WARNING|skipped/.test(line));
  return { groups, complaints, output };
}
