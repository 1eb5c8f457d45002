// `bin/cabinet`, with and without a running service; each kind of command once as a process.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findFreePort } from '../free-ports.ts';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, fetchToken, makeFolder } from '../interface/client.ts';
import { cabinet, cabinetJson } from './here.ts';
import * as asProcess from './service.ts';
import { addCaller, eventually, makeDataFolder, type Registered, removeDataFolder, startService } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

interface Listed {
  Applications: { Name: string; AppKey: string; State: string; Scopes: string[] }[];
}

async function withFolder(run: (dataFolder: string) => Promise<void>): Promise<void> {
  const dataFolder = makeDataFolder();
  try {
    await run(dataFolder);
  } finally {
    removeDataFolder(dataFolder);
  }
}

/** With both environments, of its own. */
async function withService(run: (dataFolder: string, service: StartedHere) => Promise<void>): Promise<void> {
  await withFolder(async (dataFolder) => {
    const service = await startServiceHere(dataFolder, {
      environment: { CABINET_TEST_PORT: '0' },
      hasInitialAccounts: true,
    });
    try {
      await run(dataFolder, service);
    } finally {
      await service.stop();
    }
  });
}

/** One that runs, for all tests that only add to it: each takes a name of its own. */
const shared = makeDataFolder();
let running: StartedHere;

before(async () => {
  running = await startServiceHere(shared);
});
after(async () => {
  await running.stop();
  removeDataFolder(shared);
});

describe('applications', () => {
  it('are registered while the service runs, and work at once', async () => {
    const caller = await addCaller(shared, running.production, 'added');
    assert.match(caller.application.AppKey, /^ak_[a-z0-9]{32}$/);
    assert.equal((await makeFolder(caller)).CreatedBy, 'app:added');
  });

  it('are registered while it is stopped, and work when it runs', () =>
    withFolder(async (dataFolder) => {
      const registered = await asProcess.cabinetJson<Registered>(dataFolder, [
        'app',
        'add',
        'one',
        '--space',
        'shared',
      ]);
      assert.deepEqual(Object.keys(registered), ['AppKey', 'Secret', 'Space', 'RootFolderId', 'Kind']);
      assert.equal(registered.Space, 'shared');
      const service = await startServiceHere(dataFolder);
      const application = { Name: 'one', ...registered };
      const token = await fetchToken(service.production, application);
      assert.equal((await makeFolder({ base: service.production, application, token })).CreatedBy, 'app:one');
      await service.stop();
      const { Applications } = await cabinetJson<Listed>(dataFolder, ['app', 'list']);
      assert.deepEqual(
        Applications.map(({ Name }) => Name),
        ['cabinet-cli', 'console', 'one'],
      );
    }));

  it('are refused within a second of being disabled, and accepted again when enabled', async () => {
    const caller = await addCaller(shared, running.production, 'disabled');
    await makeFolder(caller);
    await cabinetJson(shared, ['app', 'disable', 'disabled']);
    await eventually('refused', async () => (await call(caller, '/folders/-root-')).status === 401, 1000);
    assertRefusal(await call(caller, '/folders/-root-'), 401, 'AppKeyUnknown');
    await assert.rejects(fetchToken(running.production, caller.application));
    await cabinetJson(shared, ['app', 'enable', caller.application.AppKey]);
    const enabled = { ...caller, token: await fetchToken(running.production, caller.application) };
    await eventually('accepted', async () => (await call(enabled, '/folders/-root-')).status === 200, 30_000);
    assertRefusal(await call(caller, '/folders/-root-'), 401, 'TokenInvalid');
    await cabinetJson(shared, ['app', 'remove', 'disabled']);
    await eventually('refused', async () => (await call(enabled, '/folders/-root-')).status === 401, 1000);
    const again = await cabinet(shared, ['app', 'add', 'disabled', '--json']);
    assert.equal(again.code, 1);
    assert.equal((JSON.parse(again.stdout) as { Error: { Code: string } }).Error.Code, 'NameAlreadyExists');
  });

  it('get a new secret, with the old one valid for the overlap only', async () => {
    const { application } = await addCaller(shared, running.production, 'rotated');
    const base = running.production;
    const rotated = await cabinetJson<Registered>(shared, ['app', 'rotate', 'rotated', '--overlap', '600']);
    assert.notEqual(rotated.Secret, application.Secret);
    const second = { ...application, Secret: rotated.Secret };
    await fetchToken(base, second);
    await fetchToken(base, application);
    await cabinetJson<Registered>(shared, ['app', 'rotate', 'rotated', '--overlap', '1']);
    const isRefused = () =>
      fetchToken(base, second).then(
        () => false,
        () => true,
      );
    await eventually('the old secret is refused', isRefused, 4000);
    const last = await cabinetJson<Registered>(shared, ['app', 'rotate', 'rotated']);
    assert.ok(
      await fetchToken(base, { ...application, Secret: rotated.Secret }).then(
        () => false,
        () => true,
      ),
    );
    await fetchToken(base, { ...application, Secret: last.Secret });
  });

  it('of kind server must use the mutual-TLS address, and do not exist in the test environment', () =>
    withService(async (dataFolder, service) => {
      const registered = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'one', '--kind', 'server']);
      assert.equal(registered.Kind, 'server');
      await assert.rejects(fetchToken(service.production, { Name: 'one', ...registered }));
      const refused = await cabinet(dataFolder, ['app', 'add', 'two', '--kind', 'server', '--env', 'test']);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /no mutual-TLS address for the test environment/);
    }));

  it('are refused with a clear message when the name or scope is invalid or unknown', async () => {
    const list = () => cabinetJson<Listed>(shared, ['app', 'list']);
    const before = await list();
    for (const words of [
      ['add', 'no spaces here'],
      ['add', 'ok', '--scopes', 'content.everything'],
      ['add', 'ok', '--kind', 'robot'],
      ['add', 'ok', '--env', 'staging'],
      ['add', 'ok', '--space', '../..'],
      ['disable', 'nobody'],
      ['rotate', 'nobody'],
      ['rotate', 'nobody', '--overlap', '1h'],
    ]) {
      const { code, stdout } = await cabinet(shared, ['app', ...words, '--json']);
      assert.equal(code, 1, words.join(' '));
      assert.match((JSON.parse(stdout) as { Error: { Message: string } }).Error.Message, /./);
    }
    assert.deepEqual(await list(), before);
  });
});

describe('tokens', () => {
  const isAccepted = async (caller: Caller) => (await call(caller, '/folders/-root-')).status === 200;

  it('come from the running service', async () => {
    const caller = await addCaller(shared, running.production, 'asking');
    const { AppKey, Secret } = caller.application;
    const { stdout } = await asProcess.cabinet(shared, ['token', '--app-key', AppKey, '--secret', Secret]);
    assert.ok(await isAccepted({ ...caller, token: stdout.trim() }));
    const wrong = await asProcess.cabinet(shared, ['token', '--app-key', AppKey, '--secret', 'wrong']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /invalid_client/);
  });

  it('made while it is stopped are accepted when it runs', () =>
    withFolder(async (dataFolder) => {
      const fixed = { CABINET_PORT: String(await findFreePort()) };
      const registered = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'one']);
      const words = ['token', '--app-key', registered.AppKey, '--secret', registered.Secret];
      const { access_token: token } = await cabinetJson<{ access_token: string }>(dataFolder, words, fixed);
      const service = await startServiceHere(dataFolder, { environment: fixed });
      assert.ok(await isAccepted({ base: service.production, application: { Name: 'one', ...registered }, token }));
      await service.stop();
    }));
});

it('a failed token request leaves an empty folder empty', () =>
  withFolder(async (dataFolder) => {
    const words = ['token', '--app-key', 'ak_nobody', '--secret', 'none'];
    assert.equal((await cabinet(dataFolder, words, { CABINET_TEST_PORT: '0' })).code, 1);
    assert.deepEqual((await cabinetJson<Listed>(dataFolder, ['app', 'list'])).Applications, []);
  }));

it('an invalid overlap keeps the old secret', async () => {
  const { application } = await addCaller(shared, running.production, 'kept');
  const refused = await cabinet(shared, ['app', 'rotate', 'kept', '--overlap', '1h']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /not a number of seconds/);
  await fetchToken(running.production, application);
});

describe('reset', () => {
  for (const isRunning of [true, false]) {
    it(`empties the test environment and nothing else, ${isRunning ? 'under' : 'without'} a running service`, () =>
      withService(async (dataFolder, service) => {
        const production = await addCaller(dataFolder, service.production, 'one');
        await makeFolder(production);
        const tested = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'one', '--env', 'test']);
        if (!isRunning) await service.stop();
        await cabinetJson<Registered>(dataFolder, ['reset', '--env', 'test']);
        const { Applications } = await cabinetJson<Listed>(dataFolder, ['app', 'list', '--env', 'test']);
        assert.deepEqual(
          Applications.map(({ Name }) => Name),
          isRunning ? ['cabinet-cli', 'console', 'first'] : ['first'],
        );
        assert.ok(!Applications.some(({ AppKey }) => AppKey === tested.AppKey));
        const kept = await cabinetJson<Listed>(dataFolder, ['app', 'list']);
        assert.deepEqual(
          kept.Applications.map(({ Name }) => Name),
          ['cabinet-cli', 'console', 'first', 'one'],
        );
        if (isRunning) {
          const again = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'two', '--env', 'test']);
          const application = { Name: 'two', ...again };
          await fetchToken(service.test ?? '', application);
        }
      }));
  }

  it('is refused for production', () =>
    withFolder(async (dataFolder) => {
      await cabinetJson(dataFolder, ['app', 'add', 'one']);
      const { code, stderr } = await cabinet(dataFolder, ['reset', '--env', 'production']);
      assert.equal(code, 1);
      assert.match(stderr, /Production is never emptied/);
      assert.equal((await cabinetJson<Listed>(dataFolder, ['app', 'list'])).Applications.length, 1);
    }));
});

describe('config', () => {
  it('shows every setting in force; the environment wins over the file', () =>
    withFolder(async (dataFolder) => {
      const path = join(dataFolder, '..', 'cabinet.conf');
      writeFileSync(path, 'CABINET_PORT=1\nCABINET_NAMES=portable\n');
      const shown = await asProcess.cabinetJson<Record<string, string>>(dataFolder, ['config'], {
        CABINET_CONFIG: path,
      });
      assert.equal(shown.CABINET_NAMES, 'portable');
      assert.equal(shown.CABINET_PORT, '0');
      assert.equal(shown.CABINET_INLINE_LIMIT, '64KiB');
    }));

  it('shows no secret, also not in a URL', () =>
    withFolder(async (dataFolder) => {
      const secret = 'a-secret-of-twenty-characters';
      const secrets = {
        CABINET_METRICS_TOKEN: secret,
        CABINET_OTLP_ENDPOINT: `https://me:${secret}@collector.example/otlp`,
        CABINET_CATALOG: `postgres://me:${secret}@database.example/cabinet`,
      };
      const { stdout, stderr } = await cabinet(dataFolder, ['config'], secrets);
      assert.ok(!`${stdout}${stderr}`.includes(secret), `${stdout}${stderr}`);
      assert.match(stdout, /^CABINET_METRICS_TOKEN=… /m);
      assert.match(stdout, /^CABINET_CATALOG=postgres:\/\/me:…@database\.example\/cabinet /m);
    }));

  it('reports all errors together, and the service does not start with one', () =>
    withFolder(async (dataFolder) => {
      const wrong = { CABINET_PORT: 'eighty', CABINET_NAMES: 'short', CABINET_HOST: '0.0.0.0' } as const;
      const { code, stderr } = await asProcess.cabinet(dataFolder, ['config'], wrong);
      assert.equal(code, 1);
      for (const name of Object.keys(wrong)) assert.match(stderr, new RegExp(name));
      await assert.rejects(startService(dataFolder, { environment: wrong }), /CABINET_PORT/);
      const unknown = await cabinet(dataFolder, ['config'], { CABINET_PROT: '1' });
      assert.match(unknown.stderr, /CABINET_PROT \(environment\) is not a setting/);
    }));
});
