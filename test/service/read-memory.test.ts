// Memory that reads use again: never while somebody still gets bytes from it, and what it holds is never read instead of what is
// there now.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, CONTENT, call, download, identity, saveFile } from '../interface/client.ts';
import { Agent, request } from '../interface/http.ts';
import { addCaller, makeDataFolder, removeDataFolder } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let caller: Caller;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_LOG_LEVEL: 'silent' } });
  caller = await addCaller(dataFolder, service.production, 'app');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

/** Inline and as blobs; together more than is kept. */
const sizes = [100, 9_000, 60_000, 65_536, 65_537, 1_048_576, 1_500_000];
const filesOfEach = 8;

async function saveAll(): Promise<{ id: string; bytes: Buffer }[]> {
  const files = [];
  for (const size of sizes) {
    for (let index = 0; index < filesOfEach; index += 1) {
      const bytes = randomBytes(size);
      const { File } = await saveFile(caller, { FolderId: '', FileName: `${size}-${index}` }, bytes);
      files.push({ id: File.Id, bytes });
    }
  }
  return files;
}

/** Reads the beginning of the answer and goes away. */
async function abandon(id: string): Promise<void> {
  const agent = new Agent();
  const url = `${caller.base}${CONTENT}/files/${id}/content`;
  await new Promise<void>((resolve, reject) => {
    const sent = request(
      url,
      { agent, headers: identity(caller) as Record<string, string> },
      (answer: IncomingMessage) => {
        answer.once('data', () => {
          answer.destroy();
          resolve();
        });
      },
    );
    sent.on('error', reject).end();
  });
  agent.destroy();
}

test('many who read at once, some of whom go away, get the bytes of the file that they ask for', async () => {
  const files = await saveAll();
  for (let round = 0; round < 6; round += 1) {
    await Promise.all(
      files.map(async ({ id, bytes }, index) => {
        if ((index + round) % 5 === 0) await abandon(id);
        const Range = `bytes=${round * 10}-`;
        const headers = (index + round) % 3 === 0 ? { Range } : {};
        const answer = await call(caller, `/files/${id}/content`, { headers });
        const expected = headers.Range === undefined ? bytes : bytes.subarray(round * 10);
        assert.ok(answer.body.equals(expected), `${bytes.length} bytes in round ${round}`);
      }),
    );
  }
});

test('a new version is read by the next request, and a removed file is gone, however often it was read', async () => {
  const name = { FolderId: '', FileName: 'changing' };
  for (const size of [100, 60_000, 1_048_576]) {
    let id = '';
    for (let version = 1; version <= 4; version += 1) {
      const bytes = randomBytes(size);
      const { File } = await saveFile(caller, name, bytes);
      id = File.Id;
      for (let time = 0; time < 3; time += 1) assert.ok((await download(caller, id)).equals(bytes));
    }
    assert.equal((await call(caller, `/entries/${id}`, { method: 'DELETE' })).status, 200);
    assertRefusal(await call(caller, `/files/${id}/content`), 404, 'FileNotFound');
  }
});

test('a byte that the disk changes after a blob was read is found by the next read', async () => {
  const bytes = randomBytes(700_000);
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'rots later' }, bytes);
  for (let time = 0; time < 3; time += 1) assert.ok((await download(caller, File.Id)).equals(bytes));
  const folder = join(dataFolder, 'production', 'blobs');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const path = paths.find((each) => /[0-9a-f]{32}$/.test(each) && readFileSync(each).equals(bytes)) ?? assert.fail();
  const stored = readFileSync(path);
  stored[500_000] = (stored[500_000] as number) ^ 1;
  writeFileSync(path, stored);
  assertRefusal(await call(caller, `/files/${File.Id}/content`), 500, 'InternalError');
});
