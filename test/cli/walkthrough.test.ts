// The walk-through of docs/command-line.md works as it is written: its lines are taken from there and run by a shell in a folder that
// looks like a fresh clone, against a service of its own. Only the port differs, and a program plays the browser and Ann.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { exitCodes } from '../../src/cli/user/exit-codes.ts';
import { skipWithout } from '../service/programs.ts';
import { startService, toVariables } from '../service/service.ts';

const root = resolve(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/command-line.md'), 'utf8');

function readBlocks(heading: string): string[] {
  const section = guide.split(/^(?=## )/m).find((text) => text.startsWith(`## ${heading}\n`)) ?? '';
  return Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, block]) => String(block));
}

test('the walk-through works as written', { skip: skipWithout('curl', 'bash') }, async (context) => {
  const clone = mkdtempSync(join(tmpdir(), 'cabinet-walk-'));
  for (const name of ['bin', 'src', 'sdk', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(clone, name));
  const dataFolder = join(clone, 'data');
  const service = await startService(dataFolder);
  context.after(() => service.stop());
  context.after(() => rmSync(clone, { recursive: true, force: true }));
  const browser = join(clone, 'browser');
  writeFileSync(
    browser,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'browser-program.ts')}' "$1"\n`,
    { mode: 0o755 },
  );
  const blocks = readBlocks('Walk-through');
  assert.equal(blocks.length, 6);
  // A person is slower than the index, a script may not be.
  const found = 'until cabinet search hill | grep -qx /archive/hill-2.txt; do sleep 0.2; done';
  const script = blocks
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', service.production)
    .replace(/^cabinet search hill$/m, `timeout 300 bash -c '${found}'\n$&`);
  const env = { ...toVariables(dataFolder), HOME: clone, XDG_CONFIG_HOME: join(clone, 'config'), BROWSER: browser };
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd: clone, env });
  for (const seen of [
    /^Signed in to .* as ann, space archive/m,
    /^2 files saved \(13 B\), 2 folders created$/m,
    /└── photos\//,
    /^saved \/notes\/today\.txt/m,
    /^2 +14 B .* it grew$/m,
    /^restored \/photos$/m,
    /^delete \/photos\/2026\/sea\.txt$/m,
    /^\/archive\/hill-2\.txt$/m,
    /^a higher hill$/m,
    /^Signed out of default\.$/m,
  ])
    assert.match(stdout, seen);
});

test('the exit codes are documented, and no others', () => {
  const documented = Array.from(guide.matchAll(/^\| (\d+) \|/gm), ([, code]) => Number(code));
  assert.deepEqual(documented, Object.values(exitCodes));
});
