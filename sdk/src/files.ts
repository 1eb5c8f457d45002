// Saving files: small ones in one request; larger ones, and streams of unknown length, as resumable uploads.

import { multipartTypes, Reading, type RequestBody, toRequestBody } from './bodies.ts';
import type { Cabinet, CallOptions } from './connect.ts';
import { type Content, type PreparedContent, type Progress, prepare, sendsStreams } from './content.ts';
import type { Entry, Envelope, Properties, SavedVersion } from './description.ts';
import { makeKey } from './keys.ts';
import { call } from './request.ts';
import type { Source, UploadOptions } from './resumable.ts';
import { fromBlob, fromStream, pieceBytes, readStart } from './sources.ts';
import { upload } from './uploads.ts';

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
  /** Only if the content that has the name still has this `ETag`; otherwise `PreconditionFailed`. */
  ifMatch?: string | undefined;
  /** `*`: only if nothing has the name yet; otherwise `PreconditionFailed`. */
  ifNoneMatch?: string | undefined;
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
/** Where a stream can be a request body, progress is reported within a request. */
const maxPieceBytes = sendsStreams ? 256 * 1024 * 1024 : pieceBytes;

/** Saves a file and returns its entry. Whatever happens to the connection, it is saved once. From `resumableFrom` bytes on, what has
 *  arrived is not sent again. */
export async function saveFile(
  cabinet: Cabinet,
  file: NewFile & SaveFileOptions,
  options: SaveFileOptions = {},
): Promise<Entry> {
  const { Children } = await saveFileWithFolder(cabinet, file, options);
  return Children[0] as Entry;
}

/** The same, and returns the folder too: `Folder` is the folder, `Children` has the saved file alone. */
export async function saveFileWithFolder(
  cabinet: Cabinet,
  file: NewFile & SaveFileOptions,
  options: SaveFileOptions = {},
): Promise<Envelope> {
  const how = { ...file, ...options };
  const content = prepare(file.content);
  const parts = toHeaders(file);
  const envelope =
    content.blob === undefined
      ? await saveStream(cabinet, { ...parts, how }, content.stream)
      : await saveBlob(cabinet, { ...parts, how }, content.blob);
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

function toHeaders(file: NewFile): Omit<Saving, 'how'> {
  return {
    headers: {
      FolderId: file.folder,
      FileName: encodeURIComponent(file.name),
      ConflictBehavior: file.conflict,
      'If-Match': file.ifMatch,
      'If-None-Match': file.ifNoneMatch,
      Comment: encodeHeader(file.comment),
      'Idempotency-Key': makeKey(),
      Prefer: 'return=minimal',
    },
    fields: {
      Properties: file.properties && JSON.stringify(file.properties),
      ObjectType: file.objectType,
    },
  };
}

function saveBlob(cabinet: Cabinet, saving: Saving, blob: Blob): Promise<Envelope> {
  const { resumableFrom = defaultResumableFrom, resume } = saving.how;
  const isResumable = (blob.size >= resumableFrom || resume !== undefined) && toMetadata(saving, blob.type) !== null;
  if (!isResumable) return saveWhole(cabinet, saving, { blob });
  return saveResumably(cabinet, saving, { source: fromBlob(blob, maxPieceBytes), type: blob.type });
}

/** A short stream becomes a blob. Of a longer one, the piece in flight is kept until the service has it. */
async function saveStream(cabinet: Cabinet, saving: Saving, stream: ReadableStream<Uint8Array>): Promise<Envelope> {
  const { resumableFrom = defaultResumableFrom } = saving.how;
  const start = await readStart(stream, Math.max(1, Math.min(resumableFrom, pieceBytes)), saving.how.signal);
  const { blob, isWhole, rest } = start;
  if (isWhole) return saveWhole(cabinet, saving, { blob });
  try {
    if (toMetadata(saving, '') === null) {
      return await saveWhole(cabinet, saving, await toSendable({ stream: rest.toStream(blob) }));
    }
    return await saveResumably(cabinet, saving, { source: fromStream(start), type: '' });
  } catch (error) {
    await rest.stop(error);
    throw error;
  }
}

/** Where a stream cannot be a request body, it is read into memory first. */
async function toSendable(content: PreparedContent): Promise<PreparedContent> {
  if (content.stream === undefined || sendsStreams) return content;
  return { blob: await new Response(content.stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob() };
}

function saveWhole(cabinet: Cabinet, { how, headers, fields }: Saving, content: PreparedContent): Promise<Envelope> {
  const { onProgress, signal } = how;
  const totalBytes = content.blob?.size ?? null;
  const contentType = how.contentType ?? (content.blob?.type || unknownType);
  // Framing is not counted.
  const reading = new Reading(onProgress && ((sent) => onProgress(Math.min(sent, totalBytes ?? sent), totalBytes)));
  const { body, headers: more } = toRequestBody({ content, contentType, fields }, reading);
  const request = { signal, headers: { ...headers, ...more }, body, isRepeatable: true };
  return reading.during(() => call(cabinet, 'POST /files', request));
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
/** Headers are limited in size; a file with more properties is saved in one request. */
const maxMetadataBytes = 6000;

/** The fields of a resumable upload, which go in headers because its bytes follow later. */
function toMetadata({ how, fields }: Saving, type: string): { metadata: string; contentType: string } | null {
  const contentType = how.contentType ?? (type || unknownType);
  const isBare = !multipartTypes.test(contentType);
  const values = {
    filetype: isBare ? undefined : contentType,
    properties: fields.Properties,
    objecttype: fields.ObjectType,
  };
  const metadata = Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${toBase64(value)}`]))
    .join(',');
  if (metadata.length > maxMetadataBytes) return null;
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
  version: NewVersion & SaveOptions,
  options: SaveOptions = {},
): Promise<SavedVersion> {
  const { signal, onProgress } = { ...version, ...options };
  const content = await toSendable(prepare(version.content));
  const totalBytes = content.blob?.size ?? null;
  const contentType = version.contentType ?? (content.blob?.type || unknownType);
  const reading = new Reading(onProgress && ((sent) => onProgress(sent, totalBytes)));
  const { body, headers }: RequestBody = toRequestBody({ content, contentType, isAlwaysBare: true }, reading);
  return reading.during(() =>
    call(cabinet, 'PUT /files/{id}/content', {
      signal,
      path: { id: version.id },
      headers: { 'If-Match': version.ifMatch, Comment: encodeHeader(version.comment), ...headers },
      body,
      // Sent twice, a condition would fail because of our own version.
      isRepeatable: version.ifMatch === undefined,
    }),
  );
}

function encodeHeader(text: string | undefined): string | undefined {
  return text === undefined ? undefined : encodeURIComponent(text);
}
