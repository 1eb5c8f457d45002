// Grants on entries, what is shared with the caller, and groups of people.

import type { Cabinet, CallOptions } from './connect.ts';
import type { AccessLine, AccessList, Grant, GroupFields, Groups, SharedEntries, SharedEntry } from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

/** Who may see an entry, and why: the nearest grants first, the roles in the space last. */
export async function* listAccess(
  cabinet: Cabinet,
  id: string,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<AccessLine, void, undefined> {
  const pages = eachPage((cursor) => accessPage(cabinet, id, { signal, limit: pageSize, cursor }));
  for await (const { Access } of pages) yield* Access;
}

export function accessPage(
  cabinet: Cabinet,
  id: string,
  { signal, ...query }: PageOptions = {},
): Promise<Paged<AccessList>> {
  return callPage(cabinet, 'GET /entries/{id}/access', { path: { id }, query, signal });
}

export interface GrantRequest {
  /** Of the entry. */
  id: string;
  /** `user:` and the id of a person, or `group:` and the name of a group. */
  principal: string;
  role: Grant['Role'];
}

/** Shares an entry, and everything beneath it, with a person or a group. */
export async function grantAccess(
  cabinet: Cabinet,
  { id, principal, role }: GrantRequest,
  options: CallOptions = {},
): Promise<AccessLine[]> {
  const request = { ...options, path: { id, principal }, json: { Role: role }, isRepeatable: true };
  return (await call(cabinet, 'PUT /entries/{id}/access/{principal}', request)).Access;
}

export async function revokeAccess(
  cabinet: Cabinet,
  { id, principal }: Omit<GrantRequest, 'role'>,
  options: CallOptions = {},
): Promise<AccessLine[]> {
  return (await call(cabinet, 'DELETE /entries/{id}/access/{principal}', { ...options, path: { id, principal } }))
    .Access;
}

/** What was shared with the caller, in all spaces. */
export async function* listSharedWithMe(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<SharedEntry, void, undefined> {
  const pages = eachPage((cursor) => sharedWithMePage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Entries } of pages) yield* Entries;
}

export function sharedWithMePage(
  cabinet: Cabinet,
  { signal, ...query }: PageOptions = {},
): Promise<Paged<SharedEntries>> {
  return callPage(cabinet, 'GET /shared-with-me', { query, signal });
}

/** The groups of the space, with their members. */
export async function* listGroups(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<GroupFields, void, undefined> {
  const pages = eachPage((cursor) => groupsPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Groups } of pages) yield* Groups;
}

export function groupsPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<Groups>> {
  return callPage(cabinet, 'GET /groups', { query, signal });
}

export async function addGroup(
  cabinet: Cabinet,
  { name, members = [] }: { name: string; members?: readonly string[] | undefined },
  options: CallOptions = {},
): Promise<GroupFields> {
  return (await call(cabinet, 'POST /groups', { ...options, json: { Name: name, Members: [...members] } })).Group;
}

export interface GroupChange {
  name: string;
  /** Ids of people. */
  add?: readonly string[] | undefined;
  remove?: readonly string[] | undefined;
}

export async function changeGroup(
  cabinet: Cabinet,
  { name, add = [], remove = [] }: GroupChange,
  options: CallOptions = {},
): Promise<GroupFields> {
  const request = { ...options, path: { name }, json: { Add: [...add], Remove: [...remove] }, isRepeatable: true };
  return (await call(cabinet, 'PATCH /groups/{name}', request)).Group;
}

/** What was granted to the group ends with it. */
export async function removeGroup(cabinet: Cabinet, name: string, options: CallOptions = {}): Promise<GroupFields> {
  return (await call(cabinet, 'DELETE /groups/{name}', { ...options, path: { name } })).Group;
}
