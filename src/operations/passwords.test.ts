import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { argon2Sync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Refusal } from '../domain/refusal.ts';
import { checkPassword, costs, generatePassword, hashPassword, isPassword, TooBusy } from './passwords.ts';
import { hashPasswordsCheaply } from './passwords-for-tests.ts';

const phc = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

test('a password matches its stored hash, and no other does', async () => {
  const stored = await hashPassword('correct horse battery', 'test');
  assert.ok(await isPassword('correct horse battery', stored, 'test'));
  for (const wrong of ['', 'correct horse batter', 'Correct horse battery', 'correct horse battery ', '\0']) {
    assert.equal(await isPassword(wrong, stored, 'test'), false);
  }
});

test('hashes are salted argon2id in PHC form with the costs that OWASP recommends', async () => {
  const [one, two] = [
    await hashPassword('correct horse battery', 'test'),
    await hashPassword('correct horse battery', 'test'),
  ];
  assert.match(one, phc);
  assert.notEqual(one, two);
  assert.notEqual(one.split('$')[4], two.split('$')[4]);
  assert.ok(!one.includes('horse'));
});

test('different encodings of the same letters are one password', async () => {
  const stored = await hashPassword('caf\u00e9 \ufb01ne and long', 'test');
  assert.ok(await isPassword('cafe\u0301 fine and long', stored, 'test'));
  assert.equal(await isPassword('cafe fine and long', stored, 'test'), false);
});

test('a hash with other costs is checked with those costs', async () => {
  const old = hashWith('password-of-old', 8192, 3);
  assert.ok(await isPassword('password-of-old', old, 'test'));
  assert.equal(await isPassword('password-of-new', old, 'test'), false);
  assert.equal(await isPassword('password-of-old', old.replace('t=3', 't=2'), 'test'), false);
});

function hashWith(password: string, memory: number, passes: number): string {
  const nonce = Buffer.from('somesaltsomesalt');
  const tag = argon2Sync('argon2id', { message: password, nonce, parallelism: 1, tagLength: 32, memory, passes });
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${encode(nonce)}$${encode(tag)}`;
}

test('a stored hash that is not in PHC form matches no password', async () => {
  const good = await hashPassword('correct horse battery', 'test');
  for (const stored of [
    '',
    '0',
    '*',
    'correct horse battery',
    good.slice(1),
    `${good}$`,
    `x${good}`,
    good.replace('argon2id', 'argon2i'),
    good.replace('v=19', 'v=16'),
    good.replace(/\$[^$]*$/, '$'),
    good.replace(/\$[^$]*$/, ''),
    good.replace('m=19456', 'm=0'),
    good.replace('t=2', 't=0'),
    good.replace('p=1', 'p=0'),
    good.slice(0, -4),
  ]) {
    await assert.rejects(isPassword('correct horse battery', stored, 'test'), Error, stored);
  }
  assert.ok(await isPassword('correct horse battery', good, 'test'), 'nothing stays occupied by the failures');
});

function refusalOf(password: string, user: string): Refusal | null {
  try {
    assert.equal(checkPassword(password, user), password);
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'InvalidField' && error.details.target === 'Password');
    return error;
  }
}

test('a password has 12 to 256 characters, however many bytes they take', () => {
  for (const password of ['', 'elevenchars', '\u{1f980}\u{1f981}abcdef', `abcdefgh${'x'.repeat(249)}`]) {
    assert.match(refusalOf(password, 'ann')?.message ?? '', /must have 12 to 256 characters/);
  }
  for (const password of ['twelve chars', '\u{1f980}\u{1f981}abcdefghij', `abcdefgh${'x'.repeat(248)}`]) {
    assert.equal(refusalOf(password, 'ann'), null);
  }
});

test('a password does not contain the user, in whatever case, nor just a few characters', () => {
  assert.equal(refusalOf('a long way to Tipperary', 'a'), null);
  for (const password of ['anna-and-more-of-it', 'the great ANNA herself', 'xxxxxxxxxxAnnaxx']) {
    assert.match(refusalOf(password, 'aNNa')?.message ?? '', /must not contain the user/);
  }
  for (const password of ['aaaaaaaaaaaaaaaa', 'abababababab', 'abcdabcdabcd']) {
    assert.match(refusalOf(password, 'zoe')?.message ?? '', /different characters/);
  }
  assert.ok(!(refusalOf('anna-and-more-of-it', 'anna')?.message ?? '').includes('more-of-it'), 'it is not repeated');
});

test('the 10,000 most common passwords are refused, in whatever case and with whatever behind them', () => {
  const listed = readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8')
    .split('\n----\n')[1]
    ?.trimEnd()
    .split('\n');
  assert.equal(new Set(listed).size, 10_000);
  for (const password of listed ?? []) assert.ok(refusalOf(password, 'zoe') !== null, password);
  for (const password of [
    'password1234',
    'Password1234',
    'PASSWORD1234!',
    '1qaz2wsx3edc',
    'Administrator2026',
    'password1234!?',
  ]) {
    assert.match(refusalOf(password, 'zoe')?.message ?? '', /most common/, password);
  }
  for (const password of ['correct horse battery', 'unbelievable weather', '2026 administrators']) {
    assert.equal(refusalOf(password, 'zoe'), null, password);
  }
});

test('a password has no words of its context, and is not one word over and over', () => {
  for (const password of ['cabinet-2026-x', 'my filing CABINET', '\uff43abinet of curiosities']) {
    assert.match(refusalOf(password, 'zoe')?.message ?? '', /must not contain "cabinet"/);
  }
  for (const password of ['zoeygzoeygzoeyg', 'qwertyqwerty', 'xy7!qxy7!qxy7!q']) {
    assert.match(refusalOf(password, 'zoe')?.message ?? '', /repeat one word/);
  }
  assert.match(refusalOf('carolina goes west', 'carolina@example.org')?.message ?? '', /must not contain the user/);
});

test('the refusal names the field that the password was sent as', () => {
  assert.throws(
    () => checkPassword('short', 'ann', 'New'),
    (error) => error instanceof Refusal && error.details.target === 'New',
  );
});

test('generated passwords are long, distinct and valid', () => {
  const passwords = Array.from({ length: 100 }, generatePassword);
  assert.equal(new Set(passwords).size, 100);
  for (const password of passwords) {
    assert.match(password, /^[\w-]{24}$/);
    assert.equal(refusalOf(password, 'someone@example.org'), null);
  }
});

/** For a test of the order: the real cost would be seconds. */
function hashCheaply(context: TestContext): void {
  const before = { ...costs };
  context.after(() => Object.assign(costs, before));
  hashPasswordsCheaply();
}

test('one hash runs at a time, two with enough cores; 64 wait, and more are rejected', async (context) => {
  hashCheaply(context);
  const atOnce = availableParallelism() > 2 ? 2 : 1;
  const running = new Set<number>();
  let most = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== 'ARGON2REQUEST') return;
      running.add(id);
      most = Math.max(most, running.size);
    },
    before: (id) => void running.delete(id),
  }).enable();
  const hashes = Array.from({ length: 70 }, () => hashPassword('correct horse battery', 'test'));
  const settled = await Promise.allSettled(hashes);
  hook.disable();
  assert.equal(most, atOnce);
  assert.deepEqual(
    settled.map(({ status }) => status),
    [...Array(64 + atOnce).fill('fulfilled'), ...Array(6 - atOnce).fill('rejected')],
  );
  assert.ok(settled.slice(64 + atOnce).every((one) => one.status === 'rejected' && one.reason instanceof TooBusy));
  await hashPassword('correct horse battery', 'test');
});

test('who asks for many hashes at once delays nobody else', async (context) => {
  hashCheaply(context);
  const finished: string[] = [];
  const hash = async (source: string) => {
    await hashPassword('correct horse battery', source);
    finished.push(source);
  };
  await Promise.all([
    ...Array.from({ length: 10 }, () => hash('manager who makes accounts')),
    hash('person who signs in'),
  ]);
  assert.ok(finished.indexOf('person who signs in') <= 4, finished.join(', '));
});
