// Looking, moving, removing and finding, command by command.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { eventually } from '../service/service.ts';
import { Person } from './person.ts';

let person: Person;

interface Entry {
  Id: string;
  Name: string;
  Type: string;
  Size: number;
}

before(async () => {
  person = await Person.signedIn();
  person.write('tree/a.txt', 'the first');
  person.write('tree/b.txt', 'the second one');
  person.write('tree/.hidden', 'unseen');
  person.write('tree/deep/er/c.md', 'at the bottom');
  person.write('tree/caf\u00e9 *.txt', 'a star');
  await person.lines('put', 'tree', '/');
});

after(() => person.leave());

test('ls lists folders first, in any order, with patterns, in long form and as JSON', async () => {
  assert.deepEqual(await person.lines('ls', '/tree'), ['deep/', '.hidden', 'a.txt', 'b.txt', 'caf\u00e9 *.txt']);
  assert.deepEqual(await person.lines('ls', '/tree', '--order', '-size'), [
    'deep/',
    'b.txt',
    'a.txt',
    'caf\u00e9 *.txt',
    '.hidden',
  ]);
  assert.deepEqual(await person.lines('ls', '/tree/[ab].txt'), ['/tree/a.txt', '/tree/b.txt']);
  assert.deepEqual(await person.lines('ls', '/**/*.md'), ['/tree/deep/er/c.md']);
  assert.deepEqual(await person.lines('ls', '/tree/caf\u00e9 \\*.txt'), ['/tree/caf\u00e9 *.txt']);
  const [, line = ''] = await person.lines('ls', '-l', '/tree');
  assert.match(line, /^ *6 B {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}app:desk {2}\.hidden$/);
  const { Listed } = await person.json<{ Listed: { Path: string; Entry: Entry; Children: Entry[] }[] }>('ls', '/tree');
  assert.equal(Listed[0]?.Entry.Type, 'folder');
  assert.equal(Object.keys(Listed[0]?.Children[1] ?? {}).length, 11);
  const byId = await person.lines('ls', `id:${Listed[0]?.Entry.Id}`);
  assert.equal(byId.length, 5);
});

test('tree draws a folder to the given depth', async () => {
  assert.deepEqual(await person.lines('tree', '/tree/deep'), [
    '/tree/deep',
    '└── er/',
    '    └── c.md',
    '',
    '1 folder, 1 file, 13 B',
  ]);
  assert.deepEqual(await person.lines('tree', '/tree/deep', '--depth', '1'), [
    '/tree/deep',
    '└── er/',
    '',
    '1 folder, 0 files, 13 B',
  ]);
});

test('mkdir creates missing parents and accepts existing folders', async () => {
  assert.deepEqual(await person.lines('mkdir', '/x/y/z', '/x/y'), ['/x/y/z', '/x/y']);
  assert.deepEqual(await person.lines('tree', '/x'), ['/x', '└── y/', '    └── z/', '', '2 folders, 0 files, 0 B']);
});

test('cp and mv work into folders and to other names', async () => {
  await person.lines('cp', '/tree/*.txt', '/x');
  assert.deepEqual(await person.lines('ls', '/x'), ['y/', 'a.txt', 'b.txt', 'caf\u00e9 *.txt']);
  assert.deepEqual(await person.lines('mv', '/x/a.txt', '/x/y/moved.txt'), ['/x/a.txt → /x/y/moved.txt']);
  await person.lines('cp', '/tree', '/again');
  assert.deepEqual(await person.lines('ls', '/again/deep/er'), ['c.md']);
  const taken = await person.run(['cp', '/tree/b.txt', '/x', '--json']);
  assert.equal(taken.code, 1);
  assert.equal((JSON.parse(taken.stdout) as { Error: { Code: string } }).Error.Code, 'NameAlreadyExists');
  assert.deepEqual(await person.lines('cp', '/tree/b.txt', '/x', '--rename'), ['/tree/b.txt → /x/b (2).txt']);
  const several = await person.run(['mv', '/x/b.txt', '/x/b (2).txt', '/nowhere']);
  assert.equal(several.code, 1);
  assert.match(several.stderr, /not a folder/);
});

test('partial success is reported as such', async () => {
  await person.lines('mkdir', '/part');
  await person.lines('cp', '/tree/a.txt', '/part');
  const { code, stdout } = await person.run(['cp', '/tree/a.txt', '/tree/b.txt', '/part', '--json']);
  assert.equal(code, 7);
  const { Done, Failed } = JSON.parse(stdout) as { Done: { To: string }[]; Failed: { Path: string; Code: string }[] };
  assert.deepEqual(
    Done.map(({ To }) => To),
    ['/part/b.txt'],
  );
  assert.deepEqual(
    Failed.map(({ Path, Code }) => [Path, Code]),
    [['/tree/a.txt', 'NameAlreadyExists']],
  );
});

test('rm needs -r for a folder, undelete lists and restores, --permanent deletes for good', async () => {
  const refused = await person.run(['rm', '/x/b.txt', '/x/y']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /--recursive.*Nothing was removed/);
  assert.ok((await person.lines('ls', '/x')).includes('b.txt'));
  await person.lines('rm', '-r', '/x');
  assert.equal((await person.run(['ls', '/x'])).code, 4);
  assert.match((await person.lines('undelete'))[0] ?? '', /app:desk {2}\/x$/);
  assert.deepEqual(await person.lines('undelete', '/x'), ['restored /x']);
  assert.equal((await person.run(['undelete', '/x'])).code, 4);
  await person.lines('rm', '/x/b.txt', '--permanent');
  assert.deepEqual(await person.lines('undelete'), ['The trash is empty.']);
});

test('versions lists and restores versions', async () => {
  person.write('v.txt', 'one');
  await person.lines('put', 'v.txt', '/');
  person.write('v.txt', 'number two');
  await person.lines('put', 'v.txt', '/', '--comment', 'better');
  const { Versions } = await person.json<{ Versions: { Version: number; Comment: string | null }[] }>(
    'versions',
    '/v.txt',
  );
  assert.deepEqual(
    Versions.map(({ Version, Comment }) => [Version, Comment]),
    [
      [2, 'better'],
      [1, null],
    ],
  );
  assert.match((await person.lines('versions', '/v.txt', '--restore', '1'))[0] ?? '', /^3 +3 B/);
  assert.equal((await person.run(['get', '/v.txt', '-'])).stdout, 'one');
  assert.equal((await person.run(['get', '/v.txt', '-', '--version', '2'])).stdout, 'number two');
});

test('search finds names and texts, and the older operator commands still work', async () => {
  await eventually(
    'it is indexed',
    async () => (await person.lines('search', 'bottom')).includes('/tree/deep/er/c.md'),
    30_000,
  );
  assert.deepEqual(await person.lines('search', 'bottom', '--in', '/tree'), [
    '/tree/deep/er/c.md',
    '    at the bottom',
  ]);
  assert.deepEqual(await person.lines('search', 'bottom', '--type', 'folder'), ['No results.']);
  const { Results } = await person.json<{ Results: { Path: string }[] }>('search', 'second', '--limit', '1');
  assert.equal(Results.length, 1);
  for (const word of ['search', 'index'])
    assert.match((await person.lines(word, 'status'))[0] ?? '', /entries are indexed\.$/);
});

test('link and open work without signing in', async () => {
  const [url = ''] = await person.lines('link', '/tree/a.txt', '--expires', '2m');
  assert.equal(await (await fetch(url)).text(), 'the first');
  const [shownFolder = ''] = await person.lines('open', '/tree', '--print');
  assert.match(shownFolder, new RegExp(`^${person.service.production}/files/[0-9a-f-]{36}$`));
  const seen = join(person.here, 'seen');
  const browser = join(person.here, 'browser');
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${seen}.new' && mv '${seen}.new' '${seen}'\n`, { mode: 0o755 });
  const { code } = await person.run(['open', '/tree/a.txt'], { environment: { BROWSER: browser } });
  assert.equal(code, 0);
  let opened = '';
  await eventually('the browser is opened', () => {
    try {
      opened = readFileSync(seen, 'utf8');
    } catch {
      return false;
    }
    return opened !== '';
  });
  const shown = await fetch(opened);
  assert.match(shown.headers.get('content-disposition') ?? '', /^inline/);
  assert.equal(await shown.text(), 'the first');
});

test('watch prints changes beneath a folder as they happen, one object per line, and ends at Ctrl-C', async () => {
  await person.lines('mkdir', '/part');
  const child = person.begin(['watch', '/part', '--json']);
  const lines: { Action: string; Path: string; Cursor: string }[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(JSON.parse(line)));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  // It says nothing until something happens, so things happen until it does.
  let turn = 0;
  await eventually('it watches', async () => {
    turn += 1;
    await person.lines('mkdir', `/part/seen ${turn}`, `/elsewhere ${turn}`);
    return lines.length > 0;
  });
  person.write('w.txt', 'watched');
  await person.lines('put', 'w.txt', '/part/');
  await person.lines('rm', '/part/w.txt');
  await eventually('it tells of the removal', () => lines.some(({ Action }) => Action === 'entry.trashed'), 20_000);
  child.kill('SIGINT');
  assert.equal(await exited, 0);
  const actions = lines.filter(({ Path }) => Path === '/part/w.txt').map(({ Action }) => Action);
  assert.deepEqual(actions, ['file.created', 'entry.trashed']);
  assert.ok(lines.every(({ Path, Cursor }) => Path.startsWith('/part/') && Cursor !== ''));
});

test('completion knows commands, options and remote paths', async () => {
  assert.deepEqual(await person.lines('complete', '--', 'sy'), ['sync']);
  assert.deepEqual(await person.lines('complete', '--', 'sync', ''), ['up', 'down']);
  assert.deepEqual(await person.lines('complete', '--', 'sync', 'up', '--d'), ['--delete', '--dry-run']);
  assert.deepEqual(await person.lines('complete', '--', 'ls', '/tree/d'), ['/tree/deep/']);
  assert.deepEqual(await person.lines('complete', '--', 'put', 'x', '/tree/a'), ['/tree/a.txt']);
  for (const shell of ['bash', 'zsh', 'fish'])
    assert.match((await person.lines('completion', shell)).join('\n'), /cabinet complete --/);
  assert.equal((await person.run(['completion', 'tcsh'])).code, 2);
});

test('every command has a description', async () => {
  const help = await person.run(['--help']);
  assert.equal(help.code, 0);
  assert.match(
    help.stdout,
    /Sign in:[\s\S]*Files and folders:[\s\S]*Operate a service, on its machine:[\s\S]*Examples:/,
  );
  const add = await person.run(['help', 'app', 'add']);
  assert.match(add.stdout, /^Usage: cabinet app add .*<name>/);
  assert.match(add.stdout, /--scopes content\.read\n/);
  const put = await person.run(['put', '--help']);
  assert.match(put.stdout, /LOCAL… REMOTE[\s\S]*Examples:/);
});
