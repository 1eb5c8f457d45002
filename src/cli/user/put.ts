// `cabinet put LOCAL… REMOTE`: files and whole folders up; `-` is standard input.

import { statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Entry, saveFile } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { collect } from '../repeated-option.ts';
import { toCount, toSize } from '../size.ts';
import { LocalError, UsageError } from './exit-codes.ts';
import { isPattern, toLiteral } from './glob.ts';
import { fillFolder, isFolder, type LocalFile, type LocalFolder, readLocal } from './local-files.ts';
import { type CommandContext, perform, personCommand, toFailedLines } from './perform.ts';
import { toProperties } from './properties.ts';
import { findEntry, joinRemote, makeFolders, type RemoteEntry, splitRemote, toRemotePath } from './remote.ts';
import { type Saving, sendAll } from './sending.ts';
import {
  openTransfers,
  type TransferOptions,
  type Transfers,
  type TransferTotals,
  throwIfOnlyFailure,
  withTransferOptions,
} from './transfers.ts';
import { createFolders, emptyPlan, planUpload, type RemoteFolder, type UploadPlan } from './uploading.ts';

interface PutOptions extends TransferOptions {
  ifThere: string;
  comment?: string;
  property?: string[];
}

interface PutResult extends TransferTotals {
  Saved: { Path: string; Id: string; Size: number }[];
}

const conflicts = { version: 'Version', fail: 'Fail', rename: 'Rename', keep: 'Existing' } as const;
/** Smaller files are sent faster than compared. */
const digestFromBytes = 256 * 1024;

export function registerPut(program: Command): void {
  withTransferOptions(personCommand(program, 'put <paths...>', 'upload files and folders'))
    .usage('[options] LOCAL… REMOTE')
    .option('--if-there <what>', 'if the name is taken by a file: version, fail, rename or keep', 'version')
    .option('--comment <text>', 'what is new in this version')
    .option('--property <key=value>', 'set this property of each file; may be repeated', collect)
    .addHelpText(
      'after',
      '\nREMOTE is a folder if there is one of this name, if it ends with a slash, or if there are several LOCAL.\n' +
        'Otherwise it is the new path of the file. LOCAL - is standard input. After Ctrl-C or a lost connection, run the\n' +
        'same command to resume.\n\n' +
        'Examples:\n  cabinet put a.pdf /Invoices/\n  cabinet put photos "*.txt" /Archive/\n  pg_dump shop | cabinet put - /Backups/shop.sql',
    )
    .action((words: string[], options: PutOptions) =>
      perform(options, {
        run: (context) => put(context, words, options),
        toLines: (result) => toLines(result, options),
        canResume: true,
      }),
    );
}

async function put(context: CommandContext, words: string[], options: PutOptions): Promise<PutResult> {
  const to = words.at(-1) as string;
  if (words.length < 2) throw new UsageError('Name what to upload and where: cabinet put LOCAL… REMOTE.');
  const saving = toSaving(options);
  const transfers = openTransfers(context, options, 'put');
  try {
    if (words.length === 2 && words[0] === '-') return await putInput(transfers, to, saving);
    const locals = (await Promise.all(words.slice(0, -1).map(expand))).flat().map(readLocal);
    const plan = emptyPlan();
    await planAll(transfers, { locals, to, plan });
    await createFolders(transfers, plan.folders);
    const sent = await sendAll(transfers, plan.uploads, saving);
    throwIfOnlyFailure(transfers, sent.length + plan.unchanged + plan.folders.length);
    return toResult(
      transfers,
      plan,
      sent.map(({ upload, entry }) => ({ path: upload.path, entry })),
    );
  } finally {
    transfers.progress.close();
  }
}

function toSaving({ ifThere, comment, property }: PutOptions): Saving {
  const conflict = Object.hasOwn(conflicts, ifThere) ? conflicts[ifThere as keyof typeof conflicts] : undefined;
  if (conflict === undefined)
    throw new UsageError(`--if-there ${ifThere}: use one of ${Object.keys(conflicts).join(', ')}.`);
  return { conflict, comment, properties: toProperties(property) };
}

/** For quoted patterns; a shell expands the others. */
async function expand(word: string): Promise<string[]> {
  if (!isPattern(word) || statSync(word, { throwIfNoEntry: false }) !== undefined) return [word];
  const found = (await Array.fromAsync(glob(word))).toSorted();
  if (found.length === 0) throw new LocalError('NotFound', `No local file matches ${word}.`);
  return found;
}

interface Planning {
  locals: (LocalFile | LocalFolder)[];
  to: string;
  plan: UploadPlan;
}

async function planAll(transfers: Transfers, { locals, to, plan }: Planning): Promise<void> {
  const target = await toTarget(transfers, to, locals);
  const root: LocalFolder = { name: '', path: '', folders: [], files: [], leftOut: [] };
  for (const local of locals) {
    const named = { ...local, name: target.name ?? toOwnName(local) };
    if (isFolder(named)) {
      fillFolder(named, transfers);
      root.folders.push(named);
    } else root.files.push(named);
  }
  await planUpload(
    transfers,
    { here: root, there: target.folder },
    { plan, comparison: { digestFromBytes, isReplacing: false } },
  );
}

/** The real name of `.` and `..`. */
function toOwnName({ path }: LocalFile | LocalFolder): string {
  const { name } = splitRemote(resolve(path).replaceAll('\\', '/'));
  return name;
}

interface Target {
  folder: RemoteFolder;
  /** The new name of a single upload; null keeps its own. */
  name: string | null;
}

async function toTarget(transfers: Transfers, to: string, locals: readonly object[]): Promise<Target> {
  const there = await findEntry(transfers, to);
  if (there?.entry.Type === 'folder') return { folder: toRemoteFolder(there.path, there.entry), name: null };
  if (to.startsWith('id:')) throw new LocalError('NotAFolder', `${to} is not a folder.`);
  const path = toRemotePath(toLiteral(to));
  if (there !== null && locals.length > 1)
    throw new LocalError('NotAFolder', `${path} is a file. To upload several files, name a folder.`);
  if (locals.length > 1 || to.endsWith('/')) {
    const made = await makeFolders(transfers, path);
    return { folder: toRemoteFolder(made.path, made.entry), name: null };
  }
  const { folder, name } = splitRemote(path);
  const parent = await makeFolders(transfers, folder);
  return { folder: toRemoteFolder(parent.path, parent.entry), name };
}

function toRemoteFolder(path: string, entry: Entry): RemoteFolder {
  return { path, name: entry.Name, id: entry.Id, parent: null };
}

async function putInput(transfers: Transfers, to: string, saving: Saving): Promise<PutResult> {
  const { cabinet, signal, progress } = transfers;
  const path = toRemotePath(toLiteral(to));
  if (path === '/' || to.endsWith('/'))
    throw new UsageError('Standard input needs a name. Use the path of a file as REMOTE.');
  const { folder, name } = splitRemote(path);
  const parent = await makeFolders(transfers, folder);
  let counted = 0;
  const onProgress = (bytes: number) => {
    progress.addBytes(bytes - counted);
    counted = bytes;
  };
  const entry = await saveFile(
    cabinet,
    { folder: parent.entry.Id, name, content: process.stdin, ...saving },
    { signal, onProgress },
  );
  return toResult(transfers, emptyPlan(), [{ path, entry }]);
}

function toResult({ failed }: Transfers, plan: UploadPlan, sent: readonly RemoteEntry[]): PutResult {
  return {
    Files: sent.length,
    Folders: plan.folders.length,
    Bytes: sent.reduce((sum, { entry }) => sum + entry.Size, 0),
    Unchanged: plan.unchanged,
    Saved: sent.map(({ path, entry }) => ({
      Path: joinRemote(splitRemote(path).folder, entry.Name),
      Id: entry.Id,
      Size: entry.Size,
    })),
    Failed: failed,
  };
}

function toLines({ Files, Folders, Bytes, Unchanged, Saved, Failed }: PutResult, { verbose }: PutOptions): string[] {
  const each =
    verbose === true || Files === 1
      ? Saved.map(({ Path, Size }) => `saved ${toPrintable(Path)} (${toSize(Size)})`)
      : [];
  const made = Folders > 0 ? `, ${toCount(Folders, 'folder')} created` : '';
  const unchanged = Unchanged > 0 ? `, ${Unchanged} unchanged` : '';
  const summary =
    Files === 1 && Folders === 0 && Failed.length === 0
      ? []
      : [`${toCount(Files, 'file')} saved (${toSize(Bytes)})${made}${unchanged}`];
  return [...toFailedLines(Failed), ...each, ...summary];
}
