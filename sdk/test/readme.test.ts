// The README, followed word by word: its commands and its programs are taken from it and run in its order, against a real
// service, with what they print compared.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { skipWithout } from '../../test/service/programs.ts';
import * as client from '../src/cabinet.ts';
import * as node from '../src/node.ts';
import { standOnService } from './ground.ts';
import { findOtherNode, makeFolder, root, run } from './package.ts';

/** What a newcomer is told to run. */
const skip = skipWithout('bash', 'npm');
const ground = await standOnService({ CABINET_MTLS_PORT: '0' });
const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

interface Block {
  language: string;
  code: string;
}

const blocks: Block[] = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
  language,
  code,
}));

/** The addresses that the service got here, for those that the README speaks of. */
function toHere(code: string): string {
  const { production, mutualTls } = ground.service;
  return code.replaceAll('http://127.0.0.1:8080', production).replaceAll('https://127.0.0.1:8443', mutualTls ?? '');
}

/** Where a newcomer stands: beside a clone named `cabinet`. */
const place = makeFolder();
symlinkSync(root, join(place, 'cabinet'));
const project = join(place, 'my-project');
const program = findOtherNode() ?? process.execPath;
const environment: NodeJS.ProcessEnv = { ...process.env, CABINET_DATA: ground.dataFolder };

after(() => rmSync(join(root, 'sdk/cabinet-client-0.2.0.tgz'), { force: true }));

const commands = blocks.filter(({ language, code }) => language === 'sh' && !code.includes('npm start'));

test('the commands of the walk-through register an application and install the client', { skip }, async () => {
  const script = `set -e\n${commands.map(({ code }) => toHere(code)).join('\n')}\nenv | grep -E '^(SERVICE|APP)_' > ../environment\n`;
  const { status, stderr } = await run('bash', ['-c', script], { cwd: place, env: environment });
  assert.equal(status, 0, stderr);
  for (const line of readFileSync(join(place, 'environment'), 'utf8').trim().split('\n')) {
    const [name = '', ...value] = line.split('=');
    environment[name] = value.join('=');
  }
  assert.match(environment.APP_KEY ?? '', /^ak_/);
});

const programs = blocks.flatMap(({ language, code }, index) => {
  const [, name] = /^\/\/ (\w+\.mjs)\n/.exec(code) ?? [];
  const next = blocks[index + 1];
  return language === 'js' && name !== undefined
    ? [{ name, code, printed: next?.language === 'text' ? next.code : null }]
    : [];
});

for (const { name, code, printed } of programs) {
  test(`${name} prints what the README says`, { skip }, async () => {
    writeFileSync(join(project, name), toHere(code));
    if (printed === null) return;
    const ran = await run(program, [name], { cwd: project, env: environment });
    assert.equal(ran.stdout, printed, ran.stderr);
    assert.equal(ran.status, 0, ran.stderr);
  });
}

test('every program of the README was run: each says its name and what it prints', () => {
  const silent = programs.filter(({ name, printed }) => printed === null && name !== 'cabinet.mjs');
  assert.deepEqual(silent, []);
  assert.ok(programs.length >= 8);
  const nameless = blocks.filter(({ language, code }) => language === 'js' && !/^\/\/ \w+\.mjs\n/.test(code));
  assert.deepEqual(
    nameless.map(({ code }) => code),
    [],
  );
});

test('the README names everything that the client has', () => {
  const table = text.slice(text.indexOf('## All functions'));
  const listed = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const there = [...Object.keys(client), ...Object.keys(node)];
  assert.deepEqual(
    there.filter((name) => !listed.includes(name)),
    [],
  );
});
