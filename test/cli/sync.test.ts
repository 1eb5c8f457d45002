// sync in both directions, compared by digest on both sides.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { digests, Person, remoteDigests } from './person.ts';

let person: Person;

interface Synced {
  Files: number;
  Folders: number;
  Unchanged: number;
  Deleted: number;
  IsDryRun: boolean;
  Actions: { Action: string; Path: string }[];
  Failed: { Path: string; Code: string }[];
}

before(async () => {
  person = await Person.signedIn();
  for (let index = 0; index < 30; index += 1) person.write(`src/d${index % 4}/f${index}`, `content ${index}`);
  person.write('src/top.txt', 'top');
  person.write('src/large.bin', 'x'.repeat(700_000));
});

after(() => person.leave());

const local = (name: string) => digests(join(person.here, name));

test('a dry run prints what would be done and does nothing', async () => {
  const { IsDryRun, Actions } = await person.json<Synced>('sync', 'up', 'src', '/mirror/deep', '--dry-run');
  assert.ok(IsDryRun);
  assert.deepEqual(Actions[0], { Action: 'make', Path: '/mirror/deep' });
  assert.equal(Actions.filter(({ Action }) => Action === 'put').length, 32);
  assert.equal((await person.run(['ls', '/mirror'])).code, 4);
});

test('up: the remote folder has the same digests afterwards, and a second run has nothing to do', async () => {
  const first = await person.json<Synced>('sync', 'up', 'src', '/mirror/deep');
  assert.deepEqual([first.Files, first.Folders, first.Failed], [32, 5, []]);
  assert.deepEqual(await remoteDigests(person, '/mirror/deep'), local('src'));
  const second = await person.json<Synced>('sync', 'up', 'src', '/mirror/deep');
  assert.deepEqual([second.Files, second.Folders, second.Unchanged, second.Actions], [0, 0, 32, []]);
});

test('up: different content is sent although size and time are equal; extra entries are removed only with --delete', async () => {
  person.write('src/top.txt', 'pot');
  utimesSync(join(person.here, 'src/top.txt'), 1, 1);
  rmSync(join(person.here, 'src/d1'), { recursive: true });
  rmSync(join(person.here, 'src/d2/f2'));
  person.write('src/new/n.txt', 'new');
  const kept = await person.json<Synced>('sync', 'up', 'src', '/mirror/deep');
  assert.deepEqual([kept.Files, kept.Folders, kept.Deleted], [2, 1, 0]);
  assert.ok('d1/f1' in (await remoteDigests(person, '/mirror/deep')));
  const planned = await person.json<Synced>('sync', 'up', 'src', '/mirror/deep', '--delete', '--dry-run');
  assert.deepEqual(planned.Actions.map(({ Action, Path }) => `${Action} ${Path}`).toSorted(), [
    'delete /mirror/deep/d1',
    'delete /mirror/deep/d2/f2',
  ]);
  const gone = await person.json<Synced>('sync', 'up', 'src', '/mirror/deep', '--delete');
  assert.deepEqual([gone.Files, gone.Deleted], [0, 2]);
  assert.deepEqual(await remoteDigests(person, '/mirror/deep'), local('src'));
  assert.equal((await person.json<{ Trash: unknown[] }>('undelete')).Trash.length, 2);
});

test('down: the local folder has the same digests afterwards, and with --delete nothing else', async () => {
  const first = await person.json<Synced>('sync', 'down', '/mirror/deep', 'copy');
  assert.equal(first.Failed.length, 0);
  assert.deepEqual(local('copy'), local('src'));
  person.write('copy/extra/e.txt', 'extra');
  person.write('copy/d0/extra.txt', 'extra');
  person.write('copy/top.txt', 'xxx');
  const dry = await person.json<Synced>('sync', 'down', '/mirror/deep', 'copy', '--delete', '-n');
  assert.deepEqual(dry.Actions.map(({ Action, Path }) => `${Action} ${Path}`).toSorted(), [
    'delete copy/d0/extra.txt',
    'delete copy/extra',
    'get copy/top.txt',
  ]);
  assert.equal(person.read('copy/top.txt'), 'xxx');
  const kept = await person.json<Synced>('sync', 'down', '/mirror/deep', 'copy');
  assert.deepEqual([kept.Files, kept.Deleted], [1, 0]);
  assert.equal(person.read('copy/extra/e.txt'), 'extra');
  const second = await person.json<Synced>('sync', 'down', '/mirror/deep', 'copy', '--delete');
  assert.deepEqual([second.Files, second.Deleted], [0, 2]);
  assert.deepEqual(local('copy'), local('src'));
});

test('a file in place of a folder, and a folder in place of a file, are reported, and replaced with --delete', async () => {
  person.write('kinds/a/inner.txt', 'inner');
  person.write('kinds/b', 'a file');
  await person.lines('sync', 'up', 'kinds', '/kinds');
  rmSync(join(person.here, 'kinds'), { recursive: true });
  person.write('kinds/a', 'now a file');
  person.write('kinds/b/inner.txt', 'now a folder');
  const { code, stdout } = await person.run(['sync', 'up', 'kinds', '/kinds', '--json']);
  assert.equal(code, 7);
  assert.deepEqual(
    (JSON.parse(stdout) as Synced).Failed.map(({ Code }) => Code),
    ['NameAlreadyExists', 'NameAlreadyExists'],
  );
  person.write('there/a/inner.txt', 'old');
  person.write('there/b', 'old');
  await person.lines('sync', 'up', 'kinds', '/kinds', '--delete');
  assert.deepEqual(await remoteDigests(person, '/kinds'), local('kinds'));
  await person.lines('sync', 'down', '/kinds', 'there', '--delete');
  assert.deepEqual(local('there'), local('kinds'));
});

test('excluded local files are not deleted remotely', async () => {
  person.write('partly/real.txt', 'real');
  person.write('partly/linked.txt', 'was a file');
  await person.lines('sync', 'up', 'partly', '/partly');
  rmSync(join(person.here, 'partly/linked.txt'));
  symlinkSync('real.txt', join(person.here, 'partly/linked.txt'));
  const { code } = await person.run(['sync', 'up', 'partly', '/partly', '--delete']);
  assert.equal(code, 7);
  assert.deepEqual(await person.lines('ls', '/partly'), ['linked.txt', 'real.txt']);
});

test('--delete does not follow a link out of the folder', async () => {
  person.write('outside/precious.txt', 'precious');
  mkdirSync(join(person.here, 'caged'));
  symlinkSync('../outside', join(person.here, 'caged/link'));
  await person.lines('sync', 'down', '/partly', 'caged', '--delete');
  assert.equal(person.read('outside/precious.txt'), 'precious');
  assert.deepEqual(Object.keys(local('caged')), ['linked.txt', 'real.txt']);
});
