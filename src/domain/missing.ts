// Refusals for missing things. The text and the hint are the same whether an id is unknown, malformed, in the trash or in
// another space.

import { Refusal } from './refusal.ts';

export function folderNotFound(target: string): Refusal {
  return new Refusal('FolderNotFound', 'There is no such folder.', {
    target,
    hint: 'Send an id from an earlier response, or -root-. GET /folders?path=/a/b finds a folder by its path; GET /trash lists what was deleted.',
  });
}

export function fileNotFound(): Refusal {
  return new Refusal('FileNotFound', 'There is no such file.', {
    hint: 'Send an id from an earlier response. GET /files?path=/a/b.txt finds a file by its path; GET /trash lists what was deleted.',
  });
}

export function versionNotFound(): Refusal {
  return new Refusal('VersionNotFound', 'The file has no such version.', { target: 'version' });
}

export function entryNotFound(): Refusal {
  return new Refusal('EntryNotFound', 'There is no such entry.', {
    hint: 'Send an id from an earlier response, or -root- for the root folder. GET /trash lists what was deleted.',
  });
}

export function notAFolder(target: string): Refusal {
  const named = target === 'path' ? 'path' : 'id';
  return new Refusal('NotAFolder', `This ${named} names a file; a folder is needed here.`, { target });
}
