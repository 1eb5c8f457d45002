// Archives of the real service: damaged bytes abort them, many files do not delay others, and `unzip` accepts them. Memory is
// measured in memory.test.ts.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import { assertRefusal, type Entry } from '../interface/assertions.ts';
import { type Caller, CONTENT, call, createFolder, identity, saveFile } from '../interface/client.ts';
import { sized } from '../size.ts';
import { cabinetJson } from './here.ts';
import { skipWithout } from './programs.ts';
import {
  addCaller,
  countDescriptors,
  eventually,
  makeDataFolder,
  removeDataFolder,
  type Started,
  startService,
} from './service.ts';

const dataFolder = makeDataFolder();
const here = join(dataFolder, '..');
const count = sized(2000, 20_000);
let service: Started;
let caller: Caller;

before(async () => {
  service = await startService(dataFolder, { environment: { CABINET_LOG_LEVEL: 'silent' } });
  caller = await addCaller(dataFolder, service.production, 'app');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function open(folder: Entry): Promise<IncomingMessage> {
  const headers = identity(caller) as Record<string, string>;
  return new Promise((resolve, reject) => {
    request(`${caller.base}${CONTENT}/folders/${folder.Id}/archive`, { headers }, resolve).once('error', reject).end();
  });
}

function listBlobs(): string[] {
  const folder = join(dataFolder, 'production/blobs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{32}$/.test(name))
    .map((name) => join(folder, name));
}

/** Saves a file and changes one of its bytes on the disk. */
async function saveRotten(folder: Entry, FileName: string, at: number): Promise<void> {
  const known = new Set(listBlobs());
  await saveFile(caller, { FolderId: folder.Id, FileName }, randomBytes(2_500_000));
  const path = listBlobs().find((one) => !known.has(one)) as string;
  const stored = readFileSync(path);
  stored[at] = (stored[at] as number) ^ 1;
  writeFileSync(path, stored);
}

test('damaged bytes are a 500 at the beginning and abort the archive later: it is never complete and wrong', async () => {
  const root = caller.application.RootFolderId;
  const first = await createFolder(caller, root, 'rotten first');
  await saveRotten(first, 'a', 0);
  assertRefusal(await call(caller, `/folders/${first.Id}/archive`), 500, 'InternalError');
  for (const [name, at] of [
    ['in the first MiB', 5],
    ['in the last one', 2_400_000],
  ] as const) {
    const folder = await createFolder(caller, root, name);
    await saveFile(caller, { FolderId: folder.Id, FileName: 'a' }, randomBytes(300_000));
    await saveRotten(folder, 'b', at);
    await saveFile(caller, { FolderId: folder.Id, FileName: 'c' }, 'c');
    await assert.rejects(call(caller, `/folders/${folder.Id}/archive`), /aborted|socket hang up|ECONNRESET/, name);
  }
});

test('a client that disconnects in the middle leaves no file open', async () => {
  const folder = await createFolder(caller, caller.application.RootFolderId, 'left');
  for (const name of ['a', 'b']) {
    await saveFile(caller, { FolderId: folder.Id, FileName: name }, randomBytes(20_000_000));
  }
  const pid = service.process.pid as number;
  const openBefore = countDescriptors(pid);
  for (let index = 0; index < 20; index += 1) (await open(folder)).destroy();
  await eventually('all are closed', () => countDescriptors(pid) <= openBefore);
});

test('the number of concurrent archives is limited; one more gets Retry-After', async () => {
  const folder = await createFolder(caller, caller.application.RootFolderId, 'crowd');
  await saveFile(caller, { FolderId: folder.Id, FileName: 'a' }, randomBytes(20_000_000));
  const reading: IncomingMessage[] = [];
  for (let index = 0; index < 16; index += 1) reading.push(await open(folder));
  const late = await call(caller, `/folders/${folder.Id}/archive`);
  assertRefusal(late, 403, 'TooManyRequests');
  assert.equal(late.headers['retry-after'], '10');
  assert.equal((await call(caller, `/folders/${folder.Id}/archive`, { method: 'HEAD' })).status, 200);
  for (const one of reading) one.destroy();
  await eventually('there is room', async () => (await call(caller, `/folders/${folder.Id}/archive`)).status === 200);
});

test(`${count} files are extracted by unzip, and other requests are served meanwhile`, {
  skip: skipWithout('unzip'),
}, async () => {
  const tree = join(here, 'many');
  for (let index = 0; index < count; index += 1) {
    if (index % 500 === 0) mkdirSync(join(tree, `Ordner ${index}`), { recursive: true });
    writeFileSync(join(tree, `Ordner ${index - (index % 500)}`, `Grüße ${index}.txt`), `file ${index}\n`.repeat(20));
  }
  await cabinetJson(dataFolder, ['import', tree, '--app', 'app', '--into', '/many']);
  const found = await call(caller, '/folders?path=/many&limit=1');
  const { Folder } = JSON.parse(found.body.toString()) as { Folder: Entry };
  const zip = join(here, 'many.zip');
  const written = pipeline(await open(Folder), createWriteStream(zip));
  let isDone = false;
  void written.finally(() => {
    isDone = true;
  });
  let answers = 0;
  while (!isDone) {
    await call(caller, `/entries/${Folder.Id}`);
    answers += 1;
  }
  await written;
  // It tells names as the locale says.
  const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C.UTF-8' } };
  const tested = execFileSync('unzip', ['-t', zip], options).toString();
  assert.match(tested, /No errors detected/);
  assert.equal(tested.match(/ testing: Ordner \d+\/Grüße \d+\.txt +OK/g)?.length, count);
  console.log(`archive of ${count} files: ${answers} other answers meanwhile`);
  // Without turns in between, all of it is written before the first answer.
  assert.ok(answers > 4, `${answers} answers`);
});
