// The PostgreSQL server that tests start: it runs where its programs cannot be reached, and it leaves nothing behind.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { copyPrograms, findPrograms, findServerUser, makeServerFolder } from './postgres-programs.ts';

test('programs in a private folder, without the symlinks of their libraries, run from a copy', async (context) => {
  const user = findServerUser();
  const folder = makeServerFolder(user);
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const native = dirname(dirname((await findPrograms(folder, user)).postgres));
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const filter = (path: string) => !lstatSync(path).isSymbolicLink();
  cpSync(native, join(closed, 'native'), { recursive: true, filter });
  chmodSync(join(closed, 'native', 'bin', 'postgres'), 0o600);
  const run = (program: string) => spawnSync(program, ['--version'], { ...user, cwd: '/', encoding: 'utf8' });
  assert.notEqual(run(join(closed, 'native', 'bin', 'postgres')).status, 0);
  const programs = copyPrograms(join(closed, 'native'), folder);
  for (const program of [programs.initdb, programs.postgres]) assert.match(run(program).stdout, /PostgreSQL/);
});

/** Starts a server in a process of its own, which then does this. */
async function startApart(how: string) {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-apart-'));
  chmodSync(folder, 0o755);
  const program = `const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'postgres.ts'))});
    const server = await startPostgres();
    console.log(server.port);
    ${how}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TMPDIR: folder },
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, exited, port: Number(line), folder };
}

async function assertNothingLeft(port: number, folder: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await assert.rejects(once(socket, 'connect'), 'the server still listens');
  assert.deepEqual(readdirSync(folder), []);
  rmdirSync(folder);
}

for (const [name, how, code] of [
  ['exits', 'process.exit(3)', 3],
  ['throws', 'throw new Error()', 1],
  ['is done', 'await server.stop()', 0],
] as const) {
  test(`a server ends with the process that started it, which ${name} with its own exit code`, async () => {
    const { exited, port, folder } = await startApart(how);
    assert.deepEqual(await exited, [code, null]);
    await assertNothingLeft(port, folder);
  });
}

test('a server ends with the process that started it, which is ended by SIGTERM', async () => {
  const { child, exited, port, folder } = await startApart('setInterval(() => {}, 1000)');
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [null, 'SIGTERM']);
  await assertNothingLeft(port, folder);
});
