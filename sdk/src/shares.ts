// Links to entries for people without an account.

import type { Cabinet, CallOptions } from './connect.ts';
import type { AddShare, ChangeShare, ShareFields, Shares } from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

export interface ShareOptions {
  /** What visitors see; the name of the entry by default. */
  name?: string | null | undefined;
  note?: string | null | undefined;
  /** 30 days from now by default. */
  expiresAt?: Date | null | undefined;
  password?: string | null | undefined;
  maxDownloads?: number | null | undefined;
}

export interface NewShare extends ShareOptions {
  /** The id of the folder or file. */
  entry: string;
  access: AddShare['Access'];
}

/** Makes a link. `Url` is its address. */
export async function addShare(
  cabinet: Cabinet,
  { entry, access, ...options }: NewShare,
  callOptions: CallOptions = {},
): Promise<ShareFields> {
  const json = { Access: access, ...toFields(options) };
  return (await call(cabinet, 'POST /entries/{id}/shares', { ...callOptions, path: { id: entry }, json })).Share;
}

function toFields({ name, note, expiresAt, password, maxDownloads }: ShareOptions): Omit<ChangeShare, 'Access'> {
  return {
    ...(name !== undefined && { Name: name }),
    ...(note !== undefined && { Note: note }),
    ...(expiresAt !== undefined && { ExpiresAt: expiresAt === null ? null : expiresAt.toISOString() }),
    ...(password !== undefined && { Password: password }),
    ...(maxDownloads !== undefined && { MaxDownloads: maxDownloads }),
  };
}

/** The links to an entry, the newest first. */
export async function* listEntryShares(
  cabinet: Cabinet,
  id: string,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<ShareFields, void, undefined> {
  const pages = eachPage((cursor) => entrySharesPage(cabinet, id, { signal, limit: pageSize, cursor }));
  for await (const { Shares } of pages) yield* Shares;
}

export function entrySharesPage(
  cabinet: Cabinet,
  id: string,
  { signal, ...query }: PageOptions = {},
): Promise<Paged<Shares>> {
  return callPage(cabinet, 'GET /entries/{id}/shares', { path: { id }, query, signal });
}

/** The caller's links, the newest first; with `all` those of the space, for its managers. */
export async function* listShares(
  cabinet: Cabinet,
  { all, signal, pageSize = defaultPageSize }: ListOptions & { all?: boolean | undefined } = {},
): AsyncGenerator<ShareFields, void, undefined> {
  const pages = eachPage((cursor) => sharesPage(cabinet, { all, signal, limit: pageSize, cursor }));
  for await (const { Shares } of pages) yield* Shares;
}

export function sharesPage(
  cabinet: Cabinet,
  { signal, all = false, ...page }: PageOptions & { all?: boolean | undefined } = {},
): Promise<Paged<Shares>> {
  const query = { ...page, ...(all && { all: 'true' as const }) };
  return callPage(cabinet, 'GET /shares', { query, signal });
}

export async function showShare(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<ShareFields> {
  return (await call(cabinet, 'GET /shares/{id}', { ...options, path: { id } })).Share;
}

export interface ShareChange extends ShareOptions {
  id: string;
  access?: AddShare['Access'] | undefined;
}

/** What is absent stays. */
export async function changeShare(
  cabinet: Cabinet,
  { id, access, ...options }: ShareChange,
  callOptions: CallOptions = {},
): Promise<ShareFields> {
  const json = { ...(access !== undefined && { Access: access }), ...toFields(options) };
  const request = { ...callOptions, path: { id }, json, isRepeatable: true };
  return (await call(cabinet, 'PATCH /shares/{id}', request)).Share;
}

/** Ends a link for good. */
export async function revokeShare(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<ShareFields> {
  return (await call(cabinet, 'DELETE /shares/{id}', { ...options, path: { id } })).Share;
}
