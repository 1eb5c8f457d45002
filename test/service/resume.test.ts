// Programs that resume a download: what they have is kept, what is missing is fetched.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type Caller, CONTENT, identity, saveFile } from '../interface/client.ts';
import { skipWithout } from './programs.ts';
import { addCaller, makeDataFolder, removeDataFolder } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
const bytes = randomBytes(3_000_000);
let service: StartedHere;
let caller: Caller;
let url: string;

before(async () => {
  service = await startServiceHere(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'resuming');
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'a.bin' }, bytes);
  url = `${service.production}${CONTENT}/files/${File.Id}/content`;
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const ways = {
  curl: (path: string, headers: string[]) => ['-sS', '--fail', '-C', '-', '-o', path, ...toOptions('-H', headers), url],
  wget: (path: string, headers: string[]) => ['-q', '-c', '-O', path, ...toOptions('--header', headers), url],
};

function toOptions(option: string, headers: string[]): string[] {
  return headers.flatMap((header) => [option, header]);
}

for (const [program, toWords] of Object.entries(ways)) {
  test(`${program} resumes an interrupted download`, { skip: skipWithout(program as keyof typeof ways) }, async () => {
    const path = join(dataFolder, '..', `${program}.bin`);
    // What is there already is marked: it must not be fetched again.
    const had = Buffer.alloc(1_234_567, 0x2e);
    writeFileSync(path, had);
    const headers = Object.entries(identity(caller)).map(([name, value]) => `${name}: ${value}`);
    await promisify(execFile)(program, toWords(path, headers));
    const got = readFileSync(path);
    assert.equal(got.length, bytes.length);
    assert.ok(got.subarray(0, had.length).equals(had));
    assert.ok(got.subarray(had.length).equals(bytes.subarray(had.length)));
  });
}
