// Signing in and out: a person in the browser, an application by its secret; several profiles; where credentials are kept.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from '../security/browser.ts';
import { addUser, setRole } from '../service/operator.ts';
import { eventually, type Registered } from '../service/service.ts';
import { modeOf, Person } from './person.ts';

let person: Person;
let door: Registered;

before(async () => {
  person = await Person.atService({ environment: { CABINET_MTLS_PORT: '0' } });
  await person.operate(['app', 'add', 'left']);
  await person.operate(['app', 'add', 'right']);
  door = await person.operate<Registered>([
    'app',
    'add',
    'door',
    '--for-people',
    '--redirect-uri',
    'http://127.0.0.1/signed-in',
  ]);
});

after(() => person.leave());

interface Kept {
  Current: string;
  Profiles: Record<string, Record<string, string>>;
}

function kept(): Kept {
  return JSON.parse(readFileSync(person.profilesPath, 'utf8')) as Kept;
}

/** Begins a sign-in without a browser and gives the address that it prints, and the end of the command. */
async function begin(
  words: string[],
  appKey: string | null = door.AppKey,
): Promise<{ address: string; ended: Promise<{ code: number; stdout: string; stderr: string }> }> {
  const application = appKey === null ? [] : ['--app-key', appKey];
  const child = person.begin(['login', person.service.production, ...application, '--no-browser', ...words]);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, stdout, stderr }));
  await eventually('it prints an address', () => /http\S+authorize\S+/.test(stderr), 30_000);
  return { address: /http\S+authorize\S+/.exec(stderr)?.[0] ?? '', ended };
}

/** `choose` clicks on a space where the page of the command asks for one. */
async function signInAs(
  user: string,
  password: string,
  words: string[] = [],
  { appKey = door.AppKey, choose = '' }: { appKey?: string | null; choose?: string } = {},
) {
  const { address, ended } = await begin(words, appKey);
  const browser = new Browser();
  const next = await browser.submit(await browser.open(address), { user, password });
  const asked = next.url.pathname.includes('/consent/') ? next : null;
  const back = asked === null ? next : await browser.submit(asked, { answer: 'allow' });
  const page = await fetch(back.url);
  let text = await page.text();
  const button = new RegExp(`<button name="choice" value="([^"]+)"[^>]*>${choose}<`).exec(text);
  const asks = button !== null;
  if (button?.[1] !== undefined) {
    const body = new URLSearchParams({ choice: button[1] });
    text = await (await fetch(back.url, { method: 'POST', body })).text();
  }
  return { page, text, asks, consent: asked?.text ?? null, back: back.url, ...(await ended) };
}

test('a person signs in in the browser, works, and the sign-in is renewed automatically', async () => {
  const ann = await addUser(person.dataFolder, 'ann');
  await setRole(person.dataFolder, 'ann', 'editor', 'left');
  const { code, stdout, page, text, back } = await signInAs('ann', ann.Password);
  assert.equal(code, 0, stdout);
  assert.equal(back.hostname, '127.0.0.1');
  assert.equal(page.status, 200);
  assert.match(text, /You are signed in/);
  assert.match(stdout, /as ann, space left/);
  assert.equal(modeOf(person.profilesPath), 0o600);
  assert.equal(modeOf(join(person.profilesPath, '..')), 0o700);
  await person.lines('mkdir', '/from Ann');
  const { Listed } = await person.json<{ Listed: { Children: { CreatedBy: string }[] }[] }>('ls');
  assert.equal(Listed[0]?.Children[0]?.CreatedBy, 'ann');
  const before = kept();
  const old = before.Profiles.default;
  assert.ok(old !== undefined);
  old.ExpiresAt = new Date().toISOString();
  writeFileSync(person.profilesPath, JSON.stringify(before));
  // All three want a new token, and a refresh token is good once.
  const together = await Promise.all([1, 2, 3].map(() => person.run(['ls'], { isProcess: true })));
  for (const { code: ended, stderr } of together) assert.equal(ended, 0, stderr);
  assert.notEqual(kept().Profiles.default?.RefreshToken, old.RefreshToken);
  await person.lines('ls');
});

test('app passwords are made, listed and removed, and open WebDAV until then', async () => {
  const dav = async (password: string, method = 'PROPFIND') => {
    const Authorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
    const headers = { Authorization, Depth: method === 'PROPFIND' ? '1' : 'infinity' };
    const response = await fetch(`${person.service.production}/dav/left/made`, { method, headers });
    await response.text();
    return response.status;
  };
  assert.deepEqual(await person.lines('app-password', 'list'), [
    'You have no app passwords. Create one: cabinet app-password add NAME',
  ]);
  const { code, stdout, stderr } = await person.run(['app-password', 'add', 'laptop', '--expires', '30d']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^cap_\S+\n$/);
  assert.ok(stderr.includes(`Address: ${person.service.production}/dav/\nUser: ann\n`), stderr);
  const [reading] = await person.lines('app-password', 'add', 'reader', '--read-only', '--only', 'left');
  assert.deepEqual([await dav(stdout.trim(), 'MKCOL'), await dav(reading ?? '')], [201, 207]);
  assert.equal(await dav(reading ?? '', 'DELETE'), 403);
  const [laptop = '', reader = ''] = await person.lines('app-password', 'list');
  assert.match(laptop, /^[0-9a-f]{32} {2}write {2}all spaces {2}.* until \d{4}-\d\d-\d\d \d\d:\d\d {2}laptop$/);
  assert.match(reader, /^[0-9a-f]{32} {2}read {3}left {8}.* no end +reader$/);
  const { AppPasswords } = await person.json<{ AppPasswords: { Id: string; Name: string }[] }>('app-password', 'list');
  assert.deepEqual(
    AppPasswords.map(({ Name }) => Name),
    ['laptop', 'reader'],
  );
  assert.deepEqual(await person.lines('app-password', 'remove', 'laptop'), ['“laptop” is removed.']);
  await person.lines('app-password', 'remove', AppPasswords[1]?.Id ?? '');
  await eventually(
    'both are refused',
    async () => (await dav(stdout.trim())) === 401 && (await dav(reading ?? '')) === 401,
  );
  for (const [words, expected] of [
    [['remove', 'laptop'], 4],
    [['add', 'x', '--only', 'nowhere'], 4],
    [['add', 'x', '--expires', 'soon'], 2],
    [['add', 'x', '--expires', '2020-01-01'], 1],
    [['add'], 2],
  ] as const) {
    assert.equal((await person.run(['app-password', ...words])).code, expected, words.join(' '));
  }
});

test('a token that the service no longer accepts is replaced', async () => {
  const changed = kept();
  const profile = changed.Profiles.default;
  assert.ok(profile !== undefined);
  profile.AccessToken = `${profile.AccessToken?.slice(0, -6)}AAAAAA`;
  writeFileSync(person.profilesPath, JSON.stringify(changed));
  await person.lines('ls');
  assert.notEqual(kept().Profiles.default?.AccessToken, profile.AccessToken);
});

test('a foreign sign-in response is refused, and the real one still succeeds', async () => {
  const ben = await addUser(person.dataFolder, 'ben');
  await setRole(person.dataFolder, 'ben', 'viewer', 'right');
  const { address, ended } = await begin(['--profile', 'ben']);
  const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
  const stranger = await fetch(`${redirect}?code=abc&state=another`);
  assert.equal(stranger.status, 404);
  const browser = new Browser();
  const back = await browser.submit(await browser.open(address), { user: 'ben', password: ben.Password });
  await (await fetch(back.url)).text();
  assert.equal((await ended).code, 0);
  const refused = await person.run(['mkdir', '/mine', '--profile', 'ben']);
  assert.equal(refused.code, 5);
});

test('a person with several spaces chooses one in the browser before it says that they are signed in', async () => {
  const cat = await addUser(person.dataFolder, 'cat');
  const none = await signInAs('cat', cat.Password, ['--profile', 'cat']);
  assert.equal(none.code, 0, none.stderr);
  assert.match(none.stdout, /You are not a member of any space yet/);
  for (const space of ['left', 'right']) await setRole(person.dataFolder, 'cat', 'editor', space);
  const several = await signInAs('cat', cat.Password, ['--profile', 'cat'], { choose: 'right' });
  assert.ok(several.asks);
  assert.equal(several.code, 0, several.stderr);
  assert.match(several.text, /You are signed in/);
  assert.match(several.stdout, /as cat, space right\.\nYour other spaces: left\./);
  assert.equal(kept().Profiles.cat?.SpaceName, 'right');
  const wrong = await signInAs('cat', cat.Password, ['--profile', 'other', '--space', 'nowhere']);
  assert.equal(wrong.code, 4);
  assert.doesNotMatch(wrong.text, /You are signed in/);
  assert.match(wrong.stderr, /You are not in a space "nowhere"\. Your spaces: left, right\./);
  assert.equal(kept().Profiles.other, undefined);
  const named = await signInAs('cat', cat.Password, ['--profile', 'cat', '--space', 'right']);
  assert.ok(!named.asks);
  assert.equal(named.code, 0);
  await person.lines('mkdir', '/here', '--profile', 'cat');
  await person.lines('mkdir', '/there', '--profile', 'cat', '--space', 'left');
  assert.deepEqual(await person.lines('ls', '--profile', 'cat'), ['here/']);
});

test('the address alone is enough to sign in: the person agrees each time, and an operator can switch it off', async () => {
  const dora = await addUser(person.dataFolder, 'dora');
  await setRole(person.dataFolder, 'dora', 'editor', 'left');
  for (const round of [1, 2]) {
    const { code, stderr, consent } = await signInAs('dora', dora.Password, ['--profile', 'dora'], { appKey: null });
    assert.equal(code, 0, stderr);
    assert.match(consent ?? '', /Allow cabinet-cli to use Cabinet\?/, `round ${round}`);
  }
  await person.lines('mkdir', '/from Dora', '--profile', 'dora');
  const app = await person.operate<{ Applications: { Name: string }[] }>(['app', 'list']);
  assert.ok(app.Applications.some(({ Name }) => Name === 'cabinet-cli'));
  await person.operate(['app', 'disable', 'cabinet-cli']);
  const refused = await person.run(['login', person.service.production, '--no-browser']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Sign-ins by the command line are switched off on this service/);
  await person.operate(['app', 'enable', 'cabinet-cli']);
});

test('without a browser a code is typed on another device, also to refuse it', async () => {
  const eve = await addUser(person.dataFolder, 'eve');
  await setRole(person.dataFolder, 'eve', 'editor', 'left');
  for (const [answer, words, code] of [
    ['allow', ['--device'], 0],
    // No display, and no SSH: the test has neither.
    ['deny', [], 3],
  ] as const) {
    const child = person.begin(['login', person.service.production, '--profile', 'eve', ...words]);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = once(child, 'close');
    await eventually('it prints a code', () => /\n {2}[A-Z]{4}-[A-Z]{4}\n/.test(stderr), 30_000);
    const shown = /\n {2}([A-Z]{4}-[A-Z]{4})\n/.exec(stderr)?.[1] ?? '';
    const browser = new Browser();
    const page = await browser.open(/http\S+device/.exec(stderr)?.[0] ?? '');
    const confirm = await browser.submit(page, { user_code: shown });
    assert.match(confirm.text, /It calls itself: <q>cabinet\/\d/);
    const consent = await browser.submit(await browser.submit(confirm, {}), { user: 'eve', password: eve.Password });
    await browser.submit(consent, { answer });
    assert.equal((await ended)[0], code, stderr);
  }
  await person.lines('mkdir', '/from Eve', '--profile', 'eve');
});

test('a login that cannot work fails before a browser opens', async () => {
  const word = await person.run(['login', 'notaurl']);
  assert.equal(word.code, 2);
  assert.match(word.stderr, /"notaurl" is not an address\. Use one such as https:\/\/files\.example\.com/);
  const unreachable = await person.run(['login', 'http://127.0.0.1:1', '--no-browser']);
  assert.equal(unreachable.code, 6);
  const { AppKey } = await person.operate<Registered>([
    'app',
    'add',
    'elsewhere',
    '--for-people',
    '--redirect-uri',
    'https://app.example/',
  ]);
  const redirect = await person.run(['login', person.service.production, '--app-key', AppKey, '--no-browser']);
  assert.equal(redirect.code, 1);
  assert.match(redirect.stderr, /is not an application for sign-ins by the command line .*Leave --app-key out/);
  assert.equal((await person.run(['login', person.service.production, '--secret-file', '-'], { input: 'x' })).code, 2);
});

test('an application signs in by its secret; of several profiles one is current', async () => {
  const application = await person.signIn('robot', ['--profile', 'robot']);
  assert.equal(kept().Current, 'robot');
  assert.equal(kept().Profiles.robot?.Secret, application.Secret);
  const { Profiles } = await person.json<{ Profiles: { Name: string; IsCurrent: boolean }[] }>('profiles');
  assert.deepEqual(
    Profiles.map(({ Name }) => Name),
    ['default', 'ben', 'cat', 'dora', 'eve', 'robot'],
  );
  assert.ok((await person.lines('profiles', 'use', 'default'))[0]?.startsWith('*  default'));
  const { Listed } = await person.json<{ Listed: { Children: unknown[] }[] }>('ls', '--profile', 'robot');
  assert.deepEqual(Listed[0]?.Children, []);
  assert.deepEqual((await person.run(['ls'], { environment: { CABINET_PROFILE: 'robot' } })).stdout, '');
});

test('a server-based application signs in by its certificate, on the mutual-TLS address', async () => {
  const certs = join(person.here, 'certs');
  const words = ['app', 'add', 'back', '--kind', 'server', '--issue-certificate', certs];
  const { AppKey } = await person.operate<Registered>(words);
  const ca = join(person.dataFolder, 'production/certificates/ca.pem');
  const shown = ['--certificate', join(certs, 'back.cert.pem'), '--key', join(certs, 'back.key.pem'), '--ca', ca];
  const login = ['login', String(person.service.mutualTls), '--app-key', AppKey, ...shown, '--profile', 'back'];
  const { code, stderr } = await person.run(login);
  assert.equal(code, 0, stderr);
  person.write('by-certificate.txt', 'shown');
  await person.lines('put', 'by-certificate.txt', '/');
  assert.equal((await person.run(['get', '/by-certificate.txt', '-'])).stdout, 'shown');
  const stranger = await person.run(
    ['login', String(person.service.mutualTls), '--app-key', AppKey, '--secret-file', '-'],
    { input: 'x' },
  );
  assert.notEqual(stranger.code, 0);
});

test('a wrong secret is refused and not stored', async () => {
  const words = [
    'login',
    person.service.production,
    '--app-key',
    door.AppKey,
    '--secret-file',
    '-',
    '--profile',
    'wrong',
  ];
  const { code, stderr } = await person.run(words, { input: 'cs_wrong\n' });
  assert.equal(code, 3);
  assert.match(stderr, /invalid_client/);
  assert.equal(kept().Profiles.wrong, undefined);
});

test('credentials that others can read are not used', async () => {
  chmodSync(person.profilesPath, 0o640);
  const { code, stderr } = await person.run(['ls']);
  assert.equal(code, 1);
  assert.match(stderr, /chmod 600/);
  chmodSync(person.profilesPath, 0o600);
  await person.lines('ls');
});

test('signing out ends the sign-in at the service too, and keeps the other profiles', async () => {
  const { RefreshToken = '', AccessToken = '' } = kept().Profiles.default ?? {};
  await person.lines('logout', '--profile', 'default');
  assert.equal(kept().Profiles.default, undefined);
  const form = { grant_type: 'refresh_token', refresh_token: RefreshToken, client_id: door.AppKey };
  const again = await fetch(`${person.service.production}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  assert.equal(again.status, 400);
  await eventually('the access token is refused', async () => {
    const headers = { Authorization: `Bearer ${AccessToken}`, AppKey: door.AppKey };
    return (
      (await fetch(`${person.service.production}/v1/contentmanagement/folders/-root-`, { headers })).status === 401
    );
  });
  await person.lines('ls', '--profile', 'robot');
  const { code, stderr } = await person.run(['ls', '--profile', 'default']);
  assert.equal(code, 3);
  assert.match(stderr, /There is no profile "default"/);
  assert.ok(existsSync(person.profilesPath));
});
