// Progress: a bar on a terminal, plain lines elsewhere, nothing of it in the output. `script` plays the terminal.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { skipWithout } from '../service/programs.ts';
import { cabinetProgram } from '../service/service.ts';
import { Person } from './person.ts';

let person: Person;

before(async () => {
  person = await Person.signedIn();
  for (let index = 0; index < 6; index += 1) {
    person.write(`films/${index}.bin`, randomBytes(12_000_000));
    person.write(`clips/${index}.bin`, randomBytes(1_000_000));
  }
});

after(() => person.leave());

async function onTerminal(words: string[]): Promise<string> {
  const line = [cabinetProgram, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty cols 100; ${line}`, '/dev/null'], {
    cwd: person.here,
    env: person.variables,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 0, shown);
  return shown;
}

test('a terminal shows a bar with share, rate and time left, redrawn and removed at the end', {
  skip: skipWithout('script'),
}, async () => {
  for (const words of [
    ['put', 'films', '/', '--parallel', '1'],
    ['get', '/films', 'back', '--parallel', '1'],
  ]) {
    const shown = await onTerminal(words);
    const bars = shown.split('\r\x1b[K').filter((text) => text.startsWith(`${words[0]} `));
    assert.ok(bars.length > 0, JSON.stringify(shown));
    assert.ok(
      bars.some((bar) => /[━╌]+ +\d+ % {2}[\d.]+ \w+ of 72 MB {2}[\d.]+ \w+\/s {2}\d+:\d\d left/.test(bar)),
      JSON.stringify(bars),
    );
    assert.ok(bars.every((bar) => (bar.split('\n')[0] ?? '').length < 100));
    const last = shown.split('\r\x1b[K').at(-1) ?? '';
    assert.match(last, /^6 files (saved|downloaded) \(72 MB\), 1 folder created\r\n$/);
  }
});

test('a terminal has heads above columns', { skip: skipWithout('script') }, async () => {
  assert.match(await onTerminal(['ls', '-l', '/']), /^ *SIZE {2}MODIFIED +BY +NAME\r\n/);
  assert.doesNotMatch((await person.run(['ls', '-l', '/'])).stdout, /SIZE/);
});

test('so have lists of operators, and programs read tabs', { skip: skipWithout('script') }, async () => {
  const words = ['app', 'list'];
  assert.match(await onTerminal(words), /^NAME +APPKEY +KIND +STATE +SPACE +SCOPES\r\ncabinet-cli +ak_/);
  assert.match((await person.run(words)).stdout, /^cabinet-cli\tak_\w+\tclient\t/);
});

test('other outputs have no control characters, and with --json only the object', async () => {
  const { stdout, stderr } = await person.run(['put', 'clips', '/', '--json']);
  assert.equal((JSON.parse(stdout) as { Files: number }).Files, 6);
  assert.ok(!`${stdout}${stderr}`.includes('\x1b'));
  for (const line of stderr.split('\n').filter(Boolean)) assert.match(line, /^put: /);
  assert.equal((await person.run(['get', '/clips', 'quiet', '--quiet'])).stderr, '');
});
