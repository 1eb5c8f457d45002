// Sets up what the console needs: its application at the issuer, and at the first start a person who can sign in.

import { scopes } from '../../domain/caller.ts';
import type { Cabinet } from '../cabinet.ts';
import { byOperator } from '../origin.ts';
import { generatePassword } from '../passwords.ts';
import { type ApplicationWithSecret, addApplication, checkRedirectUri, plainApplication } from './applications.ts';
import { addUser, changeRole } from './people.ts';

/** An identifier, no secret. It is built into the page, so it is the same everywhere. */
const consoleAppKey = 'ak_cabinetconsole000000000000000000';

/** Refuses plain HTTP beyond loopback, where authorization codes would be exposed. */
export async function ensureConsole(cabinet: Cabinet, publicUrl: string): Promise<void> {
  const redirectUri = checkRedirectUri(`${publicUrl}/`);
  const known = await cabinet.catalog.findApplication({ appKey: consoleAppKey });
  if (known?.redirectUris?.join() === redirectUri) return;
  await cabinet.catalog.keepConsole({ appKey: consoleAppKey, scopes, redirectUri, ...byOperator(cabinet) });
}

interface InitialPerson {
  id: string;
  password: string;
}

export interface InitialAccounts extends ApplicationWithSecret {
  /** Null when the user exists already. */
  person: InitialPerson | null;
}

/** Adds an application with a space of its own, and a person who manages it. */
export async function addInitialAccounts(cabinet: Cabinet): Promise<InitialAccounts> {
  const initial = await addApplication(cabinet, { ...plainApplication, name: 'first', certificates: [] });
  const id = 'admin';
  if ((await cabinet.catalog.findUser({ id })) !== null) return { ...initial, person: null };
  const password = generatePassword();
  await addUser(cabinet, { id, name: null, password });
  await changeRole(cabinet, { id, space: initial.application.access?.spaceName ?? '', role: 'manager' });
  return { ...initial, person: { id, password } };
}
