// The official conformance suite of the protocol, in the set that revision 2026-07-28 requires. `expected-failures.yml` lists what it
// expects and we do not have; it fails for a listed check that passes, too.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startMcp } from './mcp-service.ts';

const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const expected = join(import.meta.dirname, 'expected-failures.yml');

test('the official conformance suite passes, but for what is listed with its reason', async (context) => {
  await using mcp = await startMcp();
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-conformance-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const words = ['--requirements', '2026-07-28', '--expected-failures', expected, '-o', folder];
  const child = spawn(process.execPath, [suite, 'server', '--url', `${mcp.proxy.url}/mcp`, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, output.slice(output.indexOf('=== SUMMARY')));
  const [summary = '', passed] = /Total: (\d+) passed.*/.exec(output) ?? [];
  context.diagnostic(summary);
  assert.ok(Number(passed) >= 100, output.slice(-2000));
});
