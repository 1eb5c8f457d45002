// Remote paths: `/a/b` from the root of the space, `id:…` by id, patterns where several may be meant. Which words of a command are
// remote is told by their place, never by how they look.

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
import { LocalProblem, WrongUse } from './exit-codes.ts';
import { isPattern, toLiteral, toNamePattern } from './glob.ts';

/** An entry with the way to it. Of the root, the name is as the service has it. */
export interface Found {
  entry: Entry;
  path: string;
}

export interface Asking {
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

/** With one slash at the beginning and none at the end; `.` and `..` are no names and mean nothing here. */
export function toRemotePath(text: string): string {
  const names = text.split('/').filter((name) => name !== '');
  const wrong = names.find((name) => name === '.' || name === '..');
  if (wrong !== undefined)
    throw new WrongUse(`${JSON.stringify(text)}: remote paths begin at the root and know no ${JSON.stringify(wrong)}.`);
  return `/${names.join('/')}`;
}

/** One entry, or null. A slash at the end wants a folder. */
export async function lookUp({ cabinet, signal }: Asking, text: string): Promise<Found | null> {
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

/** A path may lead through a file, too. */
function isAbsence(error: CabinetError): boolean {
  return error.status === 404 || hasCode(error, 'NotAFolder', 'InvalidName');
}

function orElse(other: () => Promise<Entry>): (error: unknown) => Promise<Entry> {
  return (error) => {
    if (error instanceof CabinetError && isAbsence(error)) return other();
    throw error;
  };
}

export function notThere(text: string): LocalProblem {
  return new LocalProblem('NotFound', `There is no ${text}.`);
}

export async function requireEntry(asking: Asking, text: string): Promise<Found> {
  const found = await lookUp(asking, text);
  if (found === null) throw notThere(text);
  return found;
}

export async function requireFile(asking: Asking, text: string): Promise<Found> {
  const found = await requireEntry(asking, text);
  if (found.entry.Type === 'file') return found;
  throw new LocalProblem('NotAFile', `${found.path} is a folder.`);
}

/** Every entry that a word means: one, or all that its pattern finds, in the order of names. None is an error. */
export async function requireEntries(asking: Asking, text: string): Promise<Found[]> {
  if (text.startsWith('id:') || !isPattern(text)) return [await requireEntry(asking, text)];
  const root = await requireEntry(asking, '/');
  const found: Found[] = [];
  for await (const one of match(
    asking,
    root,
    text.split('/').filter((part) => part !== ''),
  ))
    found.push(one);
  if (found.length === 0) throw notThere(text);
  return [...new Map(found.map((one) => [one.entry.Id, one])).values()];
}

export async function requireAll(asking: Asking, texts: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const text of texts) found.push(...(await requireEntries(asking, text)));
  return [...new Map(found.map((one) => [one.entry.Id, one])).values()];
}

async function* match(asking: Asking, folder: Found, parts: readonly string[]): AsyncGenerator<Found> {
  const [part, ...rest] = parts;
  if (part === undefined) {
    yield folder;
    return;
  }
  if (folder.entry.Type !== 'folder') return;
  if (part === '**') yield* match(asking, folder, rest);
  const pattern = part === '**' ? null : toNamePattern(part);
  for await (const child of listFolder(asking, folder)) {
    if (pattern === null) yield* matchDeeper(asking, child, parts);
    else if (pattern.test(child.entry.Name.normalize('NFC'))) yield* match(asking, child, rest);
  }
}

/** `**` at the end finds everything beneath, in the middle only what leads on. */
async function* matchDeeper(asking: Asking, child: Found, parts: readonly string[]): AsyncGenerator<Found> {
  if (child.entry.Type === 'folder') yield* match(asking, child, parts);
  else if (parts.length === 1) yield child;
}

const pageSize = 1000;

export async function* listFolder({ cabinet, signal }: Asking, { entry, path }: Found): AsyncGenerator<Found> {
  for await (const child of listChildren(cabinet, entry.Id, { pageSize, signal })) {
    yield { entry: child, path: joinRemote(path, child.Name) };
  }
}

/** The folder at this path; what is missing of it is made. */
export async function makeFolders({ cabinet, signal }: Asking, path: string): Promise<Found> {
  const there = await lookUp({ cabinet, signal }, escapePath(path));
  if (there?.entry.Type === 'folder') return there;
  if (there !== null) throw new LocalProblem('NotAFolder', `${path} is a file.`);
  const { folder, name } = splitRemote(path);
  const parent = await makeFolders({ cabinet, signal }, folder);
  const { Folder } = await createFolder(cabinet, { parent: parent.entry.Id, name, conflict: 'Existing' }, { signal });
  return { entry: Folder, path };
}

/** A path that was found, as a word that means it. */
export function escapePath(path: string): string {
  return path.replaceAll(/[*?[\\]/g, '\\$&');
}
