// `cabinet whoami`: who is signed in, where, and in which spaces.

import { type Account, showAccount } from '@cabinet/client';
import type { Command } from 'commander';
import { toTable } from '../table.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';

interface Whoami {
  Profile: string;
  Url: string;
  /** The space that commands work in. */
  SpaceId: string | null;
  Account: Account;
}

export function registerWhoami(program: Command): void {
  personCommand(program, 'whoami', 'show who you are signed in as')
    .addHelpText('after', '\nExamples:\n  cabinet whoami\n  cabinet whoami --json | jq -r .Account.Id')
    .action((options: PersonOptions) => perform(options, { run: show, toLines }));
}

async function show({ cabinet, profile, name, signal }: CommandContext): Promise<Whoami> {
  const account = await showAccount(cabinet, { signal });
  return { Profile: name, Url: profile.Url, SpaceId: cabinet.spaceId ?? null, Account: account };
}

function toLines({ Profile, Url, SpaceId, Account: { Id, Name, Kind, Spaces } }: Whoami): string[] {
  const space = Spaces.find((one) => one.Id === SpaceId) ?? (Spaces.length === 1 ? Spaces[0] : undefined);
  const names = Spaces.map((one) => (one.Role == null ? one.Name : `${one.Name} (${one.Role})`));
  return toTable([
    [Kind === 'person' ? 'Person' : 'Application', Id === Name ? Id : `${Id} (${Name})`],
    ['Service', Url],
    ['Space', space?.Name ?? 'none'],
    ['Spaces', names.length === 0 ? 'none' : names.join(', ')],
    ['Profile', Profile],
  ]);
}
