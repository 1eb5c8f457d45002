// The account of the caller: who may see it, who may change it, and its password.

import type { SecondFactorKind } from '../catalog/verbs/second-factors.ts';
import type { Session } from '../catalog/verbs/sessions.ts';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { listSpaces } from './manage-spaces.ts';
import { byCaller } from './origin.ts';
import { checkOwnPassword, passwordInvalid, requirePassword, unlessBusy } from './own-password.ts';
import { type ListRequest, type Page, toPage } from './page.ts';
import { checkPassword, hashPassword } from './passwords.ts';

/** The person for whom the caller acts. Applications that act for themselves have no account. */
export function requirePerson({ person }: Caller): string {
  if (person !== null) return person;
  throw new Refusal('Forbidden', 'Only people have an account. This application acts for itself.');
}

/** The person, if the caller may change their account: applications that managers registered may not. */
export function admitSelf(caller: Caller): string {
  authorize(caller, 'write');
  const person = requirePerson(caller);
  if (caller.isTrusted) return person;
  throw new Refusal('Forbidden', 'Only applications that an operator registered can change accounts.', {
    hint: 'Use the console, or ask an operator to register the application.',
  });
}

export interface Account {
  id: string;
  name: string;
  kind: 'person' | 'application';
  spaces: readonly SpaceAccess[];
  /** False for people of outside issuers, who sign in elsewhere. */
  hasPassword: boolean;
  secondFactors: readonly SecondFactorKind[];
}

/** Each kind once, in a fixed order. */
function toKinds(factors: readonly { kind: SecondFactorKind }[]): SecondFactorKind[] {
  return (['totp', 'passkey'] as const).filter((kind) => factors.some((factor) => factor.kind === kind));
}

export async function showAccount({ catalog }: Cabinet, caller: Caller): Promise<Account> {
  const spaces = listSpaces(caller);
  if (caller.person === null) {
    const application = await catalog.findApplication({ appKey: caller.appKey });
    const name = application?.name ?? caller.actor;
    return { id: caller.appKey, name, kind: 'application', spaces, hasPassword: false, secondFactors: [] };
  }
  const user = await catalog.findUser({ id: caller.person });
  return {
    id: caller.person,
    name: user?.name ?? caller.person,
    kind: 'person',
    spaces,
    hasPassword: (user?.password ?? null) !== null,
    secondFactors: toKinds((await catalog.findSecondFactors({ user: caller.person })).factors),
  };
}

interface PasswordChange {
  current: string;
  replacement: string;
  address: string;
}

/** Ends all other sign-ins. Wrong guesses of the current password count like wrong sign-ins. */
export async function changeOwnPassword(
  cabinet: Cabinet,
  caller: Caller,
  { current, replacement, address }: PasswordChange,
): Promise<void> {
  const id = admitSelf(caller);
  await requirePassword(cabinet, id);
  checkPassword(replacement, id, 'New');
  const before = await checkOwnPassword(cabinet, { id, password: current, address, target: 'Current' });
  const password = await unlessBusy(() => hashPassword(replacement, id));
  const origin = byCaller(cabinet, caller);
  const change = { id, password, before, signIn: caller.signIn, ...origin };
  if (!(await cabinet.catalog.setOwnPassword(change))) throw passwordInvalid('Current');
}

export interface OwnSession extends Session {
  /** Whether the request came from it. */
  isCurrent: boolean;
}

/** The newest first. */
export async function listSessions(
  { catalog, clock }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<OwnSession>> {
  authorize(caller, 'read');
  const sessions = await catalog.listSessions({ user: requirePerson(caller), at: clock.now() });
  const listed = sessions.filter((session) => after === null || toSessionKey(session) < after);
  const shown = listed.map((session) => ({ ...session, isCurrent: session.id === caller.signIn?.grant }));
  return toPage(shown, limit, toSessionKey);
}

function toSessionKey({ startedAt, id }: Session): string {
  return `${String(startedAt).padStart(16, '0')} ${id}`;
}

export async function endSession(cabinet: Cabinet, caller: Caller, id: string): Promise<void> {
  await cabinet.catalog.endSession({ id, user: admitSelf(caller), ...byCaller(cabinet, caller) });
}

/** The one of this request too. */
export async function endSessions(cabinet: Cabinet, caller: Caller): Promise<void> {
  await cabinet.catalog.endSessions({ user: admitSelf(caller), ...byCaller(cabinet, caller) });
}
