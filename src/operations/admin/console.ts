// Sets up how people sign in: the applications of the console and the command line at the issuer, and at the first start a person.

import type { KeepBuiltIn } from '../../catalog/verbs/built-in-application.ts';
import { commandLineAppKey, commandLineRedirectUri, consoleAppKey } from '../../domain/built-in-applications.ts';
import { scopes } from '../../domain/caller.ts';
import type { Cabinet } from '../cabinet.ts';
import { byOperator } from '../origin.ts';
import { generatePassword } from '../passwords.ts';
import { type ApplicationWithSecret, addApplication, checkRedirectUri, plainApplication } from './applications.ts';
import { addUser, changeRole } from './people.ts';

/** Refuses plain HTTP beyond loopback, where authorization codes would be exposed. */
export async function ensureConsole(cabinet: Cabinet, publicUrl: string): Promise<void> {
  const redirectUri = checkRedirectUri(`${publicUrl}/`);
  await ensureBuiltIn(cabinet, { appKey: consoleAppKey, name: 'console', redirectUri, asksConsent: false });
}

/** Operators switch it off by disabling the application. */
export async function ensureCommandLine(cabinet: Cabinet): Promise<void> {
  const redirectUri = commandLineRedirectUri;
  await ensureBuiltIn(cabinet, { appKey: commandLineAppKey, name: 'cabinet-cli', redirectUri, asksConsent: true });
}

type BuiltIn = Pick<KeepBuiltIn, 'appKey' | 'name' | 'redirectUri' | 'asksConsent'>;

async function ensureBuiltIn(cabinet: Cabinet, application: BuiltIn): Promise<void> {
  const known = await cabinet.catalog.findApplication({ appKey: application.appKey });
  if (known?.redirectUris?.join() === application.redirectUri) return;
  await cabinet.catalog.keepBuiltIn({ ...application, scopes, ...byOperator(cabinet) });
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
