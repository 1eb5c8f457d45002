// `cabinet ls`: what is in folders.

import { type Entry, listChildren, type Order } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { toSize } from '../size.ts';
import { toLocalTime, toTable } from '../table.ts';
import { UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { joinRemote, type RemoteEntry, requireAll } from './remote.ts';

const orders: readonly Order[] = ['name', '-name', 'natural', '-natural', 'modified', '-modified', 'size', '-size'];

interface LsOptions extends PersonOptions {
  long?: boolean;
  recursive?: boolean;
  order: string;
}

interface Listed {
  Path: string;
  Entry: Entry;
  /** Of a folder. */
  Children?: Entry[];
}

export function registerLs(program: Command): void {
  personCommand(program, 'ls [paths...]', 'list folders; the root by default')
    .option('-l, --long', 'show size, time and who changed it last')
    .option('-R, --recursive', 'also list everything beneath, by path')
    .option('--order <order>', `one of ${orders.join(', ')}; folders are first`, 'name')
    .addHelpText(
      'after',
      '\nExamples:\n  cabinet ls\n  cabinet ls -l --order -modified /Invoices\n  cabinet ls "/Invoices/*.pdf"\n  cabinet ls -lR /Projects',
    )
    .action((paths: string[], options: LsOptions) =>
      perform(options, {
        run: (context) => list(context, paths, options),
        toLines: ({ Listed }) => toLines(Listed, options.long === true),
      }),
    );
}

async function list(
  context: CommandContext,
  paths: string[],
  { order: text, recursive }: LsOptions,
): Promise<{ Listed: Listed[] }> {
  const order = orders.find((known) => known === text);
  if (order === undefined) throw new UsageError(`--order ${text}: use one of ${orders.join(', ')}.`);
  const Listed: Listed[] = [];
  for (const found of await requireAll(context, paths.length === 0 ? ['/'] : paths)) {
    const listed = await listEntry(context, found, order);
    Listed.push(listed);
    if (recursive === true) await listBeneath(context, listed, { order, into: Listed });
  }
  return { Listed };
}

async function listEntry(
  { cabinet, signal }: CommandContext,
  { entry, path }: RemoteEntry,
  order: Order,
): Promise<Listed> {
  if (entry.Type === 'file') return { Path: path, Entry: entry };
  const Children = await Array.fromAsync(listChildren(cabinet, entry.Id, { order, signal, pageSize: 1000 }));
  return { Path: path, Entry: entry, Children };
}

interface Beneath {
  order: Order;
  into: Listed[];
}

async function listBeneath(context: CommandContext, { Path, Children = [] }: Listed, beneath: Beneath): Promise<void> {
  for (const entry of Children.filter(({ Type }) => Type === 'folder')) {
    const listed = await listEntry(context, { entry, path: joinRemote(Path, entry.Name) }, beneath.order);
    beneath.into.push(listed);
    await listBeneath(context, listed, beneath);
  }
}

function toLines(listed: readonly Listed[], isLong: boolean): string[] {
  const files = listed.filter(({ Children }) => Children === undefined);
  const folders = listed.filter(({ Children }) => Children !== undefined);
  const blocks: string[][] = [];
  if (files.length > 0)
    blocks.push(
      toRows(
        files.map(({ Entry, Path }) => ({ ...Entry, Name: Path })),
        isLong,
      ),
    );
  for (const { Path, Children = [] } of folders) {
    const head = listed.length > 1 ? [`${toPrintable(Path)}:`] : [];
    blocks.push([...head, ...toRows(Children, isLong)]);
  }
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function toRows(entries: readonly Entry[], isLong: boolean): string[] {
  const named = entries.map((entry) => ({ ...entry, Name: entry.Type === 'folder' ? `${entry.Name}/` : entry.Name }));
  if (!isLong) return named.map(({ Name }) => toPrintable(Name));
  return toTable(
    named.map(({ Size, ModifiedAt, ModifiedBy, Name }) => [toSize(Size), toLocalTime(ModifiedAt), ModifiedBy, Name]),
    [0],
    ['SIZE', 'MODIFIED', 'BY', 'NAME'],
  );
}
