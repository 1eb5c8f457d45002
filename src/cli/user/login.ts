// `cabinet login`: a person signs in in the browser; a program by its application's secret or certificate.

import { resolve } from 'node:path';
import { listSpaces, revokeToken, type Space } from '@cabinet/client';
import type { Command } from 'commander';
import { readPersonal } from '../../config/personal.ts';
import { commandLineAppKey } from '../../domain/built-in-applications.ts';
import { toPrintable } from '../output.ts';
import { readSecretFile } from '../secret-file.ts';
import { openInBrowser } from './browser.ts';
import { chooseSpace } from './choose-space.ts';
import { UsageError } from './exit-codes.ts';
import type { LoopbackPage } from './loopback-page.ts';
import { exitOnUsageError, type PersonOptions, performWithoutSession } from './perform.ts';
import { type ShownProfile, showProfile } from './profile-list.ts';
import { changeProfiles, checkProfileName, type Profile } from './profiles.ts';
import { toServiceUrl } from './service-address.ts';
import { connectAs } from './session.ts';
import { signDeviceIn } from './sign-device-in.ts';
import { signIn, type Tokens } from './sign-in.ts';
import { TerminalLines } from './terminal-lines.ts';

const defaultUrl = 'http://127.0.0.1:8080';
const defaultProfile = 'default';

interface LoginOptions extends PersonOptions {
  appKey?: string;
  secretFile?: string;
  certificate?: string;
  key?: string;
  ca?: string;
  browser: boolean;
  device?: boolean;
}

export function registerLogin(program: Command): void {
  program
    .command('login [address]')
    .description(`sign in to a service; the address is ${defaultUrl} by default`)
    .option('--profile <name>', 'store the sign-in under this name', defaultProfile)
    .option('--space <name>', 'the space to work in, if you are in several')
    .option('--device', 'show a code to type on another device; the default over SSH and without a display')
    .option('--no-browser', 'print the address to open, and paste the address that the browser ends at')
    .option('--app-key <key>', 'sign in through another application than the built-in one')
    .option('--secret-file <file>', 'sign in as an application: the first line is its secret; - for standard input')
    .option('--certificate <file>', 'sign in as a server-based application (PEM), on the mutual-TLS address')
    .option('--key <file>', 'the private key of the certificate (PEM)')
    .option('--ca <file>', "CAs that issued the service's certificate (PEM), if the system does not trust them")
    .option('--json', 'print JSON')
    .exitOverride(exitOnUsageError)
    .addHelpText(
      'after',
      `
Examples:
  cabinet login https://files.example.com
  cabinet login https://files.example.com --profile work --space Finance
  cabinet login https://files.example.com --device
  cabinet login https://files.example.com --app-key ak_… --secret-file secret.txt`,
    )
    .action((address: string | undefined, options: LoginOptions) =>
      performWithoutSession(options, {
        run: (signal) => logIn(toServiceUrl(address ?? defaultUrl), options, signal),
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
  if (isPerson) return await signPersonIn(base, { name, options, signal });
  return await keep(base, { name, options, signal, page: null, lines: null });
}

interface Keeping {
  name: string;
  options: LoginOptions;
  signal: AbortSignal;
  page: LoopbackPage | null;
  lines: TerminalLines | null;
}

/** Saves the profile, after its credentials have worked. */
async function keep(profile: Profile, { name, options, signal, page, lines }: Keeping): Promise<LoginResult> {
  const Spaces = await listSpaces(connectAs(profile), { signal });
  const placed = { ...profile, ...(await chooseSpace(Spaces, { wanted: options.space, page, lines })) };
  await changeProfiles(readPersonal().profilesPath, async ({ Profiles }) => ({
    profiles: { Current: name, Profiles: { ...Profiles, [name]: placed } },
    result: undefined,
  }));
  return { Profile: showProfile(name, placed, true), Spaces };
}

function toProfile(Url: string, { appKey, secretFile, certificate, key, ca }: LoginOptions): Profile {
  if (certificate !== undefined && (key === undefined || secretFile !== undefined)) {
    throw new UsageError('--certificate needs --key, and cannot be used with --secret-file.');
  }
  if (appKey === undefined && (secretFile ?? certificate) !== undefined) {
    throw new UsageError('--secret-file and --certificate need --app-key, the AppKey of the application.');
  }
  return {
    Url,
    AppKey: appKey ?? commandLineAppKey,
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

async function signPersonIn(
  base: Profile,
  { name, options, signal }: Pick<Keeping, 'name' | 'options' | 'signal'>,
): Promise<LoginResult> {
  using lines = new TerminalLines();
  const finish = async (tokens: Tokens, page: LoopbackPage | null) => {
    const profile = { ...base, ...tokens };
    return await keep(profile, { name, options, signal, page, lines }).catch(async (error) => {
      await revokeToken(connectAs(profile), tokens.RefreshToken).catch(() => undefined);
      throw error;
    });
  };
  if (isForDevice(base, options)) return await finish(await signDeviceIn(connectAs(base), signal), null);
  return await signIn(connectAs(base), {
    signal,
    pasted: () => lines.next(),
    show: (address) => show(address, options, lines),
    complete: finish,
  });
}

/** Without a browser on this machine, a code is typed in one elsewhere. Only the built-in application may do that. */
function isForDevice({ AppKey }: Profile, { device, browser, appKey }: LoginOptions): boolean {
  if (device === true) {
    if (appKey !== undefined) throw new UsageError('--device works without --app-key only.');
    return true;
  }
  return browser && AppKey === commandLineAppKey && !readPersonal().hasBrowser;
}

async function show(address: string, options: LoginOptions, { isTerminal }: TerminalLines): Promise<void> {
  const isOpened = options.browser && (await openInBrowser(address, readPersonal().browser));
  const first = isOpened
    ? 'Sign in in your browser. If it does not open, open this address:'
    : 'Open this address in a browser:';
  process.stderr.write(`${first}\n\n  ${address}\n\n`);
  if (isTerminal) {
    process.stderr.write(
      'If the browser is on another machine, its last page cannot be shown. Copy the address of that page and paste it here.\n',
    );
  }
}

function toLines({ Profile: { Name, Url, As, Space }, Spaces }: LoginResult): string[] {
  const profile = Name === defaultProfile ? [] : [`The profile is ${Name}.`];
  if (Space === null) {
    const advice = 'You are not a member of any space yet. Ask a manager of a space to give you a role.';
    return [`Signed in to ${Url} as ${As}.`, advice, ...profile];
  }
  const others = Spaces.filter((space) => space.Name !== Space).map((space) => toPrintable(space.Name));
  const more = others.length === 0 ? [] : [`Your other spaces: ${others.join(', ')}. Use one with --space NAME.`];
  return [`Signed in to ${Url} as ${As}, space ${toPrintable(Space)}.`, ...more, ...profile];
}
