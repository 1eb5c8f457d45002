// The account of the person who is signed in: password, sessions, and passwords for programs that cannot sign in. Changing it
// needs an application that an operator registered, such as the console.

import type { Cabinet, CallOptions } from './connect.ts';
import type {
  Account,
  AddedAppPassword,
  AppPassword,
  AppPasswords,
  Consents,
  GivenConsent,
  Session,
  Sessions,
} from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

/** Who you are: the person, or the application that acts for itself. */
export function showAccount(cabinet: Cabinet, options: CallOptions = {}): Promise<Account> {
  return call(cabinet, 'GET /me', options);
}

/** Ends all other sign-ins. */
export async function changePassword(
  cabinet: Cabinet,
  { current, replacement }: { current: string; replacement: string },
  options: CallOptions = {},
): Promise<void> {
  await call(cabinet, 'PUT /me/password', { ...options, json: { Current: current, New: replacement } });
}

/** Where you are signed in, the newest first. */
export async function* listSessions(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<Session, void, undefined> {
  const pages = eachPage((cursor) => sessionsPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Sessions } of pages) yield* Sessions;
}

export function sessionsPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<Sessions>> {
  return callPage(cabinet, 'GET /me/sessions', { query, signal });
}

export async function endSession(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'DELETE /me/sessions/{id}', { ...options, path: { id } });
}

/** Ends all of them, the current one too. */
export async function endSessions(cabinet: Cabinet, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'DELETE /me/sessions', options);
}

/** What you allowed applications to do for you, by AppKey. */
export async function* listConsents(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<GivenConsent, void, undefined> {
  const pages = eachPage((cursor) => consentsPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Consents } of pages) yield* Consents;
}

export function consentsPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<Consents>> {
  return callPage(cabinet, 'GET /me/consents', { query, signal });
}

/** Ends the application's sign-ins for you. */
export async function endConsent(cabinet: Cabinet, appKey: string, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'DELETE /me/consents/{appKey}', { ...options, path: { appKey } });
}

/** The oldest first. */
export async function* listAppPasswords(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<AppPassword, void, undefined> {
  const pages = eachPage((cursor) => appPasswordsPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { AppPasswords } of pages) yield* AppPasswords;
}

export function appPasswordsPage(
  cabinet: Cabinet,
  { signal, ...query }: PageOptions = {},
): Promise<Paged<AppPasswords>> {
  return callPage(cabinet, 'GET /me/app-passwords', { query, signal });
}

export interface AppPasswordRequest {
  /** What it is for. */
  name: string;
  access: 'read' | 'write';
  /** The only space that it opens; every one by default. */
  space?: string | undefined;
  /** Never by default. */
  expiresAt?: Date | string | undefined;
}

/** The password is in the answer, once. */
export function addAppPassword(
  cabinet: Cabinet,
  { name, access, space, expiresAt }: AppPasswordRequest,
  options: CallOptions = {},
): Promise<AddedAppPassword> {
  const ExpiresAt = expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt;
  return call(cabinet, 'POST /me/app-passwords', {
    ...options,
    json: { Name: name, Access: access, SpaceId: space, ExpiresAt },
  });
}

export async function removeAppPassword(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'DELETE /me/app-passwords/{id}', { ...options, path: { id } });
}
