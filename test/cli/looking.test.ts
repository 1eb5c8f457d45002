// whoami, cat, du, ls -R, --version, and which files --include, --exclude and --bwlimit transfer.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { cabinetProgram } from '../service/service.ts';
import { digests, Person, remoteDigests } from './person.ts';

let person: Person;

before(async () => {
  person = await Person.signedIn();
});

after(() => person.leave());

const names = (of: Record<string, string>) => Object.keys(of);

test('whoami says who is signed in, where, and in which space', async () => {
  const lines = await person.lines('whoami');
  assert.match(lines.join('\n'), /^Application {2}ak_\w{32} \(desk\)\nService +http:\/\/127\S+\nSpace +desk\n/);
  const { Account } = await person.json<{ Account: { Id: string } }>('whoami');
  assert.equal(Account.Id, person.application.AppKey);
  assert.equal((await person.run(['whoami', '--profile', 'nobody'])).code, 3);
});

test('--version prints the version', async () => {
  assert.match((await person.lines('--version')).join(), /^cabinet \d+\.\d+\.\d+$/);
});

test('cat writes files one after the other, an old version too', async () => {
  person.write('one.txt', 'one\n');
  person.write('two.txt', 'two\n');
  await person.lines('put', 'one.txt', 'two.txt', '/cat/');
  assert.deepEqual(await person.lines('cat', '/cat/*.txt'), ['one', 'two']);
  person.write('one.txt', 'one, longer\n');
  await person.lines('put', 'one.txt', '/cat/');
  assert.deepEqual(await person.lines('cat', '/cat/one.txt', '--version', '1'), ['one']);
  assert.equal((await person.run(['cat', '/cat'])).code, 1);
  assert.equal((await person.run(['cat', '/cat/one.txt', '--json'])).code, 2);
  assert.equal((await person.run(['cat', '/nowhere'])).code, 4);
});

test('an old version is fetched with its own size', async () => {
  const got = await person.lines('get', '--version', '1', '/cat/one.txt', 'old.txt');
  assert.deepEqual(got, ['downloaded old.txt (4 B)']);
  assert.equal(person.read('old.txt'), 'one\n');
});

test('du shows sizes of folders, ls -R everything beneath', async () => {
  person.write('tree/a.txt', 'aaaa');
  person.write('tree/deep/b.txt', 'bb');
  await person.lines('put', 'tree', '/');
  assert.deepEqual(await person.lines('du', '/tree'), ['2 B  /tree/deep', '6 B  /tree']);
  assert.deepEqual(await person.lines('du', '--depth', '0', '/tree'), ['6 B  /tree']);
  assert.deepEqual(await person.lines('du', '-a', '--depth', '2', '/tree/deep'), [
    '2 B  /tree/deep/b.txt',
    '2 B  /tree/deep',
  ]);
  assert.equal((await person.run(['du', '--depth', 'x'])).code, 2);
  assert.deepEqual(await person.lines('ls', '-R', '/tree'), ['/tree:', 'deep/', 'a.txt', '', '/tree/deep:', 'b.txt']);
});

test('one file and one folder are singular', async () => {
  person.write('single/inner/x.txt', 'x');
  const lines = await person.lines('sync', 'up', 'single', '/single');
  assert.deepEqual(lines, ['1 file uploaded (1 B), 2 folders created, 0 deleted, 0 unchanged']);
  assert.match((await person.lines('tree', '/single')).join('\n'), /\n1 folder, 1 file, 1 B$/);
});

test('--include and --exclude choose files beneath folders, up and down', async () => {
  for (const path of ['a.jpg', 'a.tmp', 'raw/b.jpg', 'raw/b.txt', 'cache/c.jpg', 'none/d.txt']) {
    person.write(`chosen/${path}`, path);
  }
  await person.lines('put', 'chosen', '/', '--include', '*.jpg', '--exclude', 'cache/');
  assert.deepEqual(names(await remoteDigests(person, '/chosen')), ['a.jpg', 'raw', 'raw/b.jpg']);
  await person.lines('put', 'chosen', '/all/', '--exclude', '*.tmp', '--exclude', '/raw/*.txt');
  assert.deepEqual(names(await remoteDigests(person, '/all/chosen')), [
    ...['a.jpg', 'cache', 'cache/c.jpg', 'none', 'none/d.txt', 'raw', 'raw/b.jpg'],
  ]);
  await person.lines('get', '/all/chosen', 'back', '--include', '*.jpg', '--exclude', 'raw');
  assert.deepEqual(names(digests(`${person.here}/back`)), ['a.jpg', 'cache', 'cache/c.jpg']);
});

test('sync --delete leaves alone what a filter is not about', async () => {
  person.write('both/keep.txt', 'keep');
  person.write('both/sub/old.txt', 'old');
  await person.lines('sync', 'up', 'both', '/both');
  await person.lines('put', 'both/keep.txt', '/both/more.tmp');
  await person.lines('put', 'both/keep.txt', '/both/extra.txt');
  await person.lines('put', 'both/keep.txt', '/both/sub/extra.txt');
  await person.lines('mkdir', '/both/folder');
  await person.lines('sync', 'up', 'both', '/both', '--delete', '--exclude', '*.tmp');
  assert.deepEqual(names(await remoteDigests(person, '/both')), [
    'folder',
    'keep.txt',
    'more.tmp',
    'sub',
    'sub/old.txt',
  ]);
  person.write('both/here.tmp', 'x');
  person.write('both/here.txt', 'x');
  await person.lines('sync', 'down', '/both', 'both', '--delete', '--exclude', '*.tmp');
  assert.deepEqual(names(digests(`${person.here}/both`)), ['folder', 'here.tmp', 'keep.txt', 'sub', 'sub/old.txt']);
});

test('--bwlimit sends and receives the same bytes', async () => {
  person.write('limited/large.bin', randomBytes(1_500_000));
  for (let index = 0; index < 5; index += 1) person.write(`limited/${index}.bin`, randomBytes(2000));
  await person.lines('put', 'limited', '/', '--bwlimit', '50M');
  await person.lines('get', '/limited', 'limited-back', '--bwlimit', '50M');
  assert.deepEqual(digests(`${person.here}/limited-back`), digests(`${person.here}/limited`));
  assert.equal((await person.run(['put', 'limited', '/', '--bwlimit', 'fast'])).code, 2);
});

test('a reader that stops reading is no error', async () => {
  const command = `${cabinetProgram} help | head -1`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], { env: person.variables });
  assert.equal(stdout, 'Usage: cabinet <command> [options]\n');
  assert.equal(stderr, '');
});
