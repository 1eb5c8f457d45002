// What a new user sees: the first start, the commands it prints, and the documented request with curl.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { assertEnvelope } from '../interface/assertions.ts';
import { skipWithout } from './programs.ts';
import {
  addCaller,
  cabinet,
  cabinetProgram,
  makeDataFolder,
  removeDataFolder,
  type Started,
  startService,
  toVariables,
} from './service.ts';

const hasCurl = { skip: skipWithout('curl', 'bash') };
const dataFolder = makeDataFolder();
let service: Started;
let banner: string;

before(async () => {
  // The first start is the one a person makes, without --json.
  const child = spawn(cabinetProgram, ['serve'], { env: toVariables(dataFolder, { CABINET_TEST_PORT: '0' }) });
  banner = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    banner += text;
  });
  while (!banner.includes('# test:') || !banner.endsWith('\n')) await once(child.stdout, 'data');
  service = {
    production: /production {2}(\S+)/.exec(banner)?.[1] ?? '',
    test: null,
    mutualTls: null,
    process: child,
    errors: () => '',
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

test('the commands that the first start prints work as they are', hasCurl, async () => {
  const lines = banner.split('\n').filter((line) => /^(TOKEN=|curl |#)/.test(line));
  assert.equal(lines.filter((line) => line.startsWith('curl ')).length, 4);
  const script = lines.join('\necho\n');
  const { stdout } = await promisify(execFile)('bash', ['-euc', script]);
  const answers = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { Folder: { Name: string }; Children: { Name: string; Size: number }[] });
  assert.equal(answers.length, 4);
  for (const [folder, file] of [answers.slice(0, 2), answers.slice(2)]) {
    assert.equal(folder?.Folder.Name, 'Invoices');
    assert.deepEqual(
      file?.Children.map(({ Name }) => Name),
      ['hello.txt', 'Invoices'],
    );
    assert.equal(file?.Children[0]?.Size, 'Hello, Cabinet!'.length);
  }
});

test('the first start prints the address of the console, and a person with a password for each environment', async () => {
  assert.match(banner, /^Cabinet is running:\n {2}production {2}http/);
  assert.match(banner, /\nOpen the console in a browser:\n {2}production {2}http/);
  assert.ok(banner.endsWith('\n'));
  const accounts = [
    ...banner.matchAll(/^ {2}(production|test) +(http\S+\/) {2}sign in as admin with the password (\S{24})$/gm),
  ];
  assert.deepEqual(
    accounts.map(([, environment]) => environment),
    ['production', 'test'],
  );
  assert.equal(new Set(accounts.map(([, , , password]) => password)).size, 2);
  for (const [, , url] of accounts) {
    const page = await fetch(String(url));
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>Cabinet/);
  }
  const { stdout } = await cabinet(dataFolder, ['app', 'list', '--json']);
  const { Applications } = JSON.parse(stdout) as { Applications: { Name: string; AppKey: string }[] };
  assert.deepEqual(
    Applications.map(({ Name }) => Name),
    ['cabinet-cli', 'console', 'first'],
  );
});

for (const [setting, advice] of [
  ['CABINET_PORT', 'Set CABINET_PORT to another port.'],
  ['CABINET_TEST_PORT', 'Set CABINET_TEST_PORT to another port, or to off.'],
  ['CABINET_MTLS_PORT', 'Set CABINET_MTLS_PORT to another port, or to off.'],
] as const) {
  test(`a start whose ${setting} is in use says so, without a stack, and creates nothing`, async (context) => {
    const { port } = new URL(service.production);
    const other = makeDataFolder();
    context.after(() => removeDataFolder(other));
    const child = spawn(cabinetProgram, ['serve'], { env: toVariables(other, { [setting]: port }) });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    assert.equal(code, 1);
    assert.equal(errors, `cabinet: Port ${port} is already in use. ${advice}\n`);
    assert.equal(output, '');
    assert.deepEqual(
      readdirSync(other, { recursive: true }).filter((name) => String(name).includes('sqlite')),
      [],
    );
  });
}

test('a start whose ports are all in use names each of them', async (context) => {
  const { port } = new URL(service.production);
  const other = makeDataFolder();
  context.after(() => removeDataFolder(other));
  const ports = { CABINET_PORT: port, CABINET_TEST_PORT: port };
  const child = spawn(cabinetProgram, ['serve'], { env: toVariables(other, ports) });
  const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  const inUse = `Port ${port} is already in use. Set`;
  const advice = [`${inUse} CABINET_PORT to another port.`, `${inUse} CABINET_TEST_PORT to another port, or to off.`];
  assert.equal(errors, `cabinet: ${advice.join('\n')}\n`);
});

test('a request exactly as documented, sent by curl, saves the file', hasCurl, async () => {
  const caller = await addCaller(dataFolder, service.production, 'letter');
  const path = join(dataFolder, '..', 'a.pdf');
  writeFileSync(path, '%PDF-1.7 to the letter');
  const { stdout } = await promisify(execFile)('curl', [
    ...['-sS', '-X', 'POST', `${service.production}/v1/contentmanagement/files`],
    ...['-H', `Authorization: Bearer ${caller.token}`, '-H', `AppKey: ${caller.application.AppKey}`],
    ...['-H', 'content-type: application/json', '-H', `FolderId: ${caller.application.RootFolderId}`],
    ...['-H', 'FileName: a.pdf', '-F', `filename=@${path}`],
  ]);
  const { Folder, Children } = assertEnvelope({ status: 200, headers: headersOf(), body: Buffer.from(stdout) });
  assert.equal(Folder.Id, caller.application.RootFolderId);
  assert.equal(Children[0]?.Name, 'a.pdf');
  assert.equal(Children[0]?.ContentType, 'application/pdf');
  assert.equal(Children[0]?.Size, 22);
});

/** curl printed the body alone; what the headers must be is tested elsewhere. */
function headersOf(): Record<string, string> {
  return { 'content-type': 'application/json', requesttrackingid: '00000000-0000-4000-8000-000000000000' };
}

test('stored files are readable by their owner only', () => {
  const modes = ['', 'production', 'production/keys.json', 'test/keys.json', 'control.sock', 'first-start.env'].map(
    (name) => {
      return [name, (statSync(join(dataFolder, name)).mode & 0o777).toString(8)];
    },
  );
  assert.deepEqual(modes, [
    ['', '700'],
    ['production', '700'],
    ['production/keys.json', '600'],
    ['test/keys.json', '600'],
    ['control.sock', '600'],
    ['first-start.env', '600'],
  ]);
});

test('a second service on the same folder is refused and says why', async () => {
  await assert.rejects(startService(dataFolder), /is in use by process \d+/);
});
