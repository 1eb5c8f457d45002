// `cabinet group …`: groups of people, to which entries can be granted.

import type { Command } from 'commander';
import { print } from '../output.ts';
import { toOperatorTable } from '../table.ts';
import { type CommonOptions, common } from './app.ts';
import { runCommand } from './run-command.ts';

interface ChangeOptions extends CommonOptions {
  members?: string;
  add?: string;
  remove?: string;
}

export function registerGroup(program: Command): void {
  const group = program.command('group').description('manage groups of people');
  common(group.command('list <space>').description('list the groups of a space and who is in them')).action(
    (space: string, options: CommonOptions) => run('group list', { space }, options),
  );
  common(group.command('show <space> <group>').description('show who is in a group')).action(
    (space: string, name: string, options: CommonOptions) => run('group show', { space, group: name }, options),
  );
  common(group.command('add <space> <group>').description('create a group'))
    .option('--members <users>', 'its members, separated by commas')
    .action((space: string, name: string, options: ChangeOptions) => run('group add', { space, group: name }, options));
  common(group.command('change <space> <group>').description('add or remove members of a group'))
    .option('--add <users>', 'new members, separated by commas')
    .option('--remove <users>', 'members to remove, separated by commas')
    .action((space: string, name: string, options: ChangeOptions) =>
      run('group change', { space, group: name }, options),
    );
  common(group.command('remove <space> <group>').description('remove a group, with its grants')).action(
    (space: string, name: string, options: CommonOptions) => run('group remove', { space, group: name }, options),
  );
}

function run(name: string, named: Record<string, string>, options: ChangeOptions): Promise<void> {
  const { json: _, ...input } = options;
  return print(options, () => runCommand({ name, input: { ...input, ...named } }), toLines);
}

interface Shown {
  Name: string;
  Members: string[];
}

function toLines(result: object): string[] {
  const { Groups = [result as Shown] } = result as { Groups?: Shown[] };
  if (Groups.length === 0) return ['There are no groups. Add one: cabinet group add SPACE GROUP'];
  return toOperatorTable(
    Groups.map(({ Name, Members }) => [Name, Members.join(' ')]),
    ['GROUP', 'MEMBERS'],
  );
}
