// App passwords of the caller, and the check of one that a program sent. The format is `cap_<id>_<secret>`: the id finds the
// record, the secret has 256 random bits. Only an HMAC of the secret is stored, which is fast: nobody can guess such a secret.

import { createHmac, randomBytes, randomUUIDv7, timingSafeEqual } from 'node:crypto';
import type { AppPassword, AppPasswordAccess } from '../catalog/verbs/app-passwords.ts';
import { type Caller, type Scope, type SpaceAccess, selectView } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { checkLabel } from './label.ts';
import { admitSelf, requirePerson } from './me.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';

/** The last use is recorded at most this often. */
const recordEveryMs = 60 * 1000;
const format = /^cap_([0-9a-f]{32})_([\w-]{43})$/;

const scopesOf: Record<AppPasswordAccess, readonly Scope[]> = {
  read: ['content.read'],
  write: ['content.read', 'content.write'],
};

/** The oldest first. */
export async function listAppPasswords(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<AppPassword>> {
  authorize(caller, 'read');
  const listed = await catalog.listAppPasswords({ user: requirePerson(caller) });
  return toPage(
    listed.filter(({ id }) => after === null || id > after),
    limit,
    ({ id }) => id,
  );
}

interface NewAppPassword {
  name: string;
  access: AppPasswordAccess;
  /** Null: every space of the caller. */
  spaceId: string | null;
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
}

export interface AppPasswordWithSecret {
  appPassword: AppPassword;
  /** Shown once. */
  password: string;
}

export async function addAppPassword(
  cabinet: Cabinet,
  caller: Caller,
  { name, access, spaceId, expiresAt }: NewAppPassword,
): Promise<AppPasswordWithSecret> {
  const user = admitSelf(caller);
  for (const action of access === 'read' ? (['read'] as const) : (['read', 'write'] as const))
    authorize(caller, action);
  if (expiresAt !== null && expiresAt <= cabinet.clock.now()) {
    throw new Refusal('InvalidField', 'ExpiresAt is in the past.', { target: 'ExpiresAt' });
  }
  // In the order of time, so that ids sort by it.
  const id = randomUUIDv7().replaceAll('-', '');
  const secret = randomBytes(32).toString('base64url');
  const appPassword = await cabinet.catalog.addAppPassword({
    id,
    user,
    name: checkLabel(name, 'an app password'),
    access,
    space: toSpace(caller, spaceId)?.space ?? null,
    appKey: caller.appKey,
    hash: toHash(cabinet, secret),
    expiresAt,
    ...byCaller(cabinet, caller),
  });
  return { appPassword, password: `cap_${id}_${secret}` };
}

/** A password that an application of one space makes opens that space only, as the application itself. */
function toSpace(caller: Caller, spaceId: string | null): SpaceAccess | null {
  if (spaceId !== null) return selectView({ ...caller, spaceId });
  return caller.isOfOneSpace ? selectView({ ...caller, spaceId: null }) : null;
}

export async function removeAppPassword(cabinet: Cabinet, caller: Caller, id: string): Promise<void> {
  await cabinet.catalog.removeAppPassword({ id, user: admitSelf(caller), ...byCaller(cabinet, caller) });
}

interface AppPasswordCheck {
  /** The id of the person, as it was sent. */
  user: string;
  password: string;
  requestId: string;
}

/** The person as a caller, or null. Reads the current rights, so that a removed password is useless at once. The caller of this
 *  function limits how many wrong ones an address may try. */
export async function checkAppPassword(
  cabinet: Cabinet,
  { user, password, requestId }: AppPasswordCheck,
): Promise<Caller | null> {
  const [, id, secret] = format.exec(password) ?? [];
  if (id === undefined || secret === undefined) return null;
  const found = await cabinet.catalog.findAppPassword({ id, at: cabinet.clock.now() });
  const presented = Buffer.from(toHash(cabinet, secret));
  const isRight = timingSafeEqual(presented, Buffer.from(found?.hash ?? '0'.repeat(presented.length)));
  if (found === null || !isRight || toId(user) !== found.user) return null;
  await recordUse(cabinet, id, found.usedAt);
  return {
    appKey: found.appKey,
    actor: found.user,
    person: found.user,
    signIn: null,
    scopes: scopesOf[found.access],
    spaces: found.spaces,
    grants: found.grants,
    isOfOneSpace: false,
    isTrusted: false,
    spaceId: null,
    requestId,
  };
}

/** Ids of outside issuers keep their case. */
function toId(user: string): string {
  return user.includes(':') ? user : user.toLowerCase();
}

/** Only the first use holds up its request: then the list shows at once that the password works. What cannot be written now is
 *  written at a later use. */
async function recordUse({ catalog, clock }: Cabinet, id: string, usedAt: number | null): Promise<void> {
  const at = clock.now();
  if (usedAt !== null && at - usedAt < recordEveryMs) return;
  const recorded = catalog.noteAppPasswordUse({ id, at }).catch(() => undefined);
  if (usedAt === null) await recorded;
}

function toHash({ appPasswordKey }: Cabinet, secret: string): string {
  return createHmac('sha256', appPasswordKey).update(secret).digest('hex');
}
