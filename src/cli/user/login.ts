// `cabinet login`: a person signs in in the browser; a program by its application's secret or certificate.

import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { listSpaces, type Space } from '@cabinet/client';
import type { Command } from 'commander';
import { readPersonal } from '../../config/personal.ts';
import { readSecretFile } from '../secret-file.ts';
import { openInBrowser } from './browser.ts';
import { NotSignedIn, UsageError } from './exit-codes.ts';
import { exitOnUsageError, type PersonOptions, performWithoutSession } from './perform.ts';
import { type ShownProfile, showProfile } from './profile-list.ts';
import { changeProfiles, checkProfileName, type Profile } from './profiles.ts';
import { connectAs } from './session.ts';
import { signIn, type Tokens } from './sign-in.ts';

const defaultUrl = 'http://127.0.0.1:8080';
const defaultProfile = 'default';

interface LoginOptions extends PersonOptions {
  appKey?: string;
  secretFile?: string;
  certificate?: string;
  key?: string;
  ca?: string;
  browser: boolean;
}

export function registerLogin(program: Command): void {
  program
    .command('login [address]')
    .description(`sign in to the service at an address; ${defaultUrl} by default`)
    .requiredOption('--app-key <key>', 'the AppKey of the application to sign in through')
    .option(
      '--secret-file <file>',
      "as that application itself: its secret is the file's first line; - for standard input",
    )
    .option(
      '--certificate <file>',
      'as a server-based application, by its certificate (PEM), on the mutual-TLS address',
    )
    .option('--key <file>', 'the key that goes with it (PEM)')
    .option('--ca <file>', "CAs that the service's certificate leads to (PEM), if the system does not know them")
    .option('--profile <name>', 'keep it under this name, beside others', defaultProfile)
    .option('--space <name>', 'the space to work in, for people who are in several')
    .option('--no-browser', 'print the address to open instead of opening it')
    .option('--json', 'print JSON')
    .exitOverride(exitOnUsageError)
    .addHelpText(
      'after',
      '\nExamples:\n  cabinet login https://files.example.com --app-key ak_…            # a person, in the browser\n' +
        '  cabinet login http://127.0.0.1:8080 --app-key ak_… --secret-file - # an application',
    )
    .action((address: string | undefined, options: LoginOptions) =>
      performWithoutSession(options, {
        run: (signal) => logIn(toUrl(address ?? defaultUrl), options, signal),
        toLines,
      }),
    );
}

interface LoginResult {
  Profile: ShownProfile;
  Spaces: Space[];
}

async function logIn(url: string, options: LoginOptions, signal: AbortSignal): Promise<LoginResult> {
  const name = checkProfileName(options.profile ?? defaultProfile);
  const base = toProfile(url, options);
  const isPerson = base.Secret === undefined && base.Certificate === undefined;
  const profile: Profile = isPerson ? { ...base, ...(await signPersonIn(base, options, signal)) } : base;
  // Saved only after the credentials have worked.
  const Spaces = await listSpaces(connectAs(profile), { signal });
  const placed = { ...profile, ...selectSpace(Spaces, options.space) };
  await changeProfiles(readPersonal().profilesPath, async ({ Profiles }) => ({
    profiles: { Current: name, Profiles: { ...Profiles, [name]: placed } },
    result: undefined,
  }));
  return { Profile: showProfile(name, placed, true), Spaces };
}

function toUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new UsageError(`${JSON.stringify(text)} is not an address such as https://files.example.com.`);
  }
  return url.href.replace(/\/+$/, '');
}

function toProfile(Url: string, { appKey = '', secretFile, certificate, key, ca }: LoginOptions): Profile {
  if (certificate !== undefined && (key === undefined || secretFile !== undefined)) {
    throw new UsageError('A certificate goes with --key, and instead of a secret.');
  }
  return {
    Url,
    AppKey: appKey,
    ...(secretFile !== undefined && { Secret: readSecret(secretFile) }),
    ...(certificate !== undefined && { Certificate: resolve(certificate), Key: resolve(key as string) }),
    ...(ca !== undefined && { Ca: resolve(ca) }),
  };
}

function readSecret(path: string): string {
  const secret = readSecretFile(path);
  if (secret === '') throw new UsageError('The secret is empty.');
  return secret;
}

async function signPersonIn(profile: Profile, options: LoginOptions, signal: AbortSignal): Promise<Tokens> {
  const lines = process.stdin.isTTY === true ? createInterface({ input: process.stdin }) : null;
  const pasted = new Promise<string>((done) => lines?.on('line', (line) => line.trim() !== '' && done(line.trim())));
  const show = async (address: string) => {
    const isOpened = options.browser && (await openInBrowser(address, readPersonal().browser));
    process.stderr.write(
      `${isOpened ? 'Sign in in the browser. If it does not open, open' : 'Open'} this address:\n\n  ${address}\n\n`,
    );
    if (lines !== null)
      process.stderr.write('If the browser runs elsewhere, paste here the address that it ends at.\n');
  };
  try {
    return await signIn(connectAs(profile), { signal, show, pasted });
  } finally {
    lines?.close();
  }
}

function selectSpace(spaces: readonly Space[], wanted: string | undefined): Pick<Profile, 'SpaceId' | 'SpaceName'> {
  const [only] = spaces;
  const chosen =
    wanted === undefined && spaces.length === 1
      ? only
      : spaces.find(({ Id, Name }) => Id === wanted || Name === wanted);
  if (chosen !== undefined) return { SpaceId: chosen.Id, SpaceName: chosen.Name };
  const names = spaces.map(({ Name }) => Name).join(', ');
  if (wanted !== undefined)
    throw new UsageError(
      `You are not in a space ${JSON.stringify(wanted)}. ${names === '' ? 'You are in none.' : `There are: ${names}.`}`,
    );
  if (spaces.length === 0)
    throw new NotSignedIn('You are signed in, but not a member of any space. Ask to be given a role.');
  throw new UsageError(`You are in several spaces. Say which to work in: --space NAME. There are: ${names}.`);
}

function toLines({ Profile: { Name, Url, As, Space } }: LoginResult): string[] {
  return [`Signed in to ${Url} as ${As}, space ${Space}. The profile is ${Name}.`];
}
