// Spaces, people, what they did and what they use. Changing any of it needs the role `manager` or the scope `content.admin`.

import type { Cabinet, CallOptions } from './connect.ts';
import type {
  AddedUser,
  ChangeSpace,
  Event,
  Events,
  InForce,
  ServiceLimits,
  SetupLink,
  Space,
  Usage,
  User,
  Users,
} from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

export type Role = NonNullable<User['Role']>;

/** The spaces that the caller is in. */
export async function listSpaces(cabinet: Cabinet, options: CallOptions = {}): Promise<Space[]> {
  return (await call(cabinet, 'GET /spaces', options)).Spaces;
}

export function showSpace(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<Space> {
  return call(cabinet, 'GET /spaces/{id}', { ...options, path: { id } });
}

export function addSpace(cabinet: Cabinet, { name }: { name: string }, options: CallOptions = {}): Promise<Space> {
  return call(cabinet, 'POST /spaces', { ...options, json: { Name: name } });
}

export function renameSpace(
  cabinet: Cabinet,
  { id, name }: { id: string; name: string },
  options: CallOptions = {},
): Promise<Space> {
  return call(cabinet, 'PATCH /spaces/{id}', { ...options, path: { id }, json: { Name: name }, isRepeatable: true });
}

type ShareRuleChanges = NonNullable<ChangeSpace['Shares']>;

/** Sets rules about links in the space, not laxer than the settings of the service; null: as those. What is absent stays. */
export function setShareRules(
  cabinet: Cabinet,
  { id, ...Shares }: { id: string } & ShareRuleChanges,
  options: CallOptions = {},
): Promise<Space> {
  return call(cabinet, 'PATCH /spaces/{id}', { ...options, path: { id }, json: { Shares }, isRepeatable: true });
}

/** The people of a space. */
export async function* listUsers(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<User, void, undefined> {
  const pages = eachPage((cursor) => usersPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Users } of pages) yield* Users;
}

export function usersPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<Users>> {
  return callPage(cabinet, 'GET /users', { query, signal });
}

export interface UserRequest {
  /** What the person signs in with; never reused. */
  id: string;
  role: Role;
  name?: string | undefined;
}

/** Adds a new account with a role in the space. `SetupUrl` is where the person sets the password, once. */
export function addUser(cabinet: Cabinet, user: UserRequest, options: CallOptions = {}): Promise<AddedUser> {
  const { id, role, name } = user;
  return call(cabinet, 'POST /users', { ...options, json: { Id: id, Role: role, Name: name } });
}

/** A person of the space. */
export function showUser(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<User> {
  return call(cabinet, 'GET /users/{id}', { ...options, path: { id } });
}

/** A new link to set a password; earlier ones end. */
export function setUpUser(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<SetupLink> {
  return call(cabinet, 'POST /users/{id}/setup', { ...options, path: { id } });
}

/** Gives a person another role in the space. */
export function changeUser(
  cabinet: Cabinet,
  { id, role }: { id: string; role: Role },
  options: CallOptions = {},
): Promise<User> {
  return call(cabinet, 'PATCH /users/{id}', { ...options, path: { id }, json: { Role: role }, isRepeatable: true });
}

/** Takes a person out of the space. */
export function removeUser(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<User> {
  return call(cabinet, 'DELETE /users/{id}', { ...options, path: { id } });
}

export interface AuditFilter {
  since?: Date | string | undefined;
  until?: Date | string | undefined;
  by?: string | undefined;
  action?: string | undefined;
  /** The id of an entry. */
  entry?: string | undefined;
}

/** Who did what, newest first. */
export async function* listAudit(
  cabinet: Cabinet,
  filter: AuditFilter = {},
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const pages = eachPage((cursor) => auditPage(cabinet, filter, { signal, limit: pageSize, cursor }));
  for await (const { Events } of pages) yield* Events;
}

export function auditPage(
  cabinet: Cabinet,
  { since, until, ...filter }: AuditFilter = {},
  { signal, ...page }: PageOptions = {},
): Promise<Paged<Events>> {
  const query = { ...filter, ...page, since: toTime(since), until: toTime(until) };
  return callPage(cabinet, 'GET /audit', { query, signal });
}

function toTime(at: Date | string | undefined): string | undefined {
  return at instanceof Date ? at.toISOString() : at;
}

/** What the space uses, and a page of who made how much of it. */
export function showUsage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<Usage>> {
  return callPage(cabinet, 'GET /usage', { query, signal });
}

/** What the service allows. */
export function showLimits(cabinet: Cabinet, options: CallOptions = {}): Promise<ServiceLimits> {
  return call(cabinet, 'GET /limits', options);
}

/** What runs, and the settings as they are in force; secrets are hidden. */
export function showSettings(cabinet: Cabinet, options: CallOptions = {}): Promise<InForce> {
  return call(cabinet, 'GET /settings', options);
}
