// Using links by their secret, the last part of the link's address. No token is sent, whoever the connection is for. Who has no
// account and only the address takes `openSharedLink`.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Envelope, OpenedShare, Operations, ReceivedFile } from './description.ts';
import { callPage, type Paged, type PageOptions } from './pages.ts';
import { readJson, send } from './request.ts';

export interface SharedLink {
  secret: string;
  /** If the link has one. */
  password?: string | undefined;
}

/** Of every request for a link. */
export function toHeaders(password: string | undefined): { SharePassword?: string } {
  return password === undefined ? {} : { SharePassword: encodeURIComponent(password) };
}

export interface SharedPageOptions extends PageOptions {
  order?: NonNullable<Operations['GET /shared/{secret}']['query']>['order'];
}

/** Opens a link: a folder with a page of its children, or a file; neither where files can be sent. */
export function sharedPage(
  cabinet: Cabinet,
  { secret, password }: SharedLink,
  { signal, ...query }: SharedPageOptions = {},
): Promise<Paged<OpenedShare>> {
  const request = { path: { secret }, headers: toHeaders(password), query, signal, isAnonymous: true };
  return callPage(cabinet, 'GET /shared/{secret}', request);
}

/** A folder beneath a link, with a page of its children. */
export function sharedFolderPage(
  cabinet: Cabinet,
  { secret, password, id }: SharedLink & { id: string },
  { signal, ...query }: SharedPageOptions = {},
): Promise<Paged<Envelope>> {
  const request = { path: { secret, id }, headers: toHeaders(password), query, signal, isAnonymous: true };
  return callPage(cabinet, 'GET /shared/{secret}/folders/{id}', request);
}

/** The bytes of a file beneath a link. */
export async function openSharedFile(
  cabinet: Cabinet,
  { secret, password, id }: SharedLink & { id: string },
  options: CallOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const request = {
    ...options,
    path: { secret, id },
    headers: toHeaders(password),
    isStreamed: true,
    isAnonymous: true,
  };
  const response = await send(cabinet, 'GET /shared/{secret}/files/{id}/content', request);
  return response.body ?? new Blob([]).stream();
}

/** Everything that a link leads to, as a ZIP. */
export async function openSharedArchive(
  cabinet: Cabinet,
  { secret, password }: SharedLink,
  options: CallOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const request = { ...options, path: { secret }, headers: toHeaders(password), isStreamed: true, isAnonymous: true };
  const response = await send(cabinet, 'GET /shared/{secret}/archive', request);
  return response.body ?? new Blob([]).stream();
}

/** Sends a file by a link. A taken name is numbered. */
export async function sendShared(
  cabinet: Cabinet,
  { secret, password, name, content }: SharedLink & { name: string; content: string | Uint8Array<ArrayBuffer> | Blob },
  options: CallOptions = {},
): Promise<ReceivedFile> {
  const type = { 'Content-Type': 'application/octet-stream', FileName: encodeURIComponent(name) };
  const headers = { ...type, ...toHeaders(password) };
  const request = { ...options, path: { secret }, headers, body: content, isAnonymous: true };
  return await readJson<ReceivedFile>(await send(cabinet, 'POST /shared/{secret}/files', request));
}
