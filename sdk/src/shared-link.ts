// A link as its visitors use it: they have its address, perhaps a password, and no account.

import { Reading } from './bodies.ts';
import { type Cabinet, type CallOptions, type ConnectOptions, connect } from './connect.ts';
import { type Content, prepare, sendsStreams } from './content.ts';
import type { Entry, OpenedShare } from './description.ts';
import { type Download, type DownloadOptions, openContent, readBytes } from './downloads.ts';
import { defaultPageSize, eachPage, type ListOptions, type Paged } from './pages.ts';
import { sendRequest } from './request.ts';
import { sendResumably, type UploadOptions } from './resumable.ts';
import {
  openSharedArchive,
  type SharedLink,
  type SharedPageOptions,
  sharedFolderPage,
  sharedPage,
  toHeaders,
} from './shared.ts';
import { toSharedProtocol } from './shared-uploads.ts';
import { fromBlob, fromStream, pieceBytes, readStart } from './sources.ts';

export interface SharedLinkOptions extends Pick<ConnectOptions, 'fetch' | 'retries'> {
  /** If the link has one. */
  password?: string | undefined;
}

export interface SharedListOptions extends ListOptions {
  /** The id of a folder beneath the link; the shared one by default. */
  folder?: string | undefined;
  order?: SharedPageOptions['order'];
}

/** Links always lead to the current version. */
export type SharedDownloadOptions = Omit<DownloadOptions, 'version'>;

export interface NewSharedFile {
  /** A name that is taken is numbered. */
  name: string;
  content: Content;
  /** The media type; by default that of the `Blob`, or else what the service finds out. */
  contentType?: string | undefined;
}

export interface SendSharedOptions extends UploadOptions {
  /** The id of an upload of the same bytes that did not end; what the service has of it is not sent again. */
  resume?: string | undefined;
}

/** What a visitor of a link can do. `read` links have everything but `send`, `upload` links only `show` and `send`. */
export interface OpenSharedLink {
  /** Name, note and expiry of the link, with a page of its folder (`Folder`, `Children`) or with its file (`File`). */
  show(options?: SharedPageOptions): Promise<Paged<OpenedShare>>;
  /** Everything in a folder; of a link to a file, the file. */
  list(options?: SharedListOptions): AsyncGenerator<Entry, void, undefined>;
  /** Opens a file as a stream. After a lost connection it resumes by itself. */
  openFile(id: string, options?: SharedDownloadOptions): Promise<Download>;
  /** The whole file in memory. */
  readFile(id: string, options?: SharedDownloadOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** The whole file as text (UTF-8). */
  readText(id: string, options?: SharedDownloadOptions): Promise<string>;
  /** Everything that the link leads to, as a ZIP stream. */
  openArchive(options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  /** Sends a file. Whatever happens to the connection, it is saved once, and what has arrived is not sent again. */
  send(file: NewSharedFile, options?: SendSharedOptions): Promise<{ sizeBytes: number }>;
}

/** The operations of a link, by its address (`https://…/s/…`). Needs no account. Nothing is sent before the first call. */
export function openSharedLink(address: string, { password, ...options }: SharedLinkOptions = {}): OpenSharedLink {
  const { url, secret } = readAddress(address);
  const link = { secret, password };
  const cabinet = connect({ ...options, url, appKey: 'none', token: refuseToken });
  const openFile = (id: string, how: SharedDownloadOptions = {}) => openShared(cabinet, { ...link, id }, how);
  const readFile = async (id: string, how?: SharedDownloadOptions) => readBytes(await openFile(id, how));
  return {
    show: (how) => sharedPage(cabinet, link, how),
    list: (how) => listShared(cabinet, link, how),
    openFile,
    readFile,
    readText: async (id, how) => new TextDecoder().decode(await readFile(id, how)),
    openArchive: (how) => openSharedArchive(cabinet, link, how),
    send: (file, how) => sendFile(cabinet, { link, file }, how),
  };
}

/** Also of a page beneath the link. */
function readAddress(address: string): { url: string; secret: string } {
  const [, url, secret] = /^(https?:\/\/[^?#]+)\/s\/([^/?#]+)/.exec(address) ?? [];
  if (url === undefined || secret === undefined) {
    // The address is a secret: it is not part of the message.
    throw new TypeError('The address of a link looks like https://cabinet.example/s/…');
  }
  return { url, secret: decodeURIComponent(secret) };
}

async function refuseToken(): Promise<never> {
  throw new TypeError('A link needs no token.');
}

async function* listShared(
  cabinet: Cabinet,
  link: SharedLink,
  { folder, order, signal, pageSize = defaultPageSize }: SharedListOptions = {},
): AsyncGenerator<Entry, void, undefined> {
  const pages = eachPage<OpenedShare | { Children: Entry[] }>((cursor) => {
    const options = { signal, order, limit: pageSize, cursor };
    return folder === undefined
      ? sharedPage(cabinet, link, options)
      : sharedFolderPage(cabinet, { ...link, id: folder }, options);
  });
  for await (const page of pages) {
    if ('File' in page && page.File !== undefined) yield page.File;
    yield* page.Children ?? [];
  }
}

function openShared(
  cabinet: Cabinet,
  { secret, password, id }: SharedLink & { id: string },
  options: SharedDownloadOptions,
): Promise<Download> {
  const { signal } = options;
  return openContent(
    cabinet,
    (headers) =>
      sendRequest(cabinet, 'GET /shared/{secret}/files/{id}/content', {
        ...{ signal, isStreamed: true, isAnonymous: true, path: { secret, id } },
        headers: { ...headers, ...toHeaders(password) },
      }),
    options,
  );
}

/** Where a stream can be a request body, progress is reported within a request. */
const maxPieceBytes = sendsStreams ? 256 * 1024 * 1024 : pieceBytes;

async function sendFile(
  cabinet: Cabinet,
  { link, file }: { link: SharedLink; file: NewSharedFile },
  options: SendSharedOptions = {},
): Promise<{ sizeBytes: number }> {
  const { blob, stream } = prepare(file.content);
  const start = stream === undefined ? null : await readStart(stream, pieceBytes, options.signal);
  const whole = start === null ? blob : start.isWhole ? start.blob : undefined;
  const source =
    start === null || whole !== undefined ? fromBlob(whole ?? new Blob([]), maxPieceBytes) : fromStream(start);
  const contentType = file.contentType ?? (blob?.type || undefined);
  const protocol = toSharedProtocol(cabinet, link, { name: file.name, contentType });
  const { onProgress, resume } = options;
  const reading = new Reading(undefined);
  const content = {
    source,
    resume,
    toBody: (piece: Blob, onBytes: (sentBytes: number) => void) => reading.open(piece, onProgress && onBytes),
  };
  try {
    const saved = await reading.during(() => sendResumably(cabinet, { protocol, content }, options));
    onProgress?.(saved.sizeBytes, saved.sizeBytes);
    return saved;
  } catch (error) {
    await start?.rest.stop(error);
    throw error;
  }
}
