// The token endpoint under attack (docs/contract.md §5.1), where secrets end up, and the commands that create people.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Refusal } from '../../src/domain/refusal.ts';
import { type Answer, askToken, basicAuthorization, type Headers } from '../interface/client.ts';
import { cabinet, cabinetJson } from '../service/here.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import {
  cabinetProgram,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type Started,
  startService,
  toVariables,
} from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, redirectUri, signIn } from './people.ts';
import { type Spoken, speakSecrets } from './spoken-secrets.ts';
import { tally } from './tally.ts';

const form = { grant_type: 'client_credentials' };

function asBasic(appKey: string, secret: string): Headers {
  return { Authorization: basicAuthorization(appKey, secret) };
}

/** Refused because there were too many, with the time to wait, as OAuth says it (RFC 6749, 5.2). */
function assertTooMany(answer: Answer): void {
  assert.equal(answer.status, 429, answer.body.toString());
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  const { error, error_description: description } = JSON.parse(answer.body.toString()) as Record<string, string>;
  assert.deepEqual([error, typeof description], ['temporarily_unavailable', 'string']);
}

/** Asks until there were too many; how many were refused as wrong before. */
async function exhaust(ask: (n: number) => Promise<Answer>, most = 400): Promise<number> {
  for (let n = 0; n < most; n += 1) {
    const answer = await ask(n);
    if (answer.status === 429) {
      assertTooMany(answer);
      // However many it took, they were tried in one way.
      tally('bad credentials');
      return n;
    }
    assert.equal(answer.status, 401);
    assert.equal((JSON.parse(answer.body.toString()) as { error: string }).error, 'invalid_client');
  }
  throw new Error(`${most} wrong credentials, and no limit`);
}

describe('wrong credentials', () => {
  const dataFolder = makeDataFolder();
  let service: Awaited<ReturnType<typeof startServiceHere>>;
  let [one, other] = [{} as Registered, {} as Registered];
  const ask = (from: string, headers: Headers, fields: Record<string, string> = form) =>
    askToken(service.production, fields, { 'X-Forwarded-For': from, ...headers });
  const unknown = (n: number) => `ak_${String(n).padStart(32, '0')}`;

  before(async () => {
    service = await startServiceHere(dataFolder, { environment: { CABINET_PROXIES: '127.0.0.1' }, hasClock: true });
    one = await addApplication(dataFolder, 'one');
    other = await addApplication(dataFolder, 'other');
  });
  after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });

  it('are limited after a hundred for one client from one address, and correct ones never are', async () => {
    const [here, right] = ['198.51.100.1', asBasic(one.AppKey, one.Secret)];
    const isGiven = async () => (await ask(here, right)).status === 200;
    const count = await exhaust(async (n) => {
      if (n % 20 === 10) assert.ok(await isGiven(), 'in the middle of the flood');
      return await ask(here, asBasic(one.AppKey, `wrong ${n}`));
    });
    assert.ok(count >= 100, `${count} before the limit`);
    const flood = Array.from({ length: 20 }, (_, n) => ask(here, asBasic(one.AppKey, `more ${n}`)));
    const given = await Promise.all(Array.from({ length: 10 }, isGiven));
    assert.ok(given.every(Boolean), 'a client is not locked out by who guesses');
    assert.ok((await Promise.all(flood)).filter(({ status }) => status === 429).length >= 15);
    assert.equal((await ask(here, asBasic(other.AppKey, 'wrong'))).status, 401, 'another client here');
    assert.equal((await ask(here, asBasic(other.AppKey, other.Secret))).status, 200);
    assert.equal((await ask('198.51.100.2', asBasic(one.AppKey, 'wrong'))).status, 401, 'the client elsewhere');
    tally('bad credentials', 2);
  });

  it('are limited alike whether the client exists or not, and after six hundred from one address; correct ones never are', async () => {
    const here = '198.51.100.3';
    let count = 0;
    for (const appKey of [unknown(1), one.AppKey, 'nonsense']) {
      const forClient = await exhaust(() => ask(here, asBasic(appKey, 'wrong')));
      assert.ok(forClient >= 100 && forClient < 300, `${forClient} for ${appKey}`);
      // The limited request counts too.
      count += forClient + 1;
    }
    for (const appKey of [unknown(2), other.AppKey]) {
      assert.equal((await ask(here, asBasic(appKey, 'wrong'))).status, 401);
      count += 1;
    }
    count += await exhaust((n) => ask(here, asBasic(unknown(1000 + n), 'wrong')), 2000);
    assert.ok(count >= 600, `${count} before the limit`);
    const flood = Array.from({ length: 20 }, (_, n) =>
      ask(here, {}, { ...form, client_id: unknown(n), client_secret: 'x' }),
    );
    assert.equal((await ask(here, asBasic(one.AppKey, one.Secret))).status, 200);
    assert.ok((await Promise.all(flood)).some(({ status }) => status === 429));
    assert.equal((await ask('198.51.100.4', asBasic(unknown(0), 'wrong'))).status, 401);
  });

  it('are counted for the address that the proxy reports, whatever the client claims', async () => {
    const spoofed = (n: number) => `203.0.113.${n}, 198.51.100.6`;
    assert.ok((await exhaust((n) => ask(spoofed(n), asBasic(one.AppKey, 'wrong')))) >= 100);
    assertTooMany(await ask('198.51.100.6, 127.0.0.1', asBasic(one.AppKey, 'wrong')));
    assert.equal((await ask('198.51.100.7', asBasic(one.AppKey, 'wrong'))).status, 401);
    assert.ok((await exhaust((n) => ask(`2001:db8:5:5::${n}`, asBasic(one.AppKey, 'wrong')))) >= 100);
    assert.equal((await ask('2001:db8:5:6::1', asBasic(one.AppKey, 'wrong'))).status, 401);
  });

  it('get the same bytes whether the client is unknown, disabled or has another secret', async () => {
    const idle = await addApplication(dataFolder, 'idle');
    await command(dataFolder, 'app disable', { application: 'idle' });
    const here = '198.51.100.8';
    const wrong: [string, string][] = [
      [one.AppKey, 'wrong'],
      [one.AppKey, other.Secret],
      [one.AppKey, one.Secret.slice(1)],
      [one.AppKey, `${one.Secret} `],
      [one.AppKey.toUpperCase(), one.Secret],
      [unknown(0), 'wrong'],
      [unknown(0), one.Secret],
      ['nonsense', 'wrong'],
      [idle.AppKey, idle.Secret],
      [idle.AppKey, 'wrong'],
    ];
    for (const toAnswer of [
      ([key, secret]: [string, string]) => ask(here, asBasic(key, secret)),
      ([key, secret]: [string, string]) => ask(here, {}, { ...form, client_id: key, client_secret: secret }),
    ]) {
      const seen = new Set<string>();
      for (const { status, headers, body } of await Promise.all(wrong.map(toAnswer))) {
        const { date: _, requesttrackingid: __, ...rest } = headers;
        seen.add(JSON.stringify([status, rest, body.toString()]));
      }
      assert.deepEqual([...seen].length, 1, [...seen].join('\n'));
      assert.match([...seen][0] ?? '', /^\[401,/);
      tally('bad credentials', wrong.length);
    }
  });

  it('aside, a client that requests too many tokens is limited; others are not, nor people who use it', async () => {
    const page = await addApplication(dataFolder, 'page', { redirectUris: redirectUri, space: 'one' });
    const configuration = await discover(service.production, page);
    const tokens: unknown[] = [];
    for (const user of ['ann', 'bob']) {
      tokens.push((await signIn(configuration, await addUser(dataFolder, user))).refresh_token);
    }
    const here = '198.51.100.9';
    const right = asBasic(page.AppKey, page.Secret);
    let given = 0;
    let last: Answer | undefined;
    while (given < 4000 && (last === undefined || last.status === 200)) {
      const answers = await Promise.all(Array.from({ length: 25 }, () => ask(here, right)));
      given += answers.filter(({ status }) => status === 200).length;
      last = answers.find(({ status }) => status !== 200) ?? answers[0];
    }
    assertTooMany(last as Answer);
    assert.ok(given >= 1000, `${given} tokens`);
    assertTooMany(await askUntilTooMany(() => ask('198.51.100.10', right)));
    assert.equal((await ask(here, asBasic(one.AppKey, one.Secret))).status, 200);
    for (let n = 0; n < 10; n += 1) {
      const flood = Array.from({ length: 15 }, () => ask(here, right));
      const fields = { grant_type: 'refresh_token', refresh_token: String(tokens[n % 2]) };
      const [answer] = await Promise.all([ask(here, right, fields), ...flood]);
      assert.equal(answer.status, 200, answer.body.toString());
      tokens[n % 2] = (JSON.parse(answer.body.toString()) as { refresh_token: string }).refresh_token;
    }
    await service.advance(Number(last?.headers['retry-after']) * 1000);
    assert.equal((await ask(here, right)).status, 200);
  });

  it('count for the same client however its id is encoded', async () => {
    // Where another test has exhausted it already, this takes a few more.
    const here = '198.51.100.1';
    await exhaust(() => ask(here, asBasic(one.AppKey, 'wrong')));
    // Basic carries it form-encoded (RFC 6749, 2.3.1): this is how client libraries send an underscore.
    assertTooMany(await ask(here, asBasic(one.AppKey.replace('_', '%5F'), 'wrong')));
  });
});

/** It may be refilled meanwhile: the first of these that had to wait. */
async function askUntilTooMany(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 25 }, () => ask()));
    const found = answers.find(({ status }) => status === 429);
    if (found !== undefined) return found;
  }
}

it('without a configured proxy, an X-Forwarded-For header changes nothing', async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder);
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const { AppKey, Secret } = await addApplication(dataFolder, 'one');
  const from = (n: number) => ({ 'X-Forwarded-For': `198.51.100.${n}`, Forwarded: `for=198.51.100.${n}` });
  const ask = (n: number, secret: string) =>
    askToken(service.production, form, { ...from(n), ...asBasic(AppKey, secret) });
  assert.ok((await exhaust((n) => ask(n, 'wrong'))) >= 100);
  assertTooMany(await ask(250, 'wrong'));
  assert.equal((await ask(251, Secret)).status, 200);
});

describe('secrets', () => {
  const dataFolder = makeDataFolder();
  let service: Started;
  let spoken: Spoken;

  before(async () => {
    // Where there is an application, the first start has no secret to show.
    await cabinetJson(dataFolder, ['app', 'add', 'zero']);
    const environment = { CABINET_LOG_LEVEL: 'trace', CABINET_ACCESS_LOG: 'yes', CABINET_MTLS_PORT: '0' } as const;
    service = await startService(dataFolder, { environment });
    spoken = await speakSecrets(service, dataFolder);
  });
  after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });

  const readFolder = () =>
    readdirSync(dataFolder, { recursive: true, withFileTypes: true })
      .filter((found) => found.isFile())
      .map((found) => ({ name: found.name, bytes: readFileSync(join(found.parentPath, found.name)) }));
  const findIn = (value: string) =>
    readFolder()
      .filter(({ bytes }) => bytes.includes(value))
      .map(({ name }) => name);

  it('are in no file of the data folder, neither while the service runs nor after', async () => {
    assert.ok(spoken.size >= 18);
    const names = readFolder().map(({ name }) => name);
    for (const name of ['catalog.db', 'catalog.db-wal', 'keys.json']) assert.ok(names.includes(name), name);
    assert.notDeepEqual(findIn('speaker'), [], 'what is no secret is found in this way');
    for (const [what, value] of spoken) assert.deepEqual(findIn(value), [], what);
    await service.stop();
    assert.notDeepEqual(findIn('speaker'), []);
    for (const [what, value] of spoken) assert.deepEqual(findIn(value), [], what);
  });

  it('are never logged, even at the finest level', async () => {
    await service.stop();
    const log = service.errors();
    assert.match(log, /"msg":"sweep finished"/, 'there is a log');
    assert.match(log, /"msg":"answered"/, 'every request is in it');
    for (const [what, value] of spoken) {
      assert.ok(!log.includes(value), `${what} is in the log`);
      assert.ok(!log.includes(encodeURIComponent(value)), `${what} is in the log`);
    }
  });

  it('that browsers hold are stored as hashes, also during another sign-in', async () => {
    await service.stop();
    await using again = await startServiceHere(dataFolder);
    const page = await addPage(dataFolder, 'again');
    const configuration = await discover(again.production, page);
    const browser = new Browser();
    await signIn(configuration, await addUser(dataFolder, 'again'), browser);
    await browser.open((await begin(configuration, { prompt: 'login' })).url);
    const found = browser.cookies.filter(({ value }) => findIn(value).length > 0).map(({ name }) => name);
    assert.deepEqual(found, []);
  });
});

describe('commands about people', () => {
  const dataFolder = makeDataFolder();
  const passwordPath = (name: string) => join(dirname(dataFolder), name);
  let service: StartedHere;

  before(async () => {
    service = await startServiceHere(dataFolder, { hasInitialAccounts: true });
    await command(dataFolder, 'user add', { user: 'Ann@Corp.example', name: 'Ann Other' });
    await command(dataFolder, 'user add', { user: 'asleep' });
    await command(dataFolder, 'user disable', { user: 'ASLEEP' });
  });
  after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });

  const passwords: Record<string, string> = {
    short: 'elevenchars\nsecond line that does not count',
    long: 'abcdefghij'.repeat(26),
    empty: '\n',
    own: 'i am the New-Person, believe me',
    dull: 'abcabcabcabcabcabc',
  };

  it('that fail say why, as text and as JSON, and exit with 1', async () => {
    const cases: [string[], string, RegExp][] = [
      [['add', 'new-person', '--password-file', 'short'], 'InvalidField', /password must have 12 to 256 characters/],
      [['add', 'new-person', '--password-file', 'missing'], 'Error', /ENOENT/],
      [['add', 'corp:ann'], 'InvalidField', /is not a valid user id/],
      [['add', 'ANN@corp.EXAMPLE'], 'NameAlreadyExists', /There is or was a user "ann@corp.example"/],
      [['password', 'nobody'], 'UserNotFound', /no user "nobody"/],
      [['role', 'ann@corp.example', 'owner', '--space', 'first'], 'InvalidField', /Unknown role "owner"/],
    ];
    for (const [name, text] of Object.entries(passwords)) writeFileSync(passwordPath(name), text);
    for (const [words, code, message] of cases) {
      const said = ['user', ...words];
      if (words[2] === '--password-file') said.push(passwordPath(said.pop() ?? ''));
      const machine = await cabinet(dataFolder, [...said, '--json']);
      assert.deepEqual([machine.code, machine.stderr], [1, ''], said.join(' '));
      const answer = JSON.parse(machine.stdout) as { Error: { Code: string; Message: string } };
      assert.deepEqual([Object.keys(answer), answer.Error.Code], [['Error'], code]);
      assert.match(answer.Error.Message, message);
      assert.doesNotMatch(JSON.stringify(machine), /elevenchars/, 'a password is not repeated');
      // The text output says the same: one error of the service, and one usage error that it never sees.
      if (words[2] !== '--password-file') continue;
      const plain = await cabinet(dataFolder, said);
      assert.deepEqual([plain.code, plain.stdout], [1, ''], said.join(' '));
      assert.match(plain.stderr, message);
      assert.doesNotMatch(plain.stderr, /elevenchars/, 'a password is not repeated');
    }
  });

  it('refuse every invalid id and password, also a new one, and create nobody', async () => {
    const password = 'correct horse battery';
    const refuses = async (name: string, input: Record<string, unknown>, code: string) => {
      const isRefused = (error: unknown) => error instanceof Refusal && error.code === code;
      await assert.rejects(command(dataFolder, name, input), isRefused, JSON.stringify(input));
    };
    for (const bad of Object.values(passwords)) {
      const [line] = bad.split('\n');
      await refuses('user add', { user: 'new-person', password: line }, 'InvalidField');
      if (!bad.includes('New-Person')) {
        await refuses('user password', { user: 'ann@corp.example', password: line }, 'InvalidField');
      }
    }
    for (const user of ['app:first', 'ak_ann', 'AK_ANN', '', 'ann other', '.ann', 'änn', 'ann\n', 'a'.repeat(129)]) {
      await refuses('user add', { user, password }, 'InvalidField');
    }
    for (const name of ['', ' ', ' Ann', 'Ann\nOther', '\u202eAnn', 'x'.repeat(201)]) {
      await refuses('user add', { user: 'new-person', password, name }, 'InvalidField');
    }
    for (const user of ['asleep', 'ASLEEP']) await refuses('user add', { user, password }, 'NameAlreadyExists');
    for (const name of ['user disable', 'user enable', 'user password']) {
      await refuses(name, { user: 'nobody' }, 'UserNotFound');
    }
    await refuses('user add', { user: 'new-person', env: 'staging' }, 'InvalidField');
    for (const [user, role, space, code] of [
      ['ann@corp.example', 'editor', 'nowhere', 'SpaceNotFound'],
      ['corp:ann', 'editor', 'nowhere', 'SpaceNotFound'],
      ['nobody', 'editor', 'first', 'UserNotFound'],
      ['ann@corp.example', 'Editor', 'first', 'InvalidField'],
    ] as const) {
      await refuses('user role', { user, role, space }, code);
    }
    const { Users } = await command<{ Users: { User: string }[] }>(dataFolder, 'user list');
    assert.deepEqual(
      Users.map(({ User }) => User),
      ['admin', 'ann@corp.example', 'asleep'],
    );
  });

  it('take a password from standard input, do not show it, and list people without it', async () => {
    const Password = 'correct horse battery';
    const words = ['user', 'add', 'piped', '--password-file', '-', '--json'];
    const running = promisify(execFile)(cabinetProgram, words, { env: toVariables(dataFolder) });
    running.child.stdin?.end(`${Password}\r\nnot this\n`);
    const { stdout } = await running;
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['User', 'Name', 'State', 'CreatedAt']);
    await setRole(dataFolder, 'PIPED', 'manager', 'first');
    const page = await addPage(dataFolder, 'page');
    await signIn(await discover(service.production, page), { User: ' Piped ', Password });
    const listed = await cabinet(dataFolder, ['user', 'list']);
    assert.match(listed.stdout, /^piped\tactive\tfirst=manager$/m);
    assert.match(listed.stdout, /^asleep\tdisabled\t$/m);
    const { Users } = await command<{ Users: Record<string, unknown>[] }>(dataFolder, 'user list');
    for (const user of Users) assert.deepEqual(Object.keys(user), ['User', 'Name', 'State', 'CreatedAt', 'Roles']);
    assert.equal(Users.find(({ User }) => User === 'ann@corp.example')?.Name, 'Ann Other');
    assert.doesNotMatch(JSON.stringify(Users), /argon2|correct horse/);
  });
});
