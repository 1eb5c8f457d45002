// The pages that a new user follows work as they are written: their blocks are pasted from top to bottom, page after page, into one
// shell in a clean copy of the tree. Settings in the environment choose free ports; where the text has the default one, only that
// differs. A program plays the browser, and `npm ci` is replaced by links to what it has installed here.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { findFreePort } from '../free-ports.ts';
import { skipWithout } from './programs.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = [
  { path: 'README.md' },
  { path: 'docs/quick-start.md' },
  { path: 'docs/command-line.md', section: 'Walk-through' },
];
const browserProgram = join(import.meta.dirname, '../cli/browser-program.ts');
const patienceMs = 300_000;

/** The files that git tracks, or would, with their times: by these the service sees that its console is built. */
function copyTree(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const paths = listed.toString().split('\0').filter(Boolean);
  for (const path of paths) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { preserveTimestamps: true });
  }
}

function readBlocks({ path, section }: { path: string; section?: string }): string {
  const sections = readFileSync(join(root, path), 'utf8').split(/^(?=## )/m);
  const text = sections.filter((part) => section === undefined || part.startsWith(`## ${section}\n`)).join('');
  const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block]) => block);
  assert.ok(blocks.length > 2, `${path} has ${blocks.length} blocks`);
  return blocks.join('\n');
}

/** Shows which command failed; in place of `npm ci`, takes what is installed and built here. */
const prelude = `
set -Eeuo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
npm() {
  if [ "$1" != ci ]; then command npm "$@"; return; fi
  cp -al "$PROJECT/node_modules" . 2>/dev/null || cp -a "$PROJECT/node_modules" .
  if [ -d "$PROJECT/dist" ]; then cp -a "$PROJECT/dist" .; fi
}
`;

function toEnvironment(home: string, port: number): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CABINET_') && !name.startsWith('npm_'),
  );
  const settings = {
    CABINET_PORT: String(port),
    CABINET_TEST_PORT: '0',
    CABINET_MTLS_PORT: '0',
    CABINET_ALLOW_ANY_DISK: 'yes',
  };
  return { ...Object.fromEntries(others), ...settings, HOME: home, PROJECT: root, BROWSER: join(home, 'browser') };
}

test('the README, the quick start and the command line can be pasted from top to bottom', {
  skip: skipWithout('bash', 'curl'),
}, async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'cabinet-pasted-'));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const clone = join(home, 'cabinet');
  mkdirSync(clone);
  copyTree(clone);
  // A refused request is a command that failed.
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\n');
  const browser = `#!/bin/sh\nexec '${process.execPath}' '${browserProgram}' "$1"\n`;
  writeFileSync(join(home, 'browser'), browser, { mode: 0o755 });
  const [output, errors] = [join(home, 'output'), join(home, 'errors')];
  const port = await findFreePort();
  const text = pages.map(readBlocks).join('\n').replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);
  const script = [prelude, text, 'kill %1', 'wait %1 || true'].join('\n');
  const shell = spawn('bash', ['-c', script], {
    cwd: clone,
    env: toEnvironment(home, port),
    stdio: ['ignore', openSync(output, 'w'), openSync(errors, 'w')],
    detached: true,
  });
  const end = () => process.kill(-Number(shell.pid), 'SIGKILL');
  const [code] = await once(shell, 'exit', { signal: AbortSignal.timeout(patienceMs) }).catch((error) => [
    String(error),
  ]);
  try {
    end();
  } catch {
    // Nothing of it runs any more.
  }
  const printed = readFileSync(output, 'utf8');
  assert.equal(code, 0, `${readFileSync(errors, 'utf8')}\n${printed}`);
  for (const seen of [
    /"Name": "welcome.md"/,
    /"Name": "console.png"/,
    /the same bytes/,
    /"Name": "acme.txt"/,
    /Invoice for ACME, first draft/,
  ])
    assert.match(printed, seen);
});
