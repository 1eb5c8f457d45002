// `cabinet app-password list|add|remove`: manage passwords for WebDAV clients and other programs.

import {
  type AddedAppPassword,
  type AppPassword,
  addAppPassword,
  listAppPasswords,
  listSpaces,
  removeAppPassword,
  type Space,
  showAccount,
} from '@cabinet/client';
import type { Command } from 'commander';
import { toLocalTime, toTable } from '../table.ts';
import { LocalError, UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';

interface AddOptions extends PersonOptions {
  readOnly?: boolean;
  only?: string;
  expires?: string;
}

interface Shown {
  AppPasswords: AppPassword[];
}

export function registerAppPassword(program: Command): void {
  const group = program
    .command('app-password')
    .description('manage your passwords for programs that cannot sign in, such as WebDAV clients')
    .addHelpText(
      'after',
      '\nExamples:\n  cabinet app-password add laptop --expires 1y\n  cabinet app-password list\n  cabinet app-password remove laptop',
    );
  personCommand(group, 'list', 'list your app passwords, oldest first').action((options: PersonOptions) =>
    perform(options, { run: list, toLines: toListLines }),
  );
  personCommand(group, 'add <name>', 'create an app password and print it once; the name says what it is for')
    .option('--read-only', 'only for reading')
    .option('--only <space>', 'only for this space; by default for all of yours')
    .option('--expires <time>', 'when it ends: a day such as 2027-01-31, or 30d, 12w, 1y; never by default')
    .addHelpText('after', '\nOnly the password goes to standard output: cabinet app-password add laptop > password')
    .action((name: string, options: AddOptions) =>
      perform(options, {
        run: (context) => add(context, name, options),
        toLines: ({ Password }: AddedAppPassword) => [Password],
      }),
    );
  personCommand(
    group,
    'remove <id-or-name>',
    'remove an app password; programs that use it are refused within a second',
  ).action((word: string, options: PersonOptions) =>
    perform(options, {
      run: (context) => remove(context, word),
      toLines: ({ Removed }) => [`“${Removed.Name}” is removed.`],
    }),
  );
}

async function list({ cabinet, signal }: CommandContext): Promise<Shown & { Spaces: readonly Space[] }> {
  const Spaces = await listSpaces(cabinet, { signal });
  return { AppPasswords: await Array.fromAsync(listAppPasswords(cabinet, { signal })), Spaces };
}

function toListLines({ AppPasswords, Spaces }: Shown & { Spaces: readonly Space[] }): string[] {
  if (AppPasswords.length === 0) return ['You have no app passwords. Create one: cabinet app-password add NAME'];
  const toSpaceName = (id: string | null) =>
    id === null ? 'all spaces' : (Spaces.find(({ Id }) => Id === id)?.Name ?? id);
  return toTable(
    AppPasswords.map(({ Id, Access, SpaceId, ExpiresAt, LastUsedAt, Name }) => [
      Id,
      Access,
      toSpaceName(SpaceId),
      LastUsedAt === null ? 'never used' : `used ${toLocalTime(LastUsedAt)}`,
      ExpiresAt === null ? 'no end' : `until ${toLocalTime(ExpiresAt)}`,
      Name,
    ]),
    [],
    ['ID', 'ACCESS', 'SPACE', 'LAST USED', 'EXPIRES', 'NAME'],
  );
}

async function add(context: CommandContext, name: string, options: AddOptions): Promise<AddedAppPassword> {
  const { cabinet, signal, profile } = context;
  const { readOnly, only, expires, json } = options;
  const space = only === undefined ? undefined : await findSpace(context, only);
  const expiresAt = expires === undefined ? undefined : toEnd(expires, Date.now());
  const access = readOnly === true ? 'read' : 'write';
  const added = await addAppPassword(cabinet, { name, access, space, expiresAt }, { signal });
  if (json !== true) {
    const { Id } = await showAccount(cabinet, { signal });
    // A colon would end the user in HTTP Basic.
    const user = Id.replaceAll(/[%:]/g, encodeURIComponent);
    process.stderr.write(
      `Keep it now: it is shown once.\nAddress: ${profile.Url.replace(/\/$/, '')}/dav/\nUser: ${user}\nPassword:\n`,
    );
  }
  return added;
}

async function findSpace({ cabinet, signal }: CommandContext, wanted: string): Promise<string> {
  const found = (await listSpaces(cabinet, { signal })).find(({ Id, Name }) => Id === wanted || Name === wanted);
  if (found !== undefined) return found.Id;
  throw new LocalError('NotFound', `You are not in a space ${JSON.stringify(wanted)}.`);
}

const unitDays: Record<string, number> = { d: 1, w: 7, y: 365 };

/** A day ends at its local midnight. */
function toEnd(text: string, now: number): Date {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([dwy])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(now + Number(count) * (unitDays[unit] ?? 1) * 24 * 3600 * 1000);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const end = new Date(isDay ? `${text}T24:00:00` : text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(end.getTime())) return end;
  throw new UsageError(`--expires ${text}: use a day such as 2027-01-31, or 30d, 12w, 1y.`);
}

async function remove({ cabinet, signal }: CommandContext, word: string): Promise<{ Removed: AppPassword }> {
  const all = await Array.fromAsync(listAppPasswords(cabinet, { signal }));
  const byId = all.filter(({ Id }) => Id === word);
  const found = byId.length > 0 ? byId : all.filter(({ Name }) => Name === word);
  const [Removed] = found;
  if (Removed === undefined) throw new LocalError('NotFound', `You have no app password ${JSON.stringify(word)}.`);
  if (found.length > 1) throw new UsageError(`${found.length} of your app passwords are called ${word}: name its id.`);
  await removeAppPassword(cabinet, Removed.Id, { signal });
  return { Removed };
}
