// `cabinet profiles`: the sign-ins that are kept here, and which of them is used.

import type { Command } from 'commander';
import { readPersonal } from '../../config/personal.ts';
import { toTable } from '../table.ts';
import { exitOnUsageError, type PersonOptions, performWithoutSession } from './perform.ts';
import { changeProfiles, type Profile, type Profiles, readProfiles, requireProfile } from './profiles.ts';

export interface ShownProfile {
  Name: string;
  Url: string;
  /** Who it is: a person's id, or an application's key. */
  As: string;
  Space: string | null;
  IsCurrent: boolean;
}

export function registerProfiles(program: Command): void {
  const profiles = program
    .command('profiles')
    .description('list and choose stored sign-ins')
    .exitOverride(exitOnUsageError)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  cabinet profiles\n  cabinet profiles use work');
  profiles.action((options: PersonOptions) =>
    performWithoutSession(options, { run: async () => show(readAll()), toLines }),
  );
  profiles
    .command('use <name>')
    .description('use this sign-in from now on')
    .option('--json', 'print JSON')
    .exitOverride(exitOnUsageError)
    .action((name: string, _options: PersonOptions, command: Command) =>
      performWithoutSession(command.optsWithGlobals<PersonOptions>(), { run: () => use(name), toLines }),
    );
}

function readAll(): Profiles {
  return readProfiles(readPersonal().profilesPath);
}

async function use(name: string): Promise<{ Profiles: ShownProfile[] }> {
  const { profilesPath } = readPersonal();
  return await changeProfiles(profilesPath, async (profiles) => {
    requireProfile(profiles, name);
    const changed = { ...profiles, Current: name };
    return { profiles: changed, result: show(changed) };
  });
}

function show({ Current, Profiles: all }: Profiles): { Profiles: ShownProfile[] } {
  return { Profiles: Object.entries(all).map(([name, profile]) => showProfile(name, profile, name === Current)) };
}

export function showProfile(Name: string, profile: Profile, IsCurrent: boolean): ShownProfile {
  const { Url, User, AppKey, SpaceName } = profile;
  return { Name, Url, As: User ?? AppKey, Space: SpaceName ?? null, IsCurrent };
}

function toLines({ Profiles: all }: { Profiles: ShownProfile[] }): string[] {
  if (all.length === 0) return ['You have no sign-ins. Sign in with: cabinet login URL'];
  return toTable(
    all.map(({ Name, Url, As, Space, IsCurrent }) => [IsCurrent ? '*' : ' ', Name, Url, As, Space ?? '']),
    [],
    ['', 'PROFILE', 'SERVICE', 'SIGNED IN AS', 'SPACE'],
  );
}
