// Dropped, pasted or selected files as a flat list with the folders they were in.

export interface Gathered {
  file: File;
  /** The names of the folders above it, within what was given. */
  folders: readonly string[];
}

export interface DroppedFiles {
  files: Gathered[];
  /** Folders without files in them: they are made too. */
  empty: readonly string[][];
}

/** Must be called before the event that brought the transfer has ended; what it returns may take longer. */
export function gatherDropped(transfer: DataTransfer): Promise<DroppedFiles> {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  return walkAll(entries);
}

async function walkAll(
  entries: readonly { entry: FileSystemEntry | null; file: File | null }[],
): Promise<DroppedFiles> {
  const given: DroppedFiles = { files: [], empty: [] };
  const empty: string[][] = [];
  for (const { entry, file } of entries) {
    if (entry?.isDirectory) await walk(entry as FileSystemDirectoryEntry, [], given, empty);
    else if (file !== null) given.files.push({ file, folders: [] });
  }
  return { files: given.files, empty };
}

async function walk(
  directory: FileSystemDirectoryEntry,
  above: readonly string[],
  given: DroppedFiles,
  empty: string[][],
): Promise<void> {
  const folders = [...above, directory.name];
  const reader = directory.createReader();
  let count = 0;
  // A browser gives about a hundred at a time, and none when it has given all.
  for (let some = await readSome(reader); some.length > 0; some = await readSome(reader)) {
    count += some.length;
    for (const entry of some) {
      if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, folders, given, empty);
      else given.files.push({ file: await toFile(entry as FileSystemFileEntry), folders });
    }
  }
  if (count === 0) empty.push(folders);
}

function readSome(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function toFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** From a field of files or of a folder. */
export function gatherChosen(files: Iterable<File>): DroppedFiles {
  const gathered = [...files].map((file) => {
    const folders = file.webkitRelativePath.split('/').slice(0, -1);
    return { file, folders };
  });
  return { files: gathered, empty: [] };
}

const pastedTypes: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Files that were copied elsewhere keep their names; a picture that has none gets one. */
export function gatherPasted(transfer: DataTransfer, toName: (when: string) => string): DroppedFiles {
  const files = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.getAsFile())
    .filter((file) => file !== null)
    .map((file) => ({ file: named(file, toName), folders: [] }));
  return { files, empty: [] };
}

function named(file: File, toName: (when: string) => string): File {
  const extension = pastedTypes[file.type];
  // What browsers call a picture that was copied out of another program.
  if (extension === undefined || !/^(image\.\w+)?$/.test(file.name)) return file;
  const when = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  return new File([file], `${toName(when)}.${extension}`, { type: file.type });
}
