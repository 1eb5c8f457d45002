// `cabinet share PATH`, `cabinet share list|revoke`: create and manage links for people without an account.

import { randomBytes } from 'node:crypto';
import { addShare, listEntryShares, listShares, revokeShare, type ShareFields } from '@cabinet/client';
import { Command } from 'commander';
import { readSecretFile } from '../secret-file.ts';
import { toLocalTime, toTable } from '../table.ts';
import { LocalError, UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireEntry } from './remote.ts';

interface MakeOptions extends PersonOptions {
  upload?: boolean;
  expires?: string;
  password?: boolean;
  passwordFile?: string;
  downloads?: string;
}

interface ListOptions extends PersonOptions {
  all?: boolean;
}

interface MadeShare {
  Share: ShareFields;
  /** Null: it has none, or the person chose it. */
  Password: string | null;
}

interface ListedShares {
  Shares: ShareFields[];
}

export function registerShare(program: Command): void {
  const group = program
    .command('share')
    .description('create and manage links for people without an account')
    .usage('PATH [options]')
    .addHelpText(
      'after',
      '\nThe options of a new link: cabinet help share make\n\nExamples:\n' +
        '  cabinet share /Archive/photos --expires 7d\n  cabinet share /Incoming --upload --password\n' +
        '  cabinet share list\n  cabinet share revoke https://files.example.com/s/…',
    );
  const make = personCommand(
    new Command(),
    'make <path>',
    'create a link to a folder or file, and print it (the default)',
  )
    .option('--upload', 'people can send files into the folder, but cannot see what is in it')
    .option('--expires <time>', 'when it ends: 12h, 7d, 4w, or a day such as 2027-01-31; 30 days by default')
    .option('--password', 'protect the link with a generated password, and print it')
    .option(
      '--password-file <file>',
      'protect it with the password in the first line of this file; - for standard input',
    )
    .option('--downloads <count>', 'the maximum number of downloads')
    .action((path: string, options: MakeOptions) =>
      perform(options, { run: (context) => makeLink(context, path, options), toLines: toMadeLines }),
    );
  group.addCommand(make, { isDefault: true });
  personCommand(group, 'list [path]', 'list your links, or all links of a folder or file; newest first')
    .option('--all', 'list the links of everybody in the space; for managers')
    .action((path: string | undefined, options: ListOptions) =>
      perform(options, { run: (context) => list(context, path, options.all === true), toLines: toListLines }),
    );
  personCommand(group, 'revoke <link>', 'end a link for good, by its id or address').action(
    (word: string, options: PersonOptions) =>
      perform(options, {
        run: (context) => revoke(context, word),
        toLines: ({ Share }) => [`The link “${Share.Name}” is revoked.`],
      }),
  );
}

async function makeLink(context: CommandContext, path: string, options: MakeOptions): Promise<MadeShare> {
  const { cabinet, signal } = context;
  const { upload, expires, downloads } = options;
  const chosen = options.passwordFile === undefined ? null : readSecretFile(options.passwordFile);
  const made = options.password === true && chosen === null ? randomBytes(12).toString('base64url') : null;
  const expiresAt = expires === undefined ? undefined : toEnd(expires, Date.now());
  const maxDownloads = downloads === undefined ? undefined : toCount(downloads);
  const { entry } = await requireEntry(context, path);
  const access = upload === true ? 'upload' : 'read';
  const share = { entry: entry.Id, access, expiresAt, maxDownloads, password: chosen ?? made } as const;
  return { Share: await addShare(cabinet, share, { signal }), Password: made };
}

function toMadeLines({ Share, Password }: MadeShare): string[] {
  return [Share.Url ?? Share.Id, ...(Password === null ? [] : [`Password: ${Password}`])];
}

function toCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--downloads ${text}: use a number from 1 on.`);
}

const unitHours: Record<string, number> = { h: 1, d: 24, w: 7 * 24 };

/** A day ends at its local midnight. */
function toEnd(text: string, now: number): Date {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(now + Number(count) * (unitHours[unit] ?? 1) * 3600 * 1000);
  const end = new Date(`${text}T24:00:00`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(end.getTime())) return end;
  throw new UsageError(`--expires ${text}: use 12h, 7d, 4w, or a day such as 2027-01-31.`);
}

async function list(context: CommandContext, path: string | undefined, all: boolean): Promise<ListedShares> {
  const { cabinet, signal } = context;
  if (path === undefined) return { Shares: await Array.fromAsync(listShares(cabinet, { all, signal })) };
  const { entry } = await requireEntry(context, path);
  return { Shares: await Array.fromAsync(listEntryShares(cabinet, entry.Id, { signal })) };
}

function toListLines({ Shares }: ListedShares): string[] {
  if (Shares.length === 0) return ['No links. Create one: cabinet share PATH'];
  return toTable(
    Shares.map(({ Id, Access, State, ExpiresAt, Downloads, Uploads, Name }) => [
      Id,
      Access,
      State,
      `until ${toLocalTime(ExpiresAt)}`,
      Access === 'upload' ? `${Uploads} sent` : `${Downloads} downloaded`,
      Name,
    ]),
    [],
    ['ID', 'ACCESS', 'STATE', 'EXPIRES', 'USED', 'NAME'],
  );
}

async function revoke({ cabinet, signal }: CommandContext, word: string): Promise<{ Share: ShareFields }> {
  if (!word.includes('/')) return { Share: await revokeShare(cabinet, word, { signal }) };
  const own = await Array.fromAsync(listShares(cabinet, { signal }));
  const found = own.find(({ Url }) => Url === word);
  if (found === undefined) throw new LocalError('NotFound', 'None of your links has this address.');
  return { Share: await revokeShare(cabinet, found.Id, { signal }) };
}
