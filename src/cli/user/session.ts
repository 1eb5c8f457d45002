// A profile, connected: whose token goes with every request. A person's tokens live in the file of profiles and are renewed there
// under its lock, for a refresh token is good once, whichever of several commands comes first.

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
import { type Personal, readPersonal } from '../../config/config.ts';
import { LocalProblem, NotSignedIn } from './exit-codes.ts';
import { changeProfiles, type Profile, readProfiles, requireProfile } from './profiles.ts';
import { renew } from './sign-in.ts';

/** A token that ends sooner is replaced. */
const leastLeftMs = 60_000;

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

async function findSpace(cabinet: Cabinet, asked: string, signal: AbortSignal): Promise<string> {
  const found = (await listSpaces(cabinet, { signal })).find(({ Id, Name }) => Id === asked || Name === asked);
  if (found !== undefined) return found.Id;
  throw new LocalProblem('NotFound', `You are not in a space ${JSON.stringify(asked)}.`);
}

interface Kept {
  name: string;
  path: string;
}

/** `kept`: where a person's tokens are renewed; without it they are used as they are. */
export function connectAs(profile: Profile, kept: Kept | null = null): Cabinet {
  const ask = toFetch(profile);
  return connect({
    url: profile.Url,
    appKey: profile.AppKey,
    token: toTokenSource(profile, kept),
    spaceId: profile.SpaceId,
    fetch: ask,
  });
}

/** Undefined: the usual one will do. */
function toFetch({ Certificate, Key, Ca }: Profile): Fetch | undefined {
  const ca = Ca === undefined ? undefined : readFileSync(Ca, 'utf8');
  if (Certificate !== undefined && Key !== undefined) {
    return mutualTls({ certificate: readFileSync(Certificate, 'utf8'), key: readFileSync(Key, 'utf8'), ca });
  }
  return ca === undefined ? undefined : trusting({ ca });
}

function toTokenSource(profile: Profile, kept: Kept | null): TokenSource {
  if (profile.Secret !== undefined) return applicationToken({ secret: profile.Secret });
  if (profile.Certificate !== undefined) return certificateToken();
  if (kept === null) return async () => profile.AccessToken ?? '';
  let current: Promise<string> | null = null;
  let given: string | null = null;
  return async ({ refused }) => {
    if (current === null || (refused !== null && refused === given)) current = keepPersonsToken(kept, refused);
    given = await current;
    return given;
  };
}

/** The token of the file, unless it is about to end or was refused; then a new one, which is written there. */
function keepPersonsToken({ name, path }: Kept, refused: string | null): Promise<string> {
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
  return Date.parse(ExpiresAt) - Date.now() > leastLeftMs;
}
