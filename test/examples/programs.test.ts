// The programs in `examples/`, run as their heads say, against a real service.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type Caller, listFolder } from '../interface/client.ts';
import { skipWithout } from '../service/programs.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';

const root = join(import.meta.dirname, '../..');
const dataFolder = makeDataFolder();
let service: StartedHere;
let caller: Caller;

before(async () => {
  service = await startServiceHere(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'examples');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const programs = [
  { program: 'python3', file: 'examples/example.py' },
  { program: 'java', file: 'examples/Example.java' },
] as const;

/** A program that runs for a second has nothing of a compiler and a collector that are made for hours. */
const JAVA_TOOL_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

function run(program: string, file: string, variables: Record<string, string>) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, JAVA_TOOL_OPTIONS, ...variables };
  return promisify(execFile)(program, [file], { cwd: root, env, timeout: 120_000 });
}

for (const { program, file } of programs) {
  const skip = skipWithout(program);

  test(`${file} works as documented`, { skip }, async () => {
    const { AppKey, Secret } = caller.application;
    const settings = { CABINET_URL: service.production, CABINET_APPKEY: AppKey, CABINET_SECRET: Secret };
    const { stdout } = await run(program, file, settings);
    const lines = [/saved a batch of 25 files/, /the same bytes/, /NameAlreadyExists/, /into the trash/];
    for (const line of lines) assert.match(stdout, line);
    assert.deepEqual(await listFolder(caller, caller.application.RootFolderId), []);
  });

  test(`${file} reports a missing setting and a wrong secret`, { skip }, async () => {
    await assert.rejects(run(program, file, {}), /Set CABINET_URL, CABINET_APPKEY and CABINET_SECRET/);
    const { AppKey } = caller.application;
    const wrong = { CABINET_URL: service.production, CABINET_APPKEY: AppKey, CABINET_SECRET: 'wrong' };
    await assert.rejects(run(program, file, wrong), /invalid_client/);
  });

  test(`${file} contains no path of the API`, () => {
    assert.doesNotMatch(
      readFileSync(join(root, file), 'utf8'),
      /contentmanagement|\/(folders|files|entries|changes|oauth2)\b/,
    );
  });
}
