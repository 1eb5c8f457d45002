// Programs of others: rclone, cadaver, and the file system of davfs2.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { digests } from '../cli/person.ts';
import { skipWithout, skipWithoutMount } from '../service/programs.ts';
import { sized } from '../size.ts';
import { type Dav, type DavService, startDav } from './dav.ts';
import { type Ended, runProgram } from './run-program.ts';

let service: DavService;
let dav: Dav;
const here = mkdtempSync(join(tmpdir(), 'cabinet-dav-clients-'));

before(async () => {
  service = await startDav();
  dav = await service.addClient('clients');
});

after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(here, { recursive: true });
});

async function must(ended: Promise<Ended>): Promise<string> {
  const { code, output } = await ended;
  assert.equal(code, 0, output);
  return output;
}

function credentials(): [user: string, password: string] {
  const [user = '', password = ''] = Buffer.from(dav.authorization.slice(6), 'base64').toString().split(':');
  return [user, password];
}

/** Everything that a name may be here and that programs get wrong: percent signs, separators of addresses, XML, quotes, both
 *  normal forms, characters beyond 16 bits, long ones. */
const oddParts = [
  ...[
    'plain',
    'with space',
    'ü',
    'e\u0301',
    '#',
    '%25',
    '100%',
    '%2F',
    '&amp;',
    "it's",
    '"quoted"',
    '<tag>',
    '?q=1',
    '*',
  ],
  ...[
    'a+b',
    'semi;colon',
    'comma,',
    'at@',
    'tilde~',
    '=',
    '[x]',
    '{y}',
    '|',
    '日本語',
    '😀',
    '.hidden',
    'a..b',
    '$HOME',
    '`id`',
  ],
  ...['ß', 'İ', 'x'.repeat(100), '-dash', '(1)', '!', '^'],
];

function writeOddTree(folder: string, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const part = oddParts[n % oddParts.length] ?? '';
    const inside = n % 3 === 0 ? `folder ${oddParts[Math.floor(n / 3) % oddParts.length]}` : '';
    mkdirSync(join(folder, inside), { recursive: true });
    writeFileSync(
      join(folder, inside, `${part} ${n}.txt`),
      `${n} ${part}\n`.repeat((n % 7) * (n % 50 === 0 ? 2000 : 1)),
    );
  }
}

/** Debian's rclone brings both sides together only where times are kept, as it believes of `owncloud`; it compares each side with
 *  what that side was. */
type Vendor = 'other' | 'owncloud';

let obscured: string | null = null;

async function rcloneAs(vendor: Vendor, ...words: string[]): Promise<string> {
  const [user, password] = credentials();
  // Each time is different, and a remote with another one is another remote to bisync.
  obscured ??= (await must(runProgram('rclone', ['obscure', '-'], { input: password }))).trim();
  const environment = {
    RCLONE_CONFIG: join(here, 'rclone.conf'),
    RCLONE_CACHE_DIR: join(here, 'rclone-cache'),
    RCLONE_CONFIG_CABINET_TYPE: 'webdav',
    RCLONE_CONFIG_CABINET_VENDOR: vendor,
    RCLONE_CONFIG_CABINET_URL: dav.url(''),
    RCLONE_CONFIG_CABINET_USER: user,
    RCLONE_CONFIG_CABINET_PASS: obscured,
  };
  return await must(runProgram('rclone', [...words, '--retries', '1'], { environment }));
}

const rclone = (...words: string[]) => rcloneAs('other', ...words);

test('rclone copies odd names there and back, and finds no difference', { skip: skipWithout('rclone') }, async () => {
  const local = join(here, 'odd');
  writeOddTree(local, sized(100, 2000));
  await rclone('copy', local, 'cabinet:odd');
  const checked = await rclone('check', '--download', local, 'cabinet:odd');
  assert.match(checked, /: 0 differences found/);
  const back = join(here, 'back');
  await rclone('copy', 'cabinet:odd', back);
  assert.deepEqual(digests(back), digests(local));
  const again = await rclone('copy', '-v', local, 'cabinet:odd', '--size-only');
  assert.match(again, /There was nothing to transfer/);
  // rclone moves and removes with its own requests, too.
  await rclone('moveto', 'cabinet:odd', 'cabinet:moved');
  await rclone('check', '--one-way', local, 'cabinet:moved', '--size-only');
  await rclone('purge', 'cabinet:moved');
  assert.ok(!(await dav.list('')).includes('moved'));
});

test('rclone bisync brings changes of both sides together', { skip: skipWithout('rclone') }, async () => {
  const local = join(here, 'both');
  writeOddTree(local, sized(40, 2000));
  await dav.must(201, 'MKCOL', 'both');
  const bisync = (...more: string[]) =>
    rcloneAs('owncloud', 'bisync', local, 'cabinet:both', '--workdir', join(here, 'bisync'), ...more);
  await bisync('--resync');
  assert.equal((await dav.list('both/')).length > 5, true);
  writeFileSync(join(local, 'new here ü.txt'), 'new here');
  await dav.put('both/new%20there%20%25.txt', 'new there');
  rmSync(join(local, 'ü 2.txt'));
  await dav.must(204, 'DELETE', `both/${encodeURIComponent('#')}%204.txt`);
  // A change is found by its time, in whole seconds.
  writeFileSync(join(local, 'with space 1.txt'), 'changed here, and of another length');
  utimesSync(join(local, 'with space 1.txt'), new Date(), new Date(Date.now() + 60_000));
  await bisync();
  assert.equal(await dav.get('both/new%20here%20%C3%BC.txt'), 'new here');
  assert.equal(await dav.get('both/with%20space%201.txt'), 'changed here, and of another length');
  await dav.must(404, 'GET', 'both/%C3%BC%202.txt');
  assert.equal(readFileSync(join(local, 'new there %.txt'), 'utf8'), 'new there');
  assert.equal(existsSync(join(local, '# 4.txt')), false);
  assert.match(await rclone('check', '--download', local, 'cabinet:both'), /: 0 differences found/);
});

test('cadaver: a session from mkcol to delete, with locks and properties', {
  skip: skipWithout('cadaver'),
}, async () => {
  const [user, password] = credentials();
  const home = join(here, 'cadaver');
  mkdirSync(home);
  writeFileSync(join(home, '.netrc'), `machine 127.0.0.1\nlogin ${user}\npassword ${password}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'report ü.txt'), 'the report\n');
  const script = [
    ...['mkcol desk', 'cd desk', `put "report ü.txt" report.txt`, 'ls', 'lock report.txt', 'discover report.txt'],
    ...['showlocks', 'put "report ü.txt" report.txt', 'unlock report.txt', 'propset report.txt colour red'],
    ...['propget report.txt colour', 'copy report.txt copy.txt', 'move copy.txt moved.txt', 'get moved.txt back.txt'],
    ...['cat moved.txt', 'delete moved.txt', 'mkcol inner', 'rmcol inner', 'ls', 'quit'],
  ];
  const environment = { HOME: home };
  const input = `${script.join('\n')}\n`;
  const output = await must(runProgram('cadaver', [dav.url('')], { input, environment, cwd: home }));
  assert.doesNotMatch(output, /failed|could not|error/i, output);
  assert.match(output, /Value of colour is: red/);
  assert.equal(readFileSync(join(home, 'back.txt'), 'utf8'), 'the report\n');
  assert.deepEqual(await dav.list('desk/'), ['report.txt']);
  const { json } = await dav.rest<{ Entry: { Id: string }; Version: number }>('GET', '/files?path=/desk/report.txt');
  // The same bytes twice are one version.
  assert.equal(json.Version, 1);
});

/** The commands of a section of docs/webdav.md. */
function readCommands(section: string): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/webdav.md'), 'utf8');
  const [, text] = new RegExp(`^### ${section}\\n+\`\`\`sh\\n(.*?)\`\`\``, 'ms').exec(page) ?? [];
  assert.ok(text !== undefined, section);
  return text.replaceAll('https://HOST/dav/SPACE/', dav.url(''));
}

test('the commands of docs/webdav.md work as they stand there', { skip: skipWithout('curl', 'rclone') }, async () => {
  const folder = join(here, 'documented');
  mkdirSync(join(folder, 'Pictures'), { recursive: true });
  writeFileSync(join(folder, 'report.pdf'), 'a report');
  writeFileSync(join(folder, 'Pictures', 'sea ü.jpg'), 'a sea');
  const [USER_ID, APP_PASSWORD] = credentials();
  const environment = { HOME: folder, XDG_CONFIG_HOME: join(folder, '.config'), USER_ID, APP_PASSWORD };
  const run = (script: string) => must(runProgram('sh', ['-ec', script], { environment, cwd: folder }));
  await run(readCommands('curl'));
  assert.equal(await dav.get('report.pdf'), 'a report');
  assert.match(await run(readCommands('rclone')), /: 0 differences found/);
  assert.equal(await dav.get('Pictures/sea%20%C3%BC.jpg'), 'a sea');
});

const needsDavfs = skipWithout('davfs2') || skipWithoutMount('the file system of davfs2');

test('davfs2: a mounted space lists, reads, writes, renames and removes', { skip: needsDavfs }, async () => {
  const [user, password] = credentials();
  const folder = join(here, 'davfs');
  const [mountPoint, cache, secrets, conf] = ['mnt', 'cache', 'secrets', 'davfs2.conf'].map((name) =>
    join(folder, name),
  );
  assert.ok(mountPoint && cache && secrets && conf);
  mkdirSync(mountPoint, { recursive: true });
  mkdirSync(cache);
  // Newer kernels ask for 32 KiB of a directory at once; with the 16 KiB that are its default, davfs2 refuses that.
  writeFileSync(conf, `buf_size 64\nask_auth 0\ndelay_upload 0\ncache_dir ${cache}\nsecrets ${secrets}\n`);
  writeFileSync(secrets, `"${dav.url('disk/')}" "${user}" "${password}"\n`, { mode: 0o600 });
  // It gives up its rights and writes its cache as a user of its own.
  await must(runProgram('sh', ['-c', 'chown root:davfs2 "$1" && chmod 775 "$1" && chmod 755 "$2"', 'sh', cache, here]));
  await dav.must(201, 'MKCOL', 'disk');
  await dav.put('disk/there.txt', 'from the service');
  await must(runProgram('mount.davfs', ['-o', `conf=${conf}`, dav.url('disk/'), mountPoint]));
  const disk = (script: string) => must(runProgram('sh', ['-ec', script], { cwd: mountPoint }));
  try {
    assert.equal(await disk('cat there.txt'), 'from the service');
    const local = join(here, 'davfs-tree');
    writeOddTree(local, sized(40, 300));
    await disk(`cp -r '${local}' tree && diff -r '${local}' tree`);
    await disk('mv tree moved; rm -r moved/folder*; echo over > there.txt; mkdir empty; rmdir empty; ls -la');
    assert.match(await disk('ls'), /moved\nthere.txt/);
  } finally {
    await must(runProgram('umount', [mountPoint]));
  }
  assert.equal(await dav.get('disk/there.txt'), 'over\n');
  assert.deepEqual((await dav.list('disk/')).toSorted(), ['moved', 'there.txt']);
  const { json } = await dav.rest<{ Version: number }>('GET', '/files?path=/disk/there.txt');
  assert.equal(json.Version, 2);
});

/** `LOCK`, read, add one, `PUT`, `UNLOCK`, as two editors do it that know nothing of each other. */
async function addOne(client: Dav): Promise<number> {
  const body =
    '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
  let refused = 0;
  for (;;) {
    const { status, headers } = await client.send('LOCK', 'counter', { headers: { Timeout: 'Second-60' }, body });
    const token = headers.get('lock-token') ?? '';
    if (status !== 200) {
      assert.equal(status, 423);
      refused += 1;
      continue;
    }
    const text = await client.get('counter');
    await client.must(204, 'PUT', 'counter', { headers: { If: `(${token})` }, body: String(Number(text) + 1) });
    await client.must(204, 'UNLOCK', 'counter', { headers: { 'Lock-Token': token } });
    return refused;
  }
}

test('two clients that fight over one locked file lose nothing of each other', async () => {
  await dav.put('counter', '0');
  const other = await service.addClient('rival', { space: 'clients' });
  const rounds = sized(15, 300);
  const run = async (client: Dav) => {
    let refused = 0;
    for (let round = 0; round < rounds; round += 1) refused += await addOne(client);
    return refused;
  };
  const refused = await Promise.all([run(dav), run(other)]);
  assert.equal(await dav.get('counter'), String(2 * rounds));
  assert.ok(refused[0] + refused[1] > 0, 'they were in each other’s way');
  const { json } = await dav.rest<{ Version: number }>('GET', '/files?path=/counter');
  assert.equal(json.Version, 2 * rounds + 1);
});
