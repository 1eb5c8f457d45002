// `cabinet export`: the tree as plain files with names and times, and a manifest of what files cannot express.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { call, makeFolder, saveFile } from '../interface/client.ts';
import { cabinet, cabinetJson } from './here.ts';
import { addCaller, makeDataFolder, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';

interface Line {
  Path: string;
  File: string;
  Type: string;
  ModifiedAt: string;
  Properties: Record<string, string>;
  Version?: number;
}

test('everything is exported with its name, bytes and time; damaged files are skipped and reported', async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder);
  context.after(() => service.stop());
  context.after(() => removeDataFolder(dataFolder));
  const caller = await addCaller(dataFolder, service.production, 'app');
  const folder = await makeFolder(caller);
  const long = `${'ä'.repeat(200)}.txt`;
  const contents = new Map([
    ['plain.txt', Buffer.from('plain')],
    ['large.bin', randomBytes(1_500_000)],
    ['empty', Buffer.alloc(0)],
    [long, Buffer.from('long')],
  ]);
  for (const [name, bytes] of contents) {
    await saveFile(caller, { FolderId: folder.Id, FileName: name }, bytes);
  }
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'marked' }, 'one');
  await saveFile(caller, { FolderId: '', FileName: 'marked' }, 'two');
  const patched = await call(caller, `/entries/${File.Id}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Properties: { Customer: '42' } }),
  });
  assert.equal(patched.status, 200);

  const directory = join(dirname(dataFolder), 'export');
  const report = await cabinetJson<Record<string, number>>(dataFolder, ['export', directory, '--space', 'app']);
  assert.deepEqual([report.Folders, report.Files, report.SkippedCount], [1, 5, 0]);
  const lines = readFileSync(join(directory, 'app.entries.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  assert.equal(lines.length, 6);
  for (const { Path, File: file, Type, ModifiedAt } of lines) {
    const stats = statSync(join(directory, 'app', file));
    assert.equal(stats.mtime.toISOString(), ModifiedAt);
    const name = Path.split('/').at(-1) ?? '';
    if (Type === 'file' && contents.has(name)) {
      assert.ok(readFileSync(join(directory, 'app', file)).equals(contents.get(name) as Buffer), Path);
    }
  }
  const marked = lines.find(({ Path }) => Path === '/marked');
  assert.deepEqual(marked?.Properties, { Customer: '42' });
  assert.equal(marked?.Version, 2);
  assert.equal(readFileSync(join(directory, 'app', 'marked'), 'utf8'), 'two');

  assert.match((await cabinet(dataFolder, ['export', directory])).stderr, /is not empty/);
  const blobs = join(dataFolder, 'production', 'blobs');
  const [blob] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{32}$/.test(name));
  const path = join(blobs, blob ?? '');
  const rotten = readFileSync(path);
  rotten[1_400_000] = (rotten[1_400_000] as number) ^ 1;
  writeFileSync(path, rotten);
  await service.stop();
  const other = join(dirname(dataFolder), 'other');
  const { code, stdout } = await cabinet(dataFolder, ['export', other, '--json']);
  assert.equal(code, 1);
  const { Skipped } = JSON.parse(stdout) as { Skipped: { Path: string }[] };
  assert.deepEqual(
    Skipped.map(({ Path }) => Path.split('/').at(-1)),
    ['large.bin'],
  );
  assert.ok(!existsSync(join(other, 'app', folder.Name, 'large.bin')), 'half a file is none');
});
