// The pages that a new user follows work as they are written: their blocks are pasted from top to bottom, page after page, into one
// shell in a clean copy of the tree. Settings in the environment choose free ports; the text stays as it is. `npm ci` is replaced
// by links to what it has installed here.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { skipWithout } from './programs.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = ['README.md', 'docs/quick-start.md'];
const patienceMs = 300_000;

/** The files that git tracks, or would, with their times: by these the service sees that its console is built. */
function copyTree(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const paths = listed.toString().split('\0').filter(Boolean);
  for (const path of paths) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { preserveTimestamps: true });
  }
}

function readBlocks(page: string): string {
  const blocks = Array.from(
    readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms),
    ([, block]) => block,
  );
  assert.ok(blocks.length > 2, `${page} has ${blocks.length} blocks`);
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

function toEnvironment(home: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CABINET_') && !name.startsWith('npm_'),
  );
  const settings = { CABINET_PORT: '0', CABINET_TEST_PORT: '0', CABINET_MTLS_PORT: '0', CABINET_ALLOW_ANY_DISK: 'yes' };
  return { ...Object.fromEntries(others), ...settings, HOME: home, PROJECT: root };
}

test('the README and the quick start can be pasted from top to bottom', {
  skip: skipWithout('bash', 'curl'),
}, async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'cabinet-pasted-'));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const clone = join(home, 'cabinet');
  mkdirSync(clone);
  copyTree(clone);
  // A refused request is a command that failed.
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\n');
  const [output, errors] = [join(home, 'output'), join(home, 'errors')];
  const script = [prelude, ...pages.map(readBlocks), 'kill %1', 'wait %1 || true'].join('\n');
  const shell = spawn('bash', ['-c', script], {
    cwd: clone,
    env: toEnvironment(home),
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
    /"Name":"welcome.md"/,
    /"Name":"console.png"/,
    /"Name":"acme.txt"/,
    /Invoice for ACME, first draft/,
  ])
    assert.match(printed, seen);
});
