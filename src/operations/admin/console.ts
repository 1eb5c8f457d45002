// What the console needs to be used: the application that it is to the issuer, and at the first start a person who can
// sign in.

import { scopes } from '../../domain/caller.ts';
import type { Cabinet } from '../cabinet.ts';
import { byOperator } from '../origin.ts';
import { type ApplicationWithSecret, addApplication, checkRedirectUri, plainApplication } from './applications.ts';
import { addUser, changeRole } from './people.ts';

/** An identifier, no secret; the page brings it along, so it is the same everywhere. */
export const consoleAppKey = 'ak_cabinetconsole000000000000000000';

/** Refuses an address that a code must not travel to: plain HTTP beyond loopback. */
export async function ensureConsole(cabinet: Cabinet, publicUrl: string): Promise<void> {
  const redirectUri = checkRedirectUri(`${publicUrl}/`);
  const known = await cabinet.catalog.findApplication({ appKey: consoleAppKey });
  if (known?.redirectUris?.join() === redirectUri) return;
  await cabinet.catalog.keepConsole({ appKey: consoleAppKey, scopes, redirectUri, ...byOperator(cabinet) });
}

export interface InitialPerson {
  id: string;
  password: string;
}

export interface InitialAccounts extends ApplicationWithSecret {
  /** Null: people of that name were there already. */
  person: InitialPerson | null;
}

/** An application with a space of its own, and a person who manages it. */
export async function addInitialAccounts(cabinet: Cabinet): Promise<InitialAccounts> {
  const made = await addApplication(cabinet, { ...plainApplication, name: 'first', certificates: [] });
  const id = 'admin';
  if ((await cabinet.catalog.findUser({ id })) !== null) return { ...made, person: null };
  const { generatedPassword } = await addUser(cabinet, { id, name: null, password: null });
  await changeRole(cabinet, { id, space: made.application.access?.spaceName ?? '', role: 'manager' });
  return { ...made, person: { id, password: generatedPassword ?? '' } };
}
