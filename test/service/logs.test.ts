// The log: JSON lines; failures have their tracking id; requests are logged if configured, without secrets.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, saveFile, send } from '../interface/client.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder, type Started, startService } from './service.ts';

interface Line {
  level: number;
  time: number;
  msg: string;
  environment?: string;
  request?: string;
  err?: { message: string; stack: string };
  [field: string]: unknown;
}

const info = 30;
const error = 50;

/** What it printed for a person at the first start is no line of the log. */
function readLog(service: Started): Line[] {
  const lines = service.errors().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
}

test('each request is one line with tracking id, route, status, time, bytes and actor, and without secrets', async (context) => {
  const dataFolder = makeDataFolder();
  const environment = { CABINET_ACCESS_LOG: 'yes', CABINET_LOG_LEVEL: 'info' } as const;
  const service = await startService(dataFolder, { environment });
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const caller = await addCaller(dataFolder, service.production, 'logged');
  const [saving, asking, stranger] = [randomUUID(), randomUUID(), randomUUID()];
  const at = { FolderId: '', FileName: 'telltale-file', requesttrackingid: saving };
  const { File } = await saveFile(caller, at, 'x'.repeat(5000));
  await call(caller, `/search?q=telltale-query`, { headers: { requesttrackingid: asking } });
  await send(service.production, `/links/telltale-link?a=telltale-a`, { headers: { requesttrackingid: stranger } });
  for (const path of ['/v1/contentmanagement/shared/telltale-secret', '/s/telltale-page']) {
    await send(service.production, path, { headers: { SharePassword: 'telltale-password' } });
  }
  const find = (request: string) =>
    readLog(service).find((line) => line.request === request && line.msg === 'answered');
  await eventually('all are logged', () => [saving, asking, stranger].every((id) => find(id) !== undefined));
  const { ms, receivedBytes, sentBytes, ...saved } = find(saving) as Line;
  assert.equal(saved.level, info);
  assert.equal(saved.environment, 'production');
  assert.equal(saved.method, 'POST');
  assert.equal(saved.route, '/v1/contentmanagement/files');
  assert.equal(saved.status, 200);
  assert.equal(saved.actor, 'app:logged');
  assert.ok(Number(ms) > 0 && Number(ms) < 20_000);
  assert.ok(Number(receivedBytes) > 5000 && Number(receivedBytes) < 10_000, `received ${receivedBytes}`);
  assert.ok(Number(sentBytes) > 300 && Number(sentBytes) < 20_000, `sent ${sentBytes}`);
  const unknown = find(stranger);
  assert.equal(unknown?.route, '/links/{token}');
  assert.equal(unknown?.status, 404);
  assert.equal(unknown?.actor, null);
  const log = JSON.stringify(readLog(service));
  const { AppKey, Secret } = caller.application;
  for (const text of [AppKey, Secret, caller.token, File.Id, 'telltale']) assert.ok(!log.includes(text), text);
});

test('failures are logged with their cause and tracking id, and requests only if configured', async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder, { environment: { CABINET_LOG_LEVEL: 'info' } });
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const caller = await addCaller(dataFolder, service.production, 'failing');
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'rotten' }, 'y'.repeat(200_000));
  const blobs = join(dataFolder, 'production', 'blobs');
  const [blob] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) => name.length > 30);
  writeFileSync(join(blobs, String(blob)), 'z'.repeat(200_000));
  const answer = await call(caller, `/files/${File.Id}/content`);
  assert.equal(answer.status, 500);
  const { RequestTrackingId } = (JSON.parse(answer.body.toString()) as { Error: { RequestTrackingId: string } }).Error;
  const line = () => readLog(service).find(({ request }) => request === RequestTrackingId);
  await eventually('it is logged', () => line() !== undefined);
  assert.equal(line()?.level, error);
  assert.equal(line()?.environment, 'production');
  assert.match(String(line()?.err?.stack), /Fault/);
  await service.stop();
  assert.ok(!readLog(service).some(({ msg }) => msg === 'answered'));
});
