// What only Node can do: client certificates, and files on disk.

import { createWriteStream, openAsBlob } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Cabinet, Fetch, FetchInit } from './connect.ts';
import { type DownloadOptions, openFile } from './downloads.ts';

export interface MutualTls {
  /** The client's certificate, in PEM, with those that lead to its CA if there are any. */
  certificate: string | Uint8Array;
  /** Its key, in PEM. */
  key: string | Uint8Array;
  passphrase?: string | undefined;
  /** What the service's own certificate is checked against; the CAs that Node knows by default. */
  ca?: string | Uint8Array | undefined;
}

/** A `fetch` that shows a certificate, for `connect` to the mutual-TLS address. */
export function mutualTls({ certificate, key, passphrase, ca }: MutualTls): Fetch {
  const agent = new Agent({
    keepAlive: true,
    cert: toPem(certificate),
    key: toPem(key),
    ...(passphrase !== undefined && { passphrase }),
    ...(ca !== undefined && { ca: toPem(ca) }),
  });
  return (url, init) => fetchOver(agent, url, init);
}

/** A `fetch` that trusts CAs of one's own, for a service whose certificate leads to them. */
export function trusting({ ca }: Pick<Required<MutualTls>, 'ca'>): Fetch {
  const agent = new Agent({ keepAlive: true, ...(ca !== undefined && { ca: toPem(ca) }) });
  return (url, init) => fetchOver(agent, url, init);
}

function toPem(text: string | Uint8Array): string | Buffer {
  return typeof text === 'string' ? text : Buffer.from(text);
}

function fetchOver(agent: Agent, url: string, { method, headers, body, signal }: FetchInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers, ...(signal && { signal }) });
    const fail = (cause: unknown) => {
      reject(signal?.aborted === true ? signal.reason : new TypeError('fetch failed', { cause }));
    };
    outgoing.on('error', fail);
    outgoing.on('response', (incoming) => resolve(toResponse(incoming, method)));
    sendBody(outgoing, body).catch(fail);
  });
}

async function sendBody(outgoing: ReturnType<typeof request>, body: FetchInit['body']): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    outgoing.end(body);
    return;
  }
  if (body instanceof Blob && !outgoing.hasHeader('content-length')) outgoing.setHeader('Content-Length', body.size);
  const stream = body instanceof Blob ? body.stream() : body;
  await pipeline(Readable.fromWeb(stream as NodeStream), outgoing);
}

/** Statuses whose answers have no body. */
const bare = [204, 205, 304];

function toResponse(incoming: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, rawHeaders } = incoming;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  const hasBody = !bare.includes(status) && method !== 'HEAD';
  if (!hasBody) incoming.resume();
  const body = hasBody ? (Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>) : null;
  return new Response(body, { status, headers });
}

/** A file on disk as the content of a save. It is read as it is sent, and again if the connection is lost. */
export async function fileContent(path: string, { contentType = '' } = {}): Promise<Blob> {
  return openAsBlob(path, { type: contentType });
}

/** Reads a file into one on disk, which is there only when all of it has arrived and is right. */
export async function downloadTo(
  cabinet: Cabinet,
  { id, path }: { id: string; path: string },
  options: DownloadOptions = {},
): Promise<void> {
  const partial = `${path}.${process.pid}.part`;
  try {
    const { stream } = await openFile(cabinet, id, options);
    await pipeline(Readable.fromWeb(stream as NodeStream), createWriteStream(partial));
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}
