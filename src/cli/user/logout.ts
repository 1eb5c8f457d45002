// `cabinet logout`: ends a sign-in, at the service and here.

import { revokeToken } from '@cabinet/client';
import type { Command } from 'commander';
import { readPersonal } from '../../config/personal.ts';
import { exitOnUsageError, type PersonOptions, performWithoutSession } from './perform.ts';
import { changeProfiles, type Profile, readProfiles, requireProfile } from './profiles.ts';
import { connectAs } from './session.ts';

interface SignedOut {
  SignedOut: string;
  /** False if the service could not be reached. The session then expires by itself. */
  IsRevoked: boolean;
}

export function registerLogout(program: Command): void {
  program
    .command('logout')
    .description('sign out, here and on the service')
    .option('--profile <name>', 'end this sign-in; by default the current one')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  cabinet logout\n  cabinet logout --profile work')
    .exitOverride(exitOnUsageError)
    .action((options: PersonOptions) => performWithoutSession(options, { run: () => logOut(options), toLines }));
}

async function logOut(options: PersonOptions): Promise<SignedOut> {
  const { profilesPath, profile: wanted } = readPersonal();
  const { name } = requireProfile(readProfiles(profilesPath), options.profile ?? wanted);
  return await changeProfiles(profilesPath, async (profiles) => {
    const { [name]: gone, ...rest } = profiles.Profiles;
    const IsRevoked = gone === undefined || (await revoke(gone));
    const Current = profiles.Current === name ? (Object.keys(rest)[0] ?? null) : profiles.Current;
    return { profiles: { Current, Profiles: rest }, result: { SignedOut: name, IsRevoked } };
  });
}

/** An application has no session to end: its secret stays valid elsewhere. */
async function revoke(profile: Profile): Promise<boolean> {
  if (profile.RefreshToken === undefined) return true;
  try {
    await revokeToken(connectAs(profile), profile.RefreshToken);
    return true;
  } catch {
    return false;
  }
}

function toLines({ SignedOut, IsRevoked }: SignedOut): string[] {
  const warning = 'The service cannot be reached. The sign-in ends there within 14 days.';
  return [`Signed out of ${SignedOut}.`, ...(IsRevoked ? [] : [warning])];
}
