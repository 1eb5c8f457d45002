// What is said of what is not there, or cannot be used. The same words whether an id is unknown, malformed or of another space.

import { Refusal } from './refusal.ts';

export function folderNotFound(target: string): Refusal {
  return new Refusal('FolderNotFound', 'There is no such folder.', { target });
}

export function fileNotFound(): Refusal {
  return new Refusal('FileNotFound', 'There is no such file.');
}

export function entryNotFound(): Refusal {
  return new Refusal('EntryNotFound', 'There is no such entry.');
}

export function notAFolder(target: string): Refusal {
  return new Refusal('NotAFolder', 'This id names a file; a folder is needed here.', { target });
}
