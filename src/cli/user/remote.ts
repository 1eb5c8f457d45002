// Remote paths: `/a/b` from the root of the space, `id:…` by id, patterns where several are allowed. Which arguments of a command
// are remote depends on their position, never on how they look.

import {
  type Cabinet,
  CabinetError,
  createFolder,
  type Entry,
  findFile,
  findFolder,
  hasCode,
  listChildren,
  rootFolder,
  showEntry,
  showFolder,
} from '@cabinet/client';
import { LocalError, UsageError } from './exit-codes.ts';
import { isPattern, toLiteral, toNamePattern } from './glob.ts';

/** An entry and its path. The root has the name that the service gives it. */
export interface RemoteEntry {
  entry: Entry;
  path: string;
}

export interface Connection {
  cabinet: Cabinet;
  signal: AbortSignal;
}

export function joinRemote(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

export function splitRemote(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/');
  return { folder: at <= 0 ? '/' : path.slice(0, at), name: path.slice(at + 1) };
}

/** With a leading slash and without a trailing one. `.` and `..` are rejected. */
export function toRemotePath(text: string): string {
  const names = text.split('/').filter((name) => name !== '');
  const wrong = names.find((name) => name === '.' || name === '..');
  if (wrong !== undefined)
    throw new UsageError(
      `${JSON.stringify(text)}: ${JSON.stringify(wrong)} is not allowed in a remote path. Paths begin at the root.`,
    );
  return `/${names.join('/')}`;
}

/** One entry, or null. A trailing slash means a folder. */
export async function findEntry({ cabinet, signal }: Connection, text: string): Promise<RemoteEntry | null> {
  try {
    if (text.startsWith('id:')) {
      const { Entry: entry, Path: path } = await showEntry(cabinet, text.slice(3), { signal });
      return { entry, path };
    }
    const path = toRemotePath(toLiteral(text));
    if (path === '/') return { entry: (await showFolder(cabinet, rootFolder, { limit: 1, signal })).Folder, path };
    const folder = () => findFolder(cabinet, path, { limit: 1, signal }).then(({ Folder }) => Folder);
    if (text.endsWith('/')) return { entry: await folder(), path };
    const entry = await findFile(cabinet, path, { signal }).then(({ Entry }) => Entry, orElse(folder));
    return { entry, path };
  } catch (error) {
    if (error instanceof CabinetError && isAbsence(error)) return null;
    throw error;
  }
}

/** A path through a file does not exist either. */
function isAbsence(error: CabinetError): boolean {
  return error.status === 404 || hasCode(error, 'NotAFolder', 'InvalidName');
}

function orElse(other: () => Promise<Entry>): (error: unknown) => Promise<Entry> {
  return (error) => {
    if (error instanceof CabinetError && isAbsence(error)) return other();
    throw error;
  };
}

export function notFound(text: string): LocalError {
  return new LocalError('NotFound', `${text} does not exist.`);
}

export async function requireEntry(connection: Connection, text: string): Promise<RemoteEntry> {
  const found = await findEntry(connection, text);
  if (found === null) throw notFound(text);
  return found;
}

export async function requireFile(connection: Connection, text: string): Promise<RemoteEntry> {
  const found = await requireEntry(connection, text);
  if (found.entry.Type === 'file') return found;
  throw new LocalError('NotAFile', `${found.path} is a folder.`);
}

/** The entries that an argument names: one, or all matches of a pattern, in the order of names. No match is an error. */
async function requireEntries(connection: Connection, text: string): Promise<RemoteEntry[]> {
  if (text.startsWith('id:') || !isPattern(text)) return [await requireEntry(connection, text)];
  const root = await requireEntry(connection, '/');
  const found: RemoteEntry[] = [];
  for await (const one of match(
    connection,
    root,
    text.split('/').filter((part) => part !== ''),
  ))
    found.push(one);
  if (found.length === 0) throw notFound(text);
  return [...new Map(found.map((one) => [one.entry.Id, one])).values()];
}

export async function requireAll(connection: Connection, texts: readonly string[]): Promise<RemoteEntry[]> {
  const found: RemoteEntry[] = [];
  for (const text of texts) found.push(...(await requireEntries(connection, text)));
  return [...new Map(found.map((one) => [one.entry.Id, one])).values()];
}

async function* match(
  connection: Connection,
  folder: RemoteEntry,
  parts: readonly string[],
): AsyncGenerator<RemoteEntry> {
  const [part, ...rest] = parts;
  if (part === undefined) {
    yield folder;
    return;
  }
  if (folder.entry.Type !== 'folder') return;
  if (part === '**') yield* match(connection, folder, rest);
  const pattern = part === '**' ? null : toNamePattern(part);
  for await (const child of listFolder(connection, folder)) {
    if (pattern === null) yield* matchDeeper(connection, child, parts);
    else if (pattern.test(child.entry.Name.normalize('NFC'))) yield* match(connection, child, rest);
  }
}

/** A trailing `**` matches everything beneath; elsewhere it matches folders only. */
async function* matchDeeper(
  connection: Connection,
  child: RemoteEntry,
  parts: readonly string[],
): AsyncGenerator<RemoteEntry> {
  if (child.entry.Type === 'folder') yield* match(connection, child, parts);
  else if (parts.length === 1) yield child;
}

const pageSize = 1000;

export async function* listFolder(
  { cabinet, signal }: Connection,
  { entry, path }: RemoteEntry,
): AsyncGenerator<RemoteEntry> {
  for await (const child of listChildren(cabinet, entry.Id, { pageSize, signal })) {
    yield { entry: child, path: joinRemote(path, child.Name) };
  }
}

/** The folder at this path, created with its missing parents. */
export async function makeFolders({ cabinet, signal }: Connection, path: string): Promise<RemoteEntry> {
  const there = await findEntry({ cabinet, signal }, escapePath(path));
  if (there?.entry.Type === 'folder') return there;
  if (there !== null) throw new LocalError('NotAFolder', `${path} is a file.`);
  const { folder, name } = splitRemote(path);
  const parent = await makeFolders({ cabinet, signal }, folder);
  const entry = await createFolder(cabinet, { parent: parent.entry.Id, name, conflict: 'Existing' }, { signal });
  return { entry, path };
}

/** Escapes a path so that none of its characters is a pattern. */
function escapePath(path: string): string {
  return path.replaceAll(/[*?[\\]/g, '\\$&');
}
