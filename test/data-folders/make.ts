// Makes the small data folder that a release leaves for all later ones to open: `node test/data-folders/make.ts 0.1.0`.
// Beside it stands `expected.json`: the application's credentials, every entry, and the digest of every content.

import { hash } from 'node:crypto';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, download, listFolder, saveFile } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder, startService } from '../service/service.ts';

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error('usage: node test/data-folders/make.ts VERSION');

const target = join(import.meta.dirname, version);
const dataFolder = makeDataFolder();
const service = await startService(dataFolder);
const caller = await addCaller(dataFolder, service.production, 'keeper');

const contracts = await createFolder(caller, '-root-', 'Verträge', { Properties: { Jahr: '2026' } });
const deep = await createFolder(caller, contracts.Id, 'deep');
await saveFile(caller, { FolderId: contracts.Id, FileName: 'a.txt' }, 'first version');
await saveFile(caller, { FolderId: contracts.Id, FileName: 'a.txt' }, 'second version');
await saveFile(caller, { FolderId: deep.Id, FileName: 'empty' }, '');
await saveFile(caller, { FolderId: deep.Id, FileName: '日本語.bin' }, Buffer.alloc(100_000, 'large '));
await saveFile(caller, { FolderId: '', FileName: 'same bytes.bin' }, Buffer.alloc(100_000, 'large '));

const folders = [caller.application.RootFolderId, contracts.Id, deep.Id];
const entries = (await Promise.all(folders.map((id) => listFolder(caller, id)))).flat();
const files = entries.filter(({ Type }) => Type === 'file');
const digests = await Promise.all(
  files.map(async ({ Id }) => [Id, hash('sha256', await download(caller, Id))] as const),
);
await service.stop();

rmSync(target, { recursive: true, force: true });
cpSync(dataFolder, join(target, 'data'), { recursive: true, filter: (path) => !/control\.sock$|lock\.db$/.test(path) });
const expected = {
  Application: caller.application,
  Folders: folders,
  Entries: entries,
  Sha256: Object.fromEntries(digests),
};
writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
removeDataFolder(dataFolder);
