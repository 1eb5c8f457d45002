// What generated clients are tested with: a running service, its description in a file, and the check of what a client's program
// prints. Each program saves a file, reads it, lists its folder, and downloads the folder as a ZIP.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Caller, listFolder, send } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';

export const root = join(import.meta.dirname, '../..');
export const programs = join(import.meta.dirname, 'programs');
/** What every program saves. */
export const content = 'Hello from a generated client.';

export interface World extends AsyncDisposable {
  caller: Caller;
  /** A folder for generated code, with `openapi.json` in it. */
  folder: string;
}

export async function openWorld(environment: Record<string, string> = {}): Promise<World> {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder, { environment });
  const caller = await addCaller(dataFolder, service.production, 'generated');
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-clients-'));
  const description = await send(service.production, '/openapi.json');
  writeFileSync(join(folder, 'openapi.json'), description.body);
  return {
    caller,
    folder,
    async [Symbol.asyncDispose]() {
      await service.stop();
      removeDataFolder(dataFolder);
      rmSync(folder, { recursive: true });
    },
  };
}

/** What a command prints; fails with all of it if the command fails. */
export async function run(
  [program = '', ...words]: readonly string[],
  { cwd, environment = {} }: { cwd: string; environment?: Record<string, string> },
): Promise<string> {
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'close');
  assert.equal(code, 0, `${program} ${words.join(' ')} in ${cwd}:\n${await out}\n${await err}`);
  return await out;
}

/** Runs a command whose output is for whoever runs the test, too; resolves to its exit code and the output. */
export async function runShown(
  program: string,
  words: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, words, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    process.stdout.write(chunk);
  });
  const [code] = await once(child, 'close');
  return { code, output: Buffer.concat(chunks).toString('utf8') };
}

/** Runs the program of a client, and checks that it has done what it prints. */
export async function checkClient(
  { caller }: World,
  command: readonly string[],
  { cwd, folderName }: { cwd: string; folderName: string },
): Promise<string> {
  const { base, token, application } = caller;
  const environment = { BASE: base, TOKEN: token, APP_KEY: application.AppKey };
  const printed = await run(command, { cwd, environment });
  const result = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  assert.equal(result.content, content);
  assert.deepEqual(result.names, ['hello.txt']);
  const archive = Buffer.from(String(result.archive), 'base64');
  assert.equal(archive.toString('latin1', 0, 2), 'PK');
  assert.ok(archive.includes(content) && archive.includes('hello.txt'), 'the archive has the file');
  const folders = await listFolder(caller, application.RootFolderId);
  const folder = folders.find(({ Name }) => Name === folderName);
  const [file] = await listFolder(caller, folder?.Id ?? '');
  assert.equal(file?.Id, result.entryId);
  assert.equal(file?.Size, content.length);
  return `saved ${String(result.entryId)} (${file?.ContentType}), read ${content.length} bytes, listed ${String(result.names)}, downloaded a ZIP of ${archive.length} bytes`;
}
