// What is said of a folder that cannot be used. The same words whether an id is unknown, malformed or of another space.

import { Refusal } from './refusal.ts';

export function folderNotFound(target: string): Refusal {
  return new Refusal('FolderNotFound', 'There is no such folder.', { target });
}

export function notAFolder(target: string): Refusal {
  return new Refusal('NotAFolder', 'This id names a file; a folder is needed here.', { target });
}
