// `cabinet access` and `cabinet group`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exitCodes } from '../../src/cli/user/exit-codes.ts';
import { cabinet } from '../service/here.ts';
import { addUser } from '../service/operator.ts';
import { Person } from './person.ts';

let person: Person;

before(async () => {
  person = await Person.atService();
  const scopes = ['--scopes', 'content.read content.write content.admin'];
  const application = await person.operate<{ AppKey: string; Secret: string }>(['app', 'add', 'desk', ...scopes]);
  assert.equal((await person.logIn(person.service.production, application, [])).code, 0);
  for (const name of ['ann', 'bob']) await addUser(person.dataFolder, name);
  await person.lines('mkdir', '/cases/inner');
});

after(() => person.leave());

const operate = async (...words: string[]) => (await cabinet(person.dataFolder, words)).stdout.trimEnd().split('\n');

test('operators make, show, change and remove groups', async () => {
  assert.deepEqual(await operate('group', 'list', 'desk'), [
    'There are no groups. Add one: cabinet group add SPACE GROUP',
  ]);
  const made = await person.operate(['group', 'add', 'desk', 'legal', '--members', 'ann,bob']);
  assert.deepEqual(made, { Space: 'desk', Name: 'legal', Members: ['ann', 'bob'] });
  assert.deepEqual(await operate('group', 'change', 'desk', 'legal', '--remove', 'bob'), ['legal\tann']);
  await person.operate(['group', 'add', 'desk', 'empty']);
  assert.deepEqual(await operate('group', 'list', 'desk'), ['empty\t', 'legal\tann']);
  assert.deepEqual(await operate('group', 'show', 'desk', 'legal'), ['legal\tann']);
  assert.deepEqual(await operate('group', 'remove', 'desk', 'empty'), ['empty']);
  for (const [words, code] of [
    [['list', 'nowhere'], 'SpaceNotFound'],
    [['show', 'desk', 'nobody'], 'GroupNotFound'],
    [['add', 'desk', 'legal'], 'NameAlreadyExists'],
    [['change', 'desk', 'legal', '--add', 'nobody'], 'UserNotFound'],
  ] as const) {
    const { code: exitCode, stdout } = await cabinet(person.dataFolder, ['group', ...words, '--json']);
    assert.notEqual(exitCode, 0);
    assert.equal(JSON.parse(stdout).Error.Code, code);
  }
});

test('access shows who may see an entry, grants and revokes', async () => {
  assert.deepEqual(await person.lines('access', '/cases', 'grant', 'user:ann', 'editor'), [
    'user:ann  editor  granted on /cases',
  ]);
  await person.operate(['group', 'add', 'desk', 'readers']);
  await person.lines('access', '/cases/inner', 'grant', 'group:readers', 'viewer');
  assert.deepEqual(await person.lines('access', '/cases/inner'), [
    'group:readers  viewer  granted on /cases/inner',
    'user:ann       editor  granted on /cases',
  ]);
  const { Access } = await person.json<{ Access: { Principal: string }[] }>('access', '/cases', 'revoke', 'user:ann');
  assert.deepEqual(Access, []);
});

test('what makes no sense is a usage error, and what does not exist is not found', async () => {
  for (const words of [
    ['/cases', 'give'],
    ['/cases', 'grant'],
    ['/cases', 'grant', 'user:ann'],
    ['/cases', 'grant', 'user:ann', 'manager'],
    ['/cases', 'revoke', 'user:ann', 'viewer'],
  ]) {
    assert.equal((await person.run(['access', ...words])).code, exitCodes.wrongUse, words.join(' '));
  }
  assert.equal((await person.run(['access', '/nowhere'])).code, exitCodes.notFound);
  assert.notEqual((await person.run(['access', '/cases', 'grant', 'user:nobody', 'viewer'])).code, 0);
});
