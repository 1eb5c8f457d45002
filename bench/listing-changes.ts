// Saves, renames and look-ups by path of single files in a folder. Each resolves to its time in milliseconds.

import { randomBytes } from 'node:crypto';
import { type Client, readNextLink } from './client.ts';
import { bodySizeBytes } from './job.ts';
import type { Folder } from './listing.ts';

export type Changes = Record<string, (folder: Folder, index: number) => Promise<number>>;

export function toChanges(client: Client): Changes {
  let number = 0;
  const nextName = () => `${randomBytes(4).toString('hex')}-${number++}.bin`;
  const save = async (folder: Folder, more: Record<string, string>) => {
    const headers = { FolderId: folder.id, FileName: nextName(), 'Content-Type': 'application/octet-stream', ...more };
    return await client.ask('/files', { method: 'POST', headers, body: randomBytes(bodySizeBytes) });
  };
  return {
    'save, default reply': async (folder) => {
      const { ms, headers } = await save(folder, {});
      if (readNextLink(headers) === null) throw new Error('a save into a full folder names no next page');
      return ms;
    },
    'save, minimal reply': async (folder) => (await save(folder, { Prefer: 'return=minimal' })).ms,
    rename: async (folder, index) => {
      const file = pick(folder, index);
      const renamed = nextName();
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ Name: renamed });
      const { ms } = await client.ask(`/entries/${file.id}`, { method: 'PATCH', headers, body });
      file.name = renamed;
      return ms;
    },
    'look-up by path': async (folder, index) => {
      const path = `${folder.path}/${pick(folder, index).name}`;
      return (await client.ask(`/files?path=${encodeURIComponent(path)}`)).ms;
    },
    'folder by path': async (folder) => (await client.ask(`/folders?path=${encodeURIComponent(folder.path)}`)).ms,
  };
}

function pick({ files }: Folder, index: number) {
  const file = files[(index * 7919) % files.length];
  if (file === undefined) throw new Error('the folder was filled without files');
  return file;
}
