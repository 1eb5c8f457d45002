// `cabinet user …`: people, their passwords and their roles.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { fail, print, toPairs } from '../output.ts';
import { toOperatorTable } from '../table.ts';
import { type CommonOptions, common, runAndPrint } from './app.ts';
import { runCommand } from './run-command.ts';
import { type ExportOptions, exportUser } from './user-export.ts';

interface PasswordOptions extends CommonOptions {
  passwordFile?: string;
}

export function registerUser(program: Command): void {
  const user = program.command('user').description('manage people and their roles');
  withPassword(
    common(user.command('add <user>').description('add a person, and show the link by which they set a password')),
  )
    .option('--name <name>', 'the full name')
    .action((id: string, options: PasswordOptions) => runWithPassword('user add', id, options));
  withPassword(common(user.command('password <user>').description('set a new password, and end every sign-in'))).action(
    (id: string, options: PasswordOptions) => runWithPassword('user password', id, options),
  );
  common(
    user.command('setup <user>').description('create a link by which a person sets a new password; earlier links end'),
  ).action((id: string, options: CommonOptions) => runAndPrint('user setup', { user: id, ...options }, options));
  common(user.command('list').description('list the people and their roles')).action((options: CommonOptions) =>
    print(options, () => runCommand({ name: 'user list', input: { env: options.env } }), toLines),
  );
  common(user.command('disable <user>').description('sign a person out, and refuse further sign-ins')).action(
    (id: string, options: CommonOptions) => runAndPrint('user disable', { user: id, ...options }, options),
  );
  common(user.command('enable <user>').description('let a person sign in again')).action(
    (id: string, options: CommonOptions) => runAndPrint('user enable', { user: id, ...options }, options),
  );
  common(user.command('export <user>').description('write all data about a person as one JSON document'))
    .option('--out <file>', 'write to this file instead of standard output')
    .action((id: string, options: CommonOptions & ExportOptions) => runExport(id, options));
  common(user.command('erase <user>').description('remove all data about a person but the id, which stays taken'))
    .option('--yes', 'confirm: this cannot be undone')
    .action((id: string, options: CommonOptions & { yes?: boolean }) =>
      runAndPrint('user erase', { user: id, ...options }, options),
    );
  common(
    user.command('role <user> <role>').description('give a person a role in a space: viewer, editor, manager or none'),
  )
    .requiredOption('--space <name>', 'the space')
    .action((id: string, role: string, options: CommonOptions & { space: string }) =>
      print(
        options,
        () => runCommand({ name: 'user role', input: { user: id, role, space: options.space, env: options.env } }),
        (changed) => toLines({ Users: [changed] }),
      ),
    );
}

async function runExport(user: string, options: CommonOptions & ExportOptions): Promise<void> {
  try {
    const written = await exportUser(user, options);
    if (written !== null) await print(options, async () => written, toPairs);
  } catch (error) {
    fail(options, error);
  }
}

/** Never an argument: everyone on the machine can read those. */
function withPassword(command: Command): Command {
  return command.option('--password-file <file>', 'the first line of this file is the password; - for standard input');
}

function runWithPassword(name: string, user: string, options: PasswordOptions): Promise<void> {
  const { json: _, passwordFile, ...input } = options;
  return print(
    options,
    () =>
      runCommand({ name, input: { user, ...input, ...(passwordFile !== undefined && readPassword(passwordFile)) } }),
    toPairs,
  );
}

function readPassword(path: string): { password: string } {
  const [password = ''] = readFileSync(path === '-' ? 0 : path, 'utf8').split(/\r?\n/);
  return { password };
}

function toLines(result: object): string[] {
  const { Users } = result as { Users: { User: string; State: string; Roles: { Space: string; Role: string }[] }[] };
  if (Users.length === 0) return ['There are no users. Add one: cabinet user add USER'];
  return toOperatorTable(
    Users.map(({ User, State, Roles }) => [User, State, Roles.map(({ Space, Role }) => `${Space}=${Role}`).join(' ')]),
    ['USER', 'STATE', 'ROLES'],
  );
}
