import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumParts } from './parts.ts';

/** As perf prints it: a head line, the innermost function first, an empty line. */
function toScript(samples: [head: string, ...frames: string[]][]): string {
  return samples
    .map(([head, ...frames]) => `${head} \n${frames.map((name) => `\t 7f00 ${name}\n`).join('')}`)
    .join('\n');
}

const inWriter = 'JS:^commit file:///c/src/catalog/sqlite/writer.ts:110:9';

test('a sample is assigned to its thread, and there to the innermost function with a purpose', () => {
  const script = toScript([
    ['WorkerThread 7', 'memcpy', 'sqlite3VdbeExec', inWriter],
    ['WorkerThread 7', 'ext4_sync_file', 'do_fsync', 'pagerWalFrames', 'sqlite3VdbeExec', inWriter],
    ['WorkerThread 7', 'epoll_wait'],
    ['WorkerThread 8', 'sqlite3VdbeExec', "JS:*'put file:///c/src/search/sqlite/index-store.ts:20:3"],
    ['WorkerThread 9', 'pread64', 'JS:^ file:///c/src/catalog/sqlite/checkpointer.ts:30:1'],
    ['WorkerThread 10', 'read'],
    ['node-MainThread 1', 'memcpy', 'JS:*renderEntry file:///c/src/rest/wire.ts:60:3', 'JS:^ node:_http_server:1:1'],
    ['node-MainThread 1', 'v8::internal::Scavenger::Process', 'JS:*a file:///c/src/listener/body.ts:1:1'],
    ['node-MainThread 1', 'tcp_recvmsg', 'uv__read'],
    ['node-V8Worker 2', 'anything'],
  ]);
  const parts = Object.fromEntries(sumParts(script).map(({ what, samples }) => [what, samples]));
  assert.deepEqual(parts, {
    'writer: SQLite statements': 1,
    'writer: COMMIT: pages into the log, the sync': 1,
    'writer: event loop': 1,
    'search: indexing names (the files are binary)': 1,
    checkpoints: 1,
    'other threads': 1,
    'HTTP: rendering and sending the answer': 1,
    'HTTP: garbage collection': 1,
    'HTTP: event loop, sockets, promises': 1,
    'V8: garbage collection and compilation in threads of its own': 1,
  });
});

test('the largest part comes first', () => {
  const script = toScript([
    ['WorkerThread 7', 'sqlite3VdbeExec', inWriter],
    ['node-MainThread 1', 'uv_run'],
    ['node-MainThread 1', 'uv_run'],
  ]);
  assert.deepEqual(
    sumParts(script).map(({ samples }) => samples),
    [2, 1],
  );
});
