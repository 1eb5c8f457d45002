// The scrub verifies everything when it is due, reports damage, and remembers when it ran.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { openEnvironment } from '../../src/server/environment.ts';
import { toJobs } from '../../src/server/jobs.ts';
import { EnvironmentMetrics } from '../../src/telemetry/environment-metrics.ts';
import { saveFile } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder, toVariables } from './service.ts';
import { startServiceHere } from './service-here.ts';

test('a scrub that is due finds damaged content; one that is not due does nothing', async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder);
  const caller = await addCaller(dataFolder, service.production, 'app');
  await saveFile(caller, { FolderId: '', FileName: 'large.bin' }, randomBytes(300_000));
  await service.stop();
  const config = readConfig(toVariables(dataFolder, { CABINET_SCRUB_DAYS: '7', CABINET_SCRUB_RATE: '100MiB' }));
  const environment = await openEnvironment(config, 'production', {
    onFatal: assert.fail,
    onBackgroundError: assert.fail,
  });
  context.after(() => environment.close());
  context.after(() => removeDataFolder(dataFolder));
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const metrics = new EnvironmentMetrics('production');
  const job = toJobs(config, 'production', { log, metrics, publicUrl: '' }).find(({ name }) => name === 'scrub');
  const { cabinet } = environment;
  const scrub = async () =>
    await job?.run(
      { name: 'production', cabinet, runExclusive: (work) => work(new AbortController().signal) },
      new AbortController().signal,
    );
  const read = async (name: string) => {
    const [, value] = new RegExp(`^${name}\\{[^}]*\\} (.+)$`, 'm').exec(await metrics.render()) ?? [];
    return value === undefined ? null : Number(value);
  };
  const { catalog } = cabinet;
  await scrub();
  assert.equal(await read('cabinet_scrub_problems'), null, 'a new folder is not due');
  await catalog.setSetting({ name: 'scrub', value: JSON.stringify({ at: 1000, problems: 0 }) });
  await scrub();
  assert.equal(await read('cabinet_scrub_problems'), 0);
  assert.ok(((await read('cabinet_scrub_last_timestamp_seconds')) ?? 0) > Date.now() / 1000 - 60);

  const blobs = join(dataFolder, 'production', 'blobs');
  const [blob] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{32}$/.test(name));
  const path = join(blobs, blob ?? '');
  assert.ok(existsSync(path));
  writeFileSync(path, readFileSync(path).fill(0, 512, 1024));
  await scrub();
  assert.equal(await read('cabinet_scrub_problems'), 0, 'it is not due again');
  await catalog.setSetting({ name: 'scrub', value: JSON.stringify({ at: 1000, problems: 0 }) });
  await scrub();
  assert.equal(await read('cabinet_scrub_problems'), 1);
  const damage = lines
    .map((line) => JSON.parse(line) as { msg: string; affected: { path: string }[] })
    .find(({ msg }) => msg === 'scrub found damage');
  assert.equal(damage?.affected[0]?.path, '/large.bin');
});
