// Connects with the credentials of a profile. A user's tokens are kept in the file of profiles and renewed under its lock, because a
// refresh token works once and several commands may need it.

import { readFileSync } from 'node:fs';
import {
  applicationToken,
  type Cabinet,
  certificateToken,
  connect,
  type Fetch,
  listSpaces,
  type TokenSource,
} from '@cabinet/client';
import { mutualTls, trusting } from '@cabinet/client/node';
import { type Personal, readPersonal } from '../../config/personal.ts';
import { readVersion } from '../../runtime/version.ts';
import { LocalError, NotSignedIn } from './exit-codes.ts';
import { changeProfiles, type Profile, readProfiles, requireProfile } from './profiles.ts';
import { renew } from './sign-in.ts';

/** A token that expires sooner is renewed. */
const renewBeforeMs = 60_000;

export interface SessionOptions {
  profile?: string;
  space?: string;
}

export interface Session {
  cabinet: Cabinet;
  profile: Profile;
  name: string;
  personal: Personal;
}

export async function openSession(options: SessionOptions, signal: AbortSignal): Promise<Session> {
  const personal = readPersonal();
  const path = personal.profilesPath;
  const { name, profile } = requireProfile(readProfiles(path), options.profile ?? personal.profile);
  const cabinet = connectAs(profile, { name, path });
  if (options.space === undefined) return { cabinet, profile, name, personal };
  return { cabinet: { ...cabinet, spaceId: await findSpace(cabinet, options.space, signal) }, profile, name, personal };
}

async function findSpace(cabinet: Cabinet, wanted: string, signal: AbortSignal): Promise<string> {
  const found = (await listSpaces(cabinet, { signal })).find(({ Id, Name }) => Id === wanted || Name === wanted);
  if (found !== undefined) return found.Id;
  throw new LocalError('NotFound', `You are not in a space ${JSON.stringify(wanted)}.`);
}

interface ProfileLocation {
  name: string;
  path: string;
}

/** `location`: where a user's tokens are renewed; without it they are used as they are. */
export function connectAs(profile: Profile, location: ProfileLocation | null = null): Cabinet {
  return connect({
    url: profile.Url,
    appKey: profile.AppKey,
    token: toTokenSource(profile, location),
    spaceId: profile.SpaceId,
    fetch: withUserAgent(toFetch(profile)),
  });
}

/** People see it where they are asked whether a device may sign in, and in the list of their sign-ins. */
function withUserAgent(send: Fetch): Fetch {
  const userAgent = `cabinet/${readVersion()}`;
  return (url, init) => send(url, { ...init, headers: { ...init.headers, 'User-Agent': userAgent } });
}

function toFetch({ Certificate, Key, Ca }: Profile): Fetch {
  const ca = Ca === undefined ? undefined : readFileSync(Ca, 'utf8');
  if (Certificate !== undefined && Key !== undefined) {
    return mutualTls({ certificate: readFileSync(Certificate, 'utf8'), key: readFileSync(Key, 'utf8'), ca });
  }
  return ca === undefined ? (url, init) => fetch(url, init) : trusting({ ca });
}

function toTokenSource(profile: Profile, location: ProfileLocation | null): TokenSource {
  if (profile.Secret !== undefined) return applicationToken({ secret: profile.Secret });
  if (profile.Certificate !== undefined) return certificateToken();
  if (location === null) return async () => profile.AccessToken ?? '';
  let current: Promise<string> | null = null;
  let given: string | null = null;
  return async ({ refused }) => {
    if (current === null || (refused !== null && refused === given)) current = getUserToken(location, refused);
    given = await current;
    return given;
  };
}

/** The token in the file, or a new one, written there, if it is about to expire or was rejected. */
function getUserToken({ name, path }: ProfileLocation, refused: string | null): Promise<string> {
  const inFile = readProfiles(path).Profiles[name];
  if (inFile !== undefined && isGood(inFile, refused)) return Promise.resolve(inFile.AccessToken as string);
  return changeProfiles(path, async (profiles) => {
    const profile = profiles.Profiles[name];
    if (profile?.RefreshToken === undefined)
      throw new NotSignedIn('You are not signed in any more. Sign in again: cabinet login');
    if (isGood(profile, refused)) return { profiles, result: profile.AccessToken as string };
    const tokens = await renew(connectAs(profile), profile.RefreshToken);
    const changed = { ...profiles, Profiles: { ...profiles.Profiles, [name]: { ...profile, ...tokens } } };
    return { profiles: changed, result: tokens.AccessToken };
  });
}

function isGood({ AccessToken, ExpiresAt }: Profile, refused: string | null): boolean {
  if (AccessToken === undefined || AccessToken === refused || ExpiresAt === undefined) return false;
  return Date.parse(ExpiresAt) - Date.now() > renewBeforeMs;
}
