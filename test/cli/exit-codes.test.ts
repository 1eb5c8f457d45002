// Every exit code, each by what it stands for, with the JSON that goes with it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exitCodes } from '../../src/cli/user/exit-codes.ts';
import { findFreePort } from '../free-ports.ts';
import type { Registered } from '../service/service.ts';
import { Person } from './person.ts';

let person: Person;

before(async () => {
  person = await Person.signedIn();
  person.write('a.txt', 'a');
});

after(() => person.leave());

interface Case {
  why: string;
  words: string[];
  code: number;
  /** In the JSON. */
  error: string | null;
}

const cases: Case[] = [
  { why: 'it is done', words: ['put', 'a.txt', '/'], code: 0, error: null },
  {
    why: 'the service refuses it',
    words: ['put', 'a.txt', '/', '--if-there', 'fail'],
    code: 1,
    error: 'NameAlreadyExists',
  },
  { why: 'a file is no folder', words: ['tree', '/a.txt'], code: 1, error: 'NotAFolder' },
  { why: 'a word is missing', words: ['put', 'a.txt'], code: 2, error: 'WrongUse' },
  { why: 'a value makes no sense', words: ['ls', '--order', 'colour'], code: 2, error: 'WrongUse' },
  { why: 'a remote path climbs', words: ['ls', '/a/../b'], code: 2, error: 'WrongUse' },
  { why: 'the profile is not there', words: ['ls', '--profile', 'nobody'], code: 3, error: 'NotSignedIn' },
  { why: 'a remote entry is not there', words: ['ls', '/nowhere'], code: 4, error: 'NotFound' },
  { why: 'nothing matches', words: ['rm', '/*.nothing'], code: 4, error: 'NotFound' },
  { why: 'a local file is not there', words: ['put', 'nothing.txt', '/'], code: 4, error: 'NotFound' },
  { why: 'the root stays', words: ['rm', '-r', '/'], code: 5, error: 'RootIsFixed' },
];

for (const [index, { why, words, code, error }] of cases.entries()) {
  test(`${code} when ${why}: cabinet ${words.join(' ')}`, async () => {
    // Of each code the first is that of a process.
    const isProcess = cases.findIndex((one) => one.code === code) === index;
    const ended = await person.run([...words, '--json'], { isProcess });
    assert.equal(ended.code, code, ended.stdout + ended.stderr);
    const printed = JSON.parse(ended.stdout) as { Error?: { Code: string; Message: string } };
    if (error === null) assert.equal(printed.Error, undefined);
    else if (error !== 'RootIsFixed') assert.equal(printed.Error?.Code, error);
  });
}

test('2 for unknown options and commands, without running anything', async () => {
  for (const words of [['ls', '--colour'], ['sync', 'sideways'], ['link'], ['login', 'a', 'b']]) {
    const { code, stderr } = await person.run(words);
    assert.equal(code, 2, words.join(' '));
    assert.match(stderr, /^cabinet: .*^Usage: cabinet /ms);
    const result = await person.run([...words, '--json']);
    assert.deepEqual([result.code, result.stderr], [2, '']);
    assert.equal((JSON.parse(result.stdout) as { Error: { Code: string } }).Error.Code, 'WrongUse');
  }
});

test('usage errors of operator commands are also JSON, with code 2', async () => {
  for (const words of [['app', 'add'], ['app', 'sideways'], ['sideways'], ['reset'], ['serve', '--colour']]) {
    const { code, stdout, stderr } = await person.run([...words, '--json']);
    assert.deepEqual([code, stderr], [2, ''], words.join(' '));
    const { Error: result } = JSON.parse(stdout) as { Error: { Code: string; Message: string } };
    assert.equal(result.Code, 'WrongUse');
    assert.match(result.Message, /^(missing required argument|unknown|required option)/);
  }
});

test('3 when the sign-in has ended', async () => {
  await person.signIn('short', ['--profile', 'short']);
  await person.operate(['app', 'disable', 'short']);
  const { code } = await person.run(['ls', '--profile', 'short']);
  assert.equal(code, 3);
});

test('5 when the role is not sufficient', async () => {
  const reader = await person.operate<Registered>(['app', 'add', 'reader', '--scopes', 'content.read']);
  assert.equal((await person.logIn(person.service.production, reader, ['--profile', 'reader'])).code, 0);
  const refused = await person.run(['put', 'a.txt', '/', '--profile', 'reader', '--json']);
  assert.equal(refused.code, 5, refused.stdout);
  assert.equal((JSON.parse(refused.stdout) as { Error: { Code: string } }).Error.Code, 'InsufficientScope');
  await person.lines('profiles', 'use', 'default');
});

test('6 when the service does not answer, within a few seconds', async () => {
  const port = await findFreePort();
  const stranger = { AppKey: 'ak_x', Secret: 'cs_x' };
  const { code, stderr } = await person.logIn(`http://127.0.0.1:${port}`, stranger, []);
  assert.equal(code, 6);
  assert.match(stderr, /did not answer: ECONNREFUSED/);
});

test('the tests cover every exit code', () => {
  assert.deepEqual([exitCodes.inPart, exitCodes.interrupted], [7, 130]);
});
