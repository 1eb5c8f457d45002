// The versions of a file: every save over an older one keeps the older one.

import type { Cabinet, CallOptions } from './connect.ts';
import type { ShownEntry, Version, VersionPage } from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

/** All versions of a file, newest first; the first is the current one. */
export async function* listVersions(
  cabinet: Cabinet,
  file: string,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<Version, void, undefined> {
  const pages = eachPage((cursor) => versionsPage(cabinet, file, { signal, limit: pageSize, cursor }));
  for await (const { Versions } of pages) yield* Versions;
}

/** A page of them. */
export function versionsPage(
  cabinet: Cabinet,
  file: string,
  { signal, ...query }: PageOptions = {},
): Promise<Paged<VersionPage>> {
  return callPage(cabinet, 'GET /files/{id}/versions', { path: { id: file }, query, signal });
}

export interface OneVersion {
  /** The id of the file. */
  id: string;
  version: number;
}

/** Makes an old version the current one, as a new version. */
export function restoreVersion(cabinet: Cabinet, path: OneVersion, options: CallOptions = {}): Promise<ShownEntry> {
  return call(cabinet, 'POST /files/{id}/versions/{version}/restore', { ...options, path });
}

/** Removes an old version for good. */
export function removeVersion(cabinet: Cabinet, path: OneVersion, options: CallOptions = {}): Promise<ShownEntry> {
  return call(cabinet, 'DELETE /files/{id}/versions/{version}', { ...options, path });
}

/** Says what is new in a version; null takes it back. */
export function commentVersion(
  cabinet: Cabinet,
  { comment, ...path }: OneVersion & { comment: string | null },
  options: CallOptions = {},
): Promise<Version> {
  return call(cabinet, 'PATCH /files/{id}/versions/{version}', {
    ...options,
    path,
    json: { Comment: comment },
    isRepeatable: true,
  });
}
