// `cabinet tree`: a folder with everything beneath it, drawn.

import type { Entry } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { LocalError, UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { listFolder, type RemoteEntry, requireEntry } from './remote.ts';

interface TreeOptions extends PersonOptions {
  depth?: string;
}

interface Branch {
  Path: string;
  Entry: Entry;
  Children?: Branch[];
}

export function registerTree(program: Command): void {
  personCommand(program, 'tree [path]', 'show a folder as a tree')
    .option('--depth <levels>', 'how many levels to show')
    .addHelpText('after', '\nExamples:\n  cabinet tree\n  cabinet tree /Projects --depth 2')
    .action((path: string | undefined, options: TreeOptions) =>
      perform(options, { run: (context) => grow(context, path ?? '/', options), toLines }),
    );
}

async function grow(context: CommandContext, path: string, { depth }: TreeOptions): Promise<{ Tree: Branch }> {
  const levels = depth === undefined ? Number.POSITIVE_INFINITY : Number(depth);
  if (!(levels >= 1)) throw new UsageError(`--depth ${depth}: use a number from 1 on.`);
  const found = await requireEntry(context, path);
  if (found.entry.Type !== 'folder') throw new LocalError('NotAFolder', `${found.path} is a file.`);
  return { Tree: await branch(context, found, levels) };
}

async function branch(context: CommandContext, found: RemoteEntry, levels: number): Promise<Branch> {
  const { entry: Entry, path: Path } = found;
  if (Entry.Type === 'file' || levels === 0) return { Path, Entry };
  const Children: Branch[] = [];
  for await (const child of listFolder(context, found)) Children.push(await branch(context, child, levels - 1));
  return { Path, Entry, Children };
}

function toLines({ Tree }: { Tree: Branch }): string[] {
  const counts = { folders: 0, files: 0 };
  const lines = [toPrintable(Tree.Path), ...draw(Tree.Children ?? [], '', counts)];
  return [
    ...lines,
    '',
    `${toCount(counts.folders, 'folder')}, ${toCount(counts.files, 'file')}, ${toSize(Tree.Entry.Size)}`,
  ];
}

function draw(branches: readonly Branch[], indent: string, counts: { folders: number; files: number }): string[] {
  return branches.flatMap(({ Entry, Children = [] }, index) => {
    const isLast = index === branches.length - 1;
    const isFolder = Entry.Type === 'folder';
    counts[isFolder ? 'folders' : 'files'] += 1;
    const line = `${indent}${isLast ? '└── ' : '├── '}${toPrintable(Entry.Name)}${isFolder ? '/' : ''}`;
    return [line, ...draw(Children, `${indent}${isLast ? '    ' : '│   '}`, counts)];
  });
}
