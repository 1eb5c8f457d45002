// Files: how they are saved. Small ones go in one request; larger ones, and streams of unknown length, go up in a way that
// can be resumed.

import { framedTypes, Reading, type RequestBody, toRequestBody } from './bodies.ts';
import type { Cabinet, CallOptions } from './connect.ts';
import { type Content, type Prepared, type Progress, prepare, sendsStreams } from './content.ts';
import type { Envelope, Properties, SavedVersion } from './description.ts';
import { makeKey } from './keys.ts';
import { ask } from './request.ts';
import { fromBlob, fromStream, type Gathered, gather, pieceBytes } from './sources.ts';
import { type Source, type UploadOptions, upload } from './uploads.ts';

export interface NewFile {
  /** The id of the folder to save it in; the root by default. */
  folder?: string | undefined;
  name: string;
  content: Content;
  /** The media type; by default that of the `Blob`, or else what the service finds out. */
  contentType?: string | undefined;
  /** If a file has the name: a new version of it (by default), fail, take `name (2)`, or keep the one that is there. */
  conflict?: 'Version' | 'Fail' | 'Rename' | 'Existing' | undefined;
  properties?: Properties | undefined;
  objectType?: string | undefined;
  /** What is new in this version. */
  comment?: string | undefined;
}

export interface SaveOptions extends CallOptions {
  /** Hears how many bytes have gone, of how many. */
  onProgress?: Progress | undefined;
}

export interface SaveFileOptions extends SaveOptions, UploadOptions {
  /** From how many bytes on it goes up in a way that can be resumed; 8 MiB by default. */
  resumableFrom?: number | undefined;
  /** The id of an upload of the same bytes that did not end; what the service has of it is not sent again. */
  resume?: string | undefined;
}

const defaultResumableFrom = 8 * 1024 * 1024;
/** Where streams are sent, progress is told within a request. */
const largestPieceBytes = sendsStreams ? 256 * 1024 * 1024 : pieceBytes;

/** Saves a file. `Children` of the answer holds the saved file alone. Whatever happens to the connection, it is saved once; from
 *  `resumableFrom` bytes on, what has arrived is not sent again. */
export async function saveFile(
  cabinet: Cabinet,
  asked: NewFile & SaveFileOptions,
  options: SaveFileOptions = {},
): Promise<Envelope> {
  const how = { ...asked, ...options };
  const content = prepare(asked.content);
  const file = toHeaders(asked);
  const envelope =
    content.blob === undefined
      ? await saveStream(cabinet, { ...file, how }, content.stream)
      : await saveBlob(cabinet, { ...file, how }, content.blob);
  const { Size: sizeBytes = 0 } = envelope.Children[0] ?? {};
  how.onProgress?.(sizeBytes, sizeBytes);
  return envelope;
}

interface Saving {
  how: NewFile & SaveFileOptions;
  headers: Record<string, string | undefined>;
  /** What a save in one request carries beside the file. */
  fields: Record<string, string | undefined>;
}

function toHeaders(asked: NewFile): Omit<Saving, 'how'> {
  return {
    headers: {
      FolderId: asked.folder,
      FileName: encodeURIComponent(asked.name),
      ConflictBehavior: asked.conflict,
      Comment: encodeHeader(asked.comment),
      'Idempotency-Key': makeKey(),
      Prefer: 'return=minimal',
    },
    fields: {
      Properties: asked.properties && JSON.stringify(asked.properties),
      ObjectType: asked.objectType,
    },
  };
}

function saveBlob(cabinet: Cabinet, saving: Saving, blob: Blob): Promise<Envelope> {
  const { resumableFrom = defaultResumableFrom, resume } = saving.how;
  const isResumable = (blob.size >= resumableFrom || resume !== undefined) && toMetadata(saving, blob.type) !== null;
  if (!isResumable) return saveWhole(cabinet, saving, { blob });
  return saveResumably(cabinet, saving, { source: fromBlob(blob, largestPieceBytes), type: blob.type });
}

/** What ends soon is a blob; of the rest, the piece that is under way is kept until it has arrived. */
async function saveStream(cabinet: Cabinet, saving: Saving, stream: ReadableStream<Uint8Array>): Promise<Envelope> {
  const { resumableFrom = defaultResumableFrom } = saving.how;
  const gathered = await gather(stream, Math.max(1, Math.min(resumableFrom, pieceBytes)), saving.how.signal);
  const { blob, isWhole, rest } = gathered;
  if (isWhole) return saveWhole(cabinet, saving, { blob });
  try {
    if (toMetadata(saving, '') === null) return await saveWhole(cabinet, saving, await toSendable(gathered));
    return await saveResumably(cabinet, saving, { source: fromStream(gathered), type: '' });
  } catch (error) {
    await rest.stop(error);
    throw error;
  }
}

/** Where streams cannot be sent, they are gathered first. */
async function toSendable({ blob, rest }: Gathered): Promise<Prepared> {
  const stream = rest.toStream(blob);
  if (sendsStreams) return { stream };
  return { blob: await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob() };
}

function saveWhole(cabinet: Cabinet, { how, headers, fields }: Saving, content: Prepared): Promise<Envelope> {
  const { onProgress, signal } = how;
  const totalBytes = content.blob?.size ?? null;
  const contentType = how.contentType ?? (content.blob?.type || unknownType);
  // Framing is not counted.
  const reading = new Reading(onProgress && ((sent) => onProgress(Math.min(sent, totalBytes ?? sent), totalBytes)));
  const { body, headers: more } = toRequestBody({ content, contentType, fields }, reading);
  const request = { signal, headers: { ...headers, ...more }, body, isRepeatable: true };
  return reading.during(() => ask(cabinet, 'POST /files', request));
}

function saveResumably(
  cabinet: Cabinet,
  saving: Saving,
  { source, type }: { source: Source; type: string },
): Promise<Envelope> {
  const { how, headers } = saving;
  const reading = new Reading(undefined);
  const { metadata, contentType } = toMetadata(saving, type) ?? {};
  return reading.during(() =>
    upload(
      cabinet,
      {
        headers: { ...headers, 'Content-Type': contentType, 'Upload-Metadata': metadata || undefined },
        folder: how.folder,
        source,
        resume: how.resume,
        toBody: (blob, onBytes) => reading.open(blob, how.onProgress && onBytes),
      },
      how,
    ),
  );
}

const unknownType = 'application/octet-stream';
/** Headers have their limits; what has more properties is saved in one request. */
const mostMetadataBytes = 6000;

/** An upload's bytes come later, so that what is said of them travels in headers. */
function toMetadata({ how, fields }: Saving, type: string): { metadata: string; contentType: string } | null {
  const contentType = how.contentType ?? (type || unknownType);
  const isBare = !framedTypes.test(contentType);
  const told = {
    filetype: isBare ? undefined : contentType,
    properties: fields.Properties,
    objecttype: fields.ObjectType,
  };
  const metadata = Object.entries(told)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${toBase64(value)}`]))
    .join(',');
  if (metadata.length > mostMetadataBytes) return null;
  return { metadata, contentType: isBare ? contentType : 'application/partial-upload' };
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

export interface NewVersion {
  /** The id of the file. */
  id: string;
  content: Content;
  contentType?: string | undefined;
  comment?: string | undefined;
  /** Only if the content's `ETag` is still this one; otherwise `PreconditionFailed`. */
  ifMatch?: string | undefined;
}

/** Saves a new version of a file that is known by its id, in one request. The same bytes make no new version. */
export async function saveVersion(
  cabinet: Cabinet,
  asked: NewVersion & SaveOptions,
  options: SaveOptions = {},
): Promise<SavedVersion> {
  const { signal, onProgress } = { ...asked, ...options };
  const content = await settle(prepare(asked.content));
  const totalBytes = content.blob?.size ?? null;
  const contentType = asked.contentType ?? (content.blob?.type || unknownType);
  const reading = new Reading(onProgress && ((sent) => onProgress(sent, totalBytes)));
  const { body, headers }: RequestBody = toRequestBody({ content, contentType, isAlwaysBare: true }, reading);
  return reading.during(() =>
    ask(cabinet, 'PUT /files/{id}/content', {
      signal,
      path: { id: asked.id },
      headers: { 'If-Match': asked.ifMatch, Comment: encodeHeader(asked.comment), ...headers },
      body,
      // Sent twice, a condition would fail because of our own version.
      isRepeatable: asked.ifMatch === undefined,
    }),
  );
}

async function settle(content: Prepared): Promise<Prepared> {
  if (content.stream === undefined || sendsStreams) return content;
  return { blob: await new Response(content.stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob() };
}

function encodeHeader(text: string | undefined): string | undefined {
  return text === undefined ? undefined : encodeURIComponent(text);
}
