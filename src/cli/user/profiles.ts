// Where a person's sign-ins are kept: one JSON file of mode 0600 in the user's config folder, a profile for each. It holds secrets
// and refresh tokens, so it is never written in place, and not read when others can read it too.
//
// {"Current": "work", "Profiles": {"work": {"Url": "https://…", "AppKey": "ak_…", "Secret": "cs_…"}}}

import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { LocalError, NotSignedIn, UsageError } from './exit-codes.ts';

export interface Profile {
  Url: string;
  AppKey: string;
  /** An application has this, */
  Secret?: string;
  /** or these: paths of PEM files. */
  Certificate?: string;
  Key?: string;
  /** Path of a PEM file with the CAs that the service's certificate leads to. */
  Ca?: string;
  /** A person has these. A refresh token is good once. */
  User?: string;
  RefreshToken?: string;
  AccessToken?: string;
  /** Of the access token. */
  ExpiresAt?: string;
  /** For those who are in several. */
  SpaceId?: string;
  SpaceName?: string;
}

export interface Profiles {
  Current: string | null;
  Profiles: Record<string, Profile>;
}

/** The holder of an older lock has died. */
const staleLockMs = 60_000;
const lockWaitMs = 50;

export function readProfiles(path: string): Profiles {
  let text: string;
  try {
    if ((statSync(path).mode & 0o077) !== 0) throw openToOthers(path);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { Current: null, Profiles: {} };
    throw error;
  }
  try {
    const { Current, Profiles } = JSON.parse(text) as Profiles;
    return { Current, Profiles: Object.assign(Object.create(null) as Profiles['Profiles'], Profiles) };
  } catch {
    throw new LocalError(
      'ProfilesUnreadable',
      `${path} cannot be read as a list of sign-ins. Remove it and sign in again.`,
    );
  }
}

function openToOthers(path: string): LocalError {
  return new LocalError(
    'ProfilesOpenToOthers',
    `Other users can read ${path}, which contains secrets. Run: chmod 600 ${path}`,
  );
}

export function requireProfile(
  { Current, Profiles }: Profiles,
  wanted: string | null,
): { name: string; profile: Profile } {
  const name = wanted ?? Current;
  const profile = name === null ? undefined : Profiles[name];
  if (name !== null && profile !== undefined) return { name, profile };
  const names = Object.keys(Profiles);
  const there = names.length === 0 ? '' : ` Your profiles: ${names.join(', ')}.`;
  throw new NotSignedIn(
    name === null
      ? `You are not signed in. Sign in with: cabinet login URL${there}`
      : `There is no profile ${JSON.stringify(name)}. Create it with: cabinet login URL --profile ${name}${there}`,
  );
}

export function checkProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new UsageError(`${JSON.stringify(name)} is not a profile name. Use up to 64 letters, digits, dots and dashes.`);
}

/** Changes the file under its lock: what `change` returns replaces its content. */
export async function changeProfiles<Result>(
  path: string,
  change: (profiles: Profiles) => Promise<{ profiles: Profiles; result: Result }>,
): Promise<Result> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unlock = await lock(`${path}.lock`);
  try {
    const { profiles, result } = await change(readProfiles(path));
    write(path, `${JSON.stringify(profiles, null, 2)}\n`);
    return result;
  } finally {
    unlock();
  }
}

function write(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.new`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, path);
}

async function lock(path: string): Promise<() => void> {
  for (;;) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return () => unlinkSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isStale(path)) unlinkIfPresent(path);
    else await new Promise((resolve) => setTimeout(resolve, lockWaitMs));
  }
}

function isStale(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > staleLockMs;
  } catch {
    return false;
  }
}

function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process removed it first.
  }
}
