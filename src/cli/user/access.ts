// `cabinet access PATH [grant|revoke]`: who may see an entry and why, and sharing it with people and groups.

import { type AccessLine, grantAccess, listAccess, revokeAccess } from '@cabinet/client';
import type { Command } from 'commander';
import { toTable } from '../table.ts';
import { UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireEntry } from './remote.ts';

interface Shown {
  Access: AccessLine[];
}

const grantRoles = ['viewer', 'editor'] as const;

type Words = [change?: string, principal?: string, role?: string];

export function registerAccess(program: Command): void {
  personCommand(
    program,
    'access <path> [change] [principal] [role]',
    'show who has access, and share with people and groups',
  )
    .addHelpText(
      'after',
      [
        '',
        'Managers of the space grant and revoke. A role holds for everything beneath, too.',
        '',
        'Examples:',
        '  cabinet access /Cases',
        '  cabinet access /Cases grant user:ann editor',
        '  cabinet access /Cases grant group:legal viewer',
        '  cabinet access /Cases revoke user:ann',
      ].join('\n'),
    )
    .action((path: string, ...rest: [...Words, PersonOptions, Command]) => {
      const words = rest.slice(0, 3) as Words;
      const options = rest[3] as PersonOptions;
      return perform(options, { run: (context) => run(context, path, words), toLines });
    });
}

async function run(context: CommandContext, path: string, [change, principal, role]: Words): Promise<Shown> {
  const { cabinet, signal } = context;
  if (change !== undefined && change !== 'grant' && change !== 'revoke') {
    throw new UsageError(`${change}: use grant or revoke.`);
  }
  if (change !== undefined && principal === undefined) {
    throw new UsageError(`Name a person or a group: cabinet access PATH ${change} user:ann`);
  }
  if (change === 'revoke' && role !== undefined) throw new UsageError('revoke takes no role.');
  const granted = grantRoles.find((known) => known === role);
  if (change === 'grant' && granted === undefined) throw new UsageError('Say viewer or editor at the end.');
  const { Id: id } = (await requireEntry(context, path)).entry;
  if (principal !== undefined && granted !== undefined) {
    await grantAccess(cabinet, { id, principal, role: granted }, { signal });
  } else if (principal !== undefined) await revokeAccess(cabinet, { id, principal }, { signal });
  return { Access: await Array.fromAsync(listAccess(cabinet, id, { signal })) };
}

function toLines({ Access }: Shown): string[] {
  return toTable(
    Access.map(({ Principal, Role, From }) => [
      Principal,
      Role,
      From === 'space' ? 'by the role in the space' : `granted on ${From.Path}`,
    ]),
    [],
    ['WHO', 'ROLE', 'FROM'],
  );
}
