// The walkthrough of docs/authentication.md for server-based applications works as written: its lines are taken from there and run in a
// folder like a fresh clone, against its own service. Only the ports differ.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Envelope } from '../interface/assertions.ts';
import { skipWithout } from '../service/programs.ts';
import { startService, toVariables } from '../service/service.ts';

const root = resolve(import.meta.dirname, '../..');
const cloned = ['bin', 'src', 'node_modules', 'package.json'];

/** The section from its heading to the next one of its level. */
function readSection(heading: RegExp): string {
  const sections = readFileSync(join(root, 'docs/authentication.md'), 'utf8').split(/^(?=## )/m);
  const found = sections.filter((section) => heading.test(section.split('\n', 1)[0] ?? ''));
  assert.equal(found.length, 1, `${found.length} sections have ${heading} in their heading`);
  return String(found[0]);
}

function readBlocks(section: string): string[] {
  return Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, block]) => String(block));
}

function makeClone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-clone-'));
  for (const name of cloned) symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, 'data'));
  return folder;
}

test('docs/authentication.md shows a server-based application with curl', () => {
  const blocks = readBlocks(readSection(/mutual TLS/i));
  assert.ok(blocks.length > 0, 'the section has no sh block');
  const text = blocks.join('\n');
  for (const needed of [
    'bin/cabinet app add ',
    '--kind server',
    '--issue-certificate ',
    '--cacert data/production/certificates/ca.pem',
    'https://127.0.0.1:8443/oauth2/token',
    'https://127.0.0.1:8443/v1/contentmanagement/files',
  ]) {
    assert.ok(text.includes(needed), `it does not show ${needed}`);
  }
});

test('the commands of its walkthrough work as written', {
  skip: skipWithout('curl', 'bash'),
}, async (context) => {
  const clone = makeClone();
  const dataFolder = join(clone, 'data');
  const service = await startService(dataFolder, { environment: { CABINET_MTLS_PORT: '0' } });
  context.after(() => service.stop());
  context.after(() => rmSync(clone, { recursive: true, force: true }));
  const script = readBlocks(readSection(/mutual TLS/i))
    .join('\n')
    .replaceAll('https://127.0.0.1:8443', String(service.mutualTls))
    .replaceAll('http://127.0.0.1:8080', service.production);
  assert.doesNotMatch(script, /127\.0\.0\.1:8(080|443)\b/);
  const words = ['-c', `set -euo pipefail\n${script}`];
  const { stdout } = await promisify(execFile)('bash', words, { cwd: clone, env: toVariables('./data') });
  const last = stdout.slice(stdout.lastIndexOf('{"Folder"'));
  const { Folder, Children } = JSON.parse(last) as Envelope;
  assert.equal(Folder.Type, 'folder');
  const [file] = Children;
  assert.equal(file?.Type, 'file');
  assert.match(String(file?.CreatedBy), /^app:/);
  assert.ok(Number(file?.Size) > 0);
  assert.ok(script.includes(`'FileName: ${file?.Name}'`), `${file?.Name} is not what it saves`);
});
