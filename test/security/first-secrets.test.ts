// Secrets and where others can see them: logs, which many people read, and the list of processes, which everyone on the machine
// can.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { askToken, basicAuthorization } from '../interface/client.ts';
import { cabinet } from '../service/here.ts';
import { addApplication } from '../service/operator.ts';
import { cabinetProgram, makeDataFolder, type Registered, removeDataFolder, toVariables } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { tally } from './tally.ts';

interface FirstStart {
  Environments: {
    Environment: string;
    Url: string;
    Application: { Name: string; AppKey: string; Secret: string };
    Person: { Id: string; Password: string };
  }[];
}

describe('the first start with --json', () => {
  const dataFolder = makeDataFolder();
  const variables = toVariables(dataFolder, { CABINET_TEST_PORT: '0', CABINET_LOG_LEVEL: 'trace' });
  const child = spawn(cabinetProgram, ['serve', '--json'], { env: variables });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const path = join(dataFolder, 'first-start.json');
  let first: FirstStart;

  before(async () => {
    while (!output.stdout.endsWith('\n')) await once(child.stdout, 'data');
    first = JSON.parse(readFileSync(path, 'utf8')) as FirstStart;
  });
  after(async () => {
    const exited = once(child, 'exit');
    if (child.kill('SIGTERM')) await exited;
    removeDataFolder(dataFolder);
  });

  it('writes the first secrets to first-start.json, which only its owner can read', async () => {
    assert.equal((statSync(path).mode & 0o777).toString(8), '600');
    assert.deepEqual(
      first.Environments.map(({ Environment, Application, Person }) => [Environment, Application.Name, Person.Id]),
      [
        ['production', 'first', 'admin'],
        ['test', 'first', 'admin'],
      ],
    );
    for (const { Url, Application } of first.Environments) {
      const Authorization = basicAuthorization(Application.AppKey, Application.Secret);
      const answer = await askToken(Url, { grant_type: 'client_credentials' }, { Authorization });
      assert.equal(answer.status, 200, answer.body.toString());
    }
  });

  it('names the file, and prints no secret', () => {
    assert.equal((JSON.parse(output.stdout) as { FirstStart: string }).FirstStart, path);
    const lines = output.stderr.trimEnd().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as { path?: string; msg: string });
    assert.ok(parsed.some((line) => line.path === path && line.msg.startsWith('first start')));
    for (const { Application, Person } of first.Environments) {
      for (const secret of [Application.Secret, Person.Password]) {
        assert.ok(secret.length >= 20);
        assert.ok(!`${output.stdout}${output.stderr}`.includes(secret), 'a secret is in the log');
        tally('exposed secrets');
      }
    }
  });
});

describe('the secret of `cabinet token`', () => {
  const dataFolder = makeDataFolder();
  const secretPath = join(dirname(dataFolder), 'secret');
  let service: StartedHere;
  let application: Registered;
  let words: string[];

  before(async () => {
    service = await startServiceHere(dataFolder);
    application = await addApplication(dataFolder, 'asking');
    writeFileSync(secretPath, `${application.Secret}\n`, { mode: 0o600 });
    words = ['token', '--app-key', application.AppKey];
  });
  after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });

  it('comes from a file, standard input or CABINET_SECRET, without a warning', async () => {
    const fromFile = await cabinet(dataFolder, [...words, '--secret-file', secretPath]);
    const fromVariable = await cabinet(dataFolder, words, { CABINET_SECRET: application.Secret });
    const running = promisify(execFile)(cabinetProgram, [...words, '--secret-file', '-'], {
      env: toVariables(dataFolder),
    });
    running.child.stdin?.end(`${application.Secret}\n`);
    for (const { stdout, stderr } of [fromFile, fromVariable, await running]) {
      assert.match(stdout, /^ey\S+\n$/);
      assert.equal(stderr, '');
      tally('exposed secrets');
    }
  });

  it('still comes from --secret, with a warning', async () => {
    const { code, stdout, stderr } = await cabinet(dataFolder, [...words, '--secret', application.Secret]);
    assert.equal(code, 0);
    assert.match(stdout, /^ey\S+\n$/);
    assert.match(stderr, /warning: everyone on this machine can read --secret/);
    assert.ok(!stderr.includes(application.Secret));
  });

  it('is required, in one way, and not empty', async () => {
    for (const [more, message] of [
      [[], /The secret is missing/],
      [['--secret', 'x', '--secret-file', secretPath], /either --secret-file or --secret/],
      [['--secret-file', '/dev/null'], /The secret is empty/],
      [['--secret-file', join(dataFolder, 'nothing')], /ENOENT/],
    ] as const) {
      const { code, stderr } = await cabinet(dataFolder, [...words, ...more]);
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
  });

  it('is shown by no command', async () => {
    const { stdout } = await cabinet(dataFolder, ['config', '--json'], { CABINET_SECRET: application.Secret });
    assert.match(stdout, /CABINET_SECRET/);
    assert.ok(!stdout.includes(application.Secret));
    tally('exposed secrets');
  });
});
