// put and get: files, folders, patterns, standard input and output, and what must not be sent or written.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { digests, Person, remoteDigests } from './person.ts';

const stranger = { AppKey: 'ak_x', Secret: 'cs_x' };
let person: Person;

before(async () => {
  person = await Person.signedIn();
});

after(() => person.leave());

interface Result {
  Files: number;
  Folders: number;
  Bytes: number;
  Unchanged: number;
  Failed: { Path: string; Code: string }[];
}

test('a tree is uploaded and downloaded with the same digests, including empty folders and files', async () => {
  for (let index = 0; index < 150; index += 1)
    person.write(`big tree/${index % 7}/${index % 3}/file ${index} – ü.txt`, `content ${index}`);
  person.write('big tree/empty', '');
  person.write('big tree/medium.bin', randomBytes(300_000));
  person.write('big tree/large.bin', randomBytes(12_000_000));
  mkdirSync(join(person.here, 'big tree/nothing in it'));
  const up = await person.json<Result>('put', 'big tree', '/up/');
  assert.deepEqual([up.Files, up.Failed], [153, []]);
  assert.deepEqual(
    await person.json<Result>('get', '/up/big tree', 'down').then(({ Files, Failed }) => [Files, Failed]),
    [153, []],
  );
  assert.deepEqual(digests(join(person.here, 'down')), digests(join(person.here, 'big tree')));
  const again = await person.json<Result>('get', '/up/big tree', 'down');
  assert.ok(again.Folders > 0, 'into the folder that is there now, under its name');
});

test('existing files with the same bytes are not downloaded, and large ones not uploaded again', async () => {
  const again = await person.json<Result>('put', 'big tree/large.bin', 'big tree/medium.bin', '/up/big tree/');
  assert.deepEqual([again.Files, again.Unchanged], [0, 2]);
  const before = statSync(join(person.here, 'down/large.bin')).ino;
  const { Files, Unchanged } = await person.json<Result>('get', '/up/big tree/large.bin', 'down');
  assert.deepEqual([Files, Unchanged], [0, 1]);
  assert.equal(statSync(join(person.here, 'down/large.bin')).ino, before);
});

test('one file gets the given name, or goes into an existing folder', async () => {
  person.write('one.txt', 'one');
  assert.deepEqual(await person.lines('put', 'one.txt', '/new/deep/other.txt'), ['saved /new/deep/other.txt (3 B)']);
  assert.deepEqual(await person.lines('put', 'one.txt', '/new/deep'), ['saved /new/deep/one.txt (3 B)']);
  assert.deepEqual(await person.lines('get', '/new/deep/other.txt', 'renamed.txt'), ['downloaded renamed.txt (3 B)']);
  assert.deepEqual(await person.lines('get', '/new/deep/other.txt'), ['downloaded other.txt (3 B)']);
  assert.equal(person.read('renamed.txt'), 'one');
});

test('patterns select files, on both sides', async () => {
  for (const name of ['p1.log', 'p2.log', 'p3.txt']) person.write(`patterns/${name}`, name);
  assert.equal((await person.json<Result>('put', 'patterns/*.log', '/logs/')).Files, 2);
  mkdirSync(join(person.here, 'got'));
  assert.equal((await person.json<Result>('get', '/logs/p?.log', 'got')).Files, 2);
  assert.deepEqual(readdirSync(join(person.here, 'got')), ['p1.log', 'p2.log']);
});

test('standard input and output carry any bytes', async () => {
  const bytes = randomBytes(3_000_000);
  const { code, stderr } = await person.run(['put', '-', '/pipes/in.bin'], { input: bytes });
  assert.equal(code, 0, stderr);
  person.write('in.bin', bytes);
  await person.lines('get', '/pipes/in.bin', 'out.bin');
  assert.ok(readFileSync(join(person.here, 'out.bin')).equals(bytes));
  const both = await person.run(['get', '/logs/p1.log', '/logs/p2.log', '-']);
  assert.equal(both.stdout, 'p1.logp2.log');
});

test('--if-there chooses what to do with an existing file', async () => {
  person.write('c.txt', 'changed');
  await person.lines('put', 'one.txt', '/conflict/c.txt');
  assert.equal((await person.run(['put', 'c.txt', '/conflict/', '--if-there', 'fail'])).code, 1);
  assert.deepEqual(await person.lines('put', 'c.txt', '/conflict/', '--if-there', 'rename'), [
    'saved /conflict/c (2).txt (7 B)',
  ]);
  await person.lines('put', 'c.txt', '/conflict/', '--if-there', 'keep');
  assert.equal((await person.run(['get', '/conflict/c.txt', '-'])).stdout, 'one');
});

test('properties and comments are transferred', async () => {
  await person.lines('put', '--property', 'Year=2026', '--property', 'Who=a=b', 'one.txt', '/props/');
  const { Listed } = await person.json<{ Listed: { Entry: { Properties: object } }[] }>('ls', '/props/one.txt');
  assert.deepEqual(Listed[0]?.Entry.Properties, { Year: '2026', Who: 'a=b' });
});

test('links, pipes and unreadable files are skipped and reported; the rest is transferred', async () => {
  const isRoot = process.getuid?.() === 0;
  person.write('odd/fine.txt', 'fine');
  person.write('odd/secret.txt', 'mine');
  chmodSync(join(person.here, 'odd/secret.txt'), 0);
  symlinkSync('/etc/passwd', join(person.here, 'odd/link.txt'));
  symlinkSync('..', join(person.here, 'odd/loop'));
  writeFileSync(Buffer.concat([Buffer.from(join(person.here, 'odd/')), Buffer.from([0xff, 0xfe])]), 'no text');
  const { code, stdout } = await person.run(['put', 'odd', '/', '--json']);
  const { Failed } = JSON.parse(stdout) as Result;
  assert.equal(code, 7);
  const names = Failed.map(({ Path }) => Path.split('/').at(-1)).toSorted();
  assert.deepEqual(names, ['link.txt', 'loop', ...(isRoot ? [] : ['secret.txt']), '\ufffd\ufffd'].toSorted());
  assert.deepEqual(await person.lines('ls', '/odd'), isRoot ? ['fine.txt', 'secret.txt'] : ['fine.txt']);
  const named = await person.json<Result>('put', 'odd/link.txt', '/named/');
  assert.equal(named.Files, 1);
});

test('a name that the service refuses is reported, and the others are saved', async () => {
  person.write('names/good.txt', 'good');
  person.write('names/ends with space ', 'bad');
  const { code, stdout } = await person.run(['put', 'names', '/', '--json']);
  assert.equal(code, 7);
  const { Failed } = JSON.parse(stdout) as Result;
  assert.deepEqual(
    Failed.map(({ Path, Code }) => [Path, Code]),
    [['/names/ends with space ', 'InvalidName']],
  );
  assert.deepEqual(await person.lines('ls', '/names'), ['good.txt']);
});

test('a symbolic link in place of a folder is not followed by a download', async () => {
  person.write('safe/inner/file.txt', 'inner');
  await person.lines('put', 'safe', '/');
  mkdirSync(join(person.here, 'target/safe'), { recursive: true });
  mkdirSync(join(person.here, 'outside'));
  symlinkSync('../../outside', join(person.here, 'target/safe/inner'));
  const { code, stdout } = await person.run(['get', '/safe', 'target', '--json']);
  assert.equal(code, 1, stdout);
  assert.deepEqual(readdirSync(join(person.here, 'outside')), []);
  person.write('victim', 'untouched');
  await person.lines('get', '/safe/inner/file.txt', 'target');
  symlinkSync('../victim', join(person.here, 'target/other.txt'));
  await person.lines('get', '/safe/inner/file.txt', 'target/other.txt');
  assert.equal(person.read('victim'), 'untouched');
  assert.ok(lstatSync(join(person.here, 'target/other.txt')).isFile());
});

test('a remote name can never leave the target folder, whatever the service sends', async (context) => {
  const hostile = ['../escaped.txt', '..', '.', '/etc/escaped', 'a/b.txt', 'a\\b.txt', 'nul\0.txt', 'line\nbreak', ''];
  const record = (name: string, index: number, Type = 'file') => ({
    Id: `id-${index}`,
    Name: name,
    Type,
    Size: 2,
    ModifiedAt: '2026-01-01T00:00:00.000Z',
    Properties: {},
  });
  const top = record('evil', 100, 'folder');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://any');
    const json = (body: object) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    if (pathname === '/oauth2/token') return json({ access_token: 'a.b.c', expires_in: 3600, token_type: 'Bearer' });
    if (pathname.endsWith('/spaces')) return json({ Spaces: [{ Id: 's', Name: 's', RootFolderId: 'r' }] });
    if (pathname.endsWith('/content'))
      return response.setHeader('Repr-Digest', 'sha-256=:j0NDRmSPa5bfid2pAcUXaxCm2Dlh3TwayItZstwyeqQ=:').end('hi');
    if (pathname.endsWith('/folders/id-100'))
      return json({ Folder: top, Children: [...hostile, 'good.txt'].map((name, index) => record(name, index)) });
    if (pathname.endsWith('/folders')) return json({ Folder: top, Children: [] });
    response.statusCode = 404;
    return json({ Error: { Code: 'FileNotFound', Message: 'no', RequestTrackingId: 'x' } });
  }).listen(0, '127.0.0.1');
  context.after(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await person.logIn(`http://127.0.0.1:${port}`, stranger, ['--profile', 'evil']);
  mkdirSync(join(person.here, 'cage/in'), { recursive: true });
  const { code, stdout } = await person.run(['get', '/evil', 'cage/in', '--profile', 'evil', '--json', '--quiet']);
  assert.equal(code, 7, stdout);
  assert.equal((JSON.parse(stdout) as Result).Failed.length, hostile.length);
  assert.deepEqual(Object.keys(digests(join(person.here, 'cage'))), ['in', 'in/evil', 'in/evil/good.txt']);
  for (const path of ['/etc/escaped', join(person.here, 'escaped.txt')]) assert.ok(!existsSync(path), path);
});

test('a damaged download does not get the final name', async (context) => {
  await person.lines('profiles', 'use', 'default');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://any');
    const json = (body: object) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    const Entry = {
      Id: 'f',
      Name: 'f.txt',
      Type: 'file',
      Size: 2,
      ModifiedAt: '2026-01-01T00:00:00.000Z',
      Properties: {},
    };
    if (pathname === '/oauth2/token') return json({ access_token: 'a.b.c', expires_in: 3600, token_type: 'Bearer' });
    if (pathname.endsWith('/spaces')) return json({ Spaces: [{ Id: 's', Name: 's', RootFolderId: 'r' }] });
    if (pathname.endsWith('/content'))
      return response.setHeader('Repr-Digest', 'sha-256=:j0NDRmSPa5bfid2pAcUXaxCm2Dlh3TwayItZstwyeqQ=:').end('ho');
    return json({ Entry, Path: '/f.txt', ETag: '"x"', Sha256: '0'.repeat(64), Version: 1 });
  }).listen(0, '127.0.0.1');
  context.after(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await person.logIn(`http://127.0.0.1:${port}`, stranger, ['--profile', 'rot']);
  mkdirSync(join(person.here, 'rotten'));
  const { code, stdout } = await person.run(['get', '/f.txt', 'rotten', '--profile', 'rot', '--json']);
  assert.equal(code, 1, stdout);
  assert.equal((JSON.parse(stdout) as { Error: { Code: string } }).Error.Code, 'DigestMismatch');
  assert.deepEqual(readdirSync(join(person.here, 'rotten')), []);
  await person.lines('profiles', 'use', 'default');
});

test('the digests of the service equal those of the sent files', async () => {
  person.write('pair/a', 'a');
  person.write('pair/b/c', 'c');
  await person.lines('put', 'pair', '/');
  assert.deepEqual(await remoteDigests(person, '/pair'), digests(join(person.here, 'pair')));
});
