// Files: save them and read their bytes.

import { sendFile } from './bodies.ts';
import type { Cabinet, CallOptions } from './connect.ts';
import type { Content, Progress } from './content.ts';
import type { Envelope, Properties, SavedVersion } from './description.ts';
import { makeKey } from './keys.ts';
import { ask } from './request.ts';

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

/** Saves a file. `Children` of the answer holds the saved file alone. Sent again after a lost connection, it is still saved
 *  once. */
export async function saveFile(
  cabinet: Cabinet,
  asked: NewFile & SaveOptions,
  options: SaveOptions = {},
): Promise<Envelope> {
  const { signal = asked.signal, onProgress = asked.onProgress } = options;
  const { content, contentType, objectType: ObjectType } = asked;
  const Properties = asked.properties && JSON.stringify(asked.properties);
  const file = { content, contentType, onProgress, fields: { Properties, ObjectType } };
  const key = makeKey();
  const envelope = await sendFile(file, ({ body, headers }) =>
    ask(cabinet, 'POST /files', {
      signal,
      headers: {
        FolderId: asked.folder,
        FileName: encodeURIComponent(asked.name),
        ConflictBehavior: asked.conflict,
        Comment: encodeHeader(asked.comment),
        'Idempotency-Key': key,
        Prefer: 'return=minimal',
        ...headers,
      },
      body,
      isRepeatable: true,
    }),
  );
  const { Size: sizeBytes = 0 } = envelope.Children[0] ?? {};
  onProgress?.(sizeBytes, sizeBytes);
  return envelope;
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

/** Saves a new version of a file that is known by its id. The same bytes make no new version. */
export async function saveVersion(
  cabinet: Cabinet,
  asked: NewVersion & SaveOptions,
  options: SaveOptions = {},
): Promise<SavedVersion> {
  const { signal = asked.signal, onProgress = asked.onProgress } = options;
  const { content, contentType } = asked;
  return sendFile({ content, contentType, onProgress, isAlwaysBare: true }, ({ body, headers }) =>
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

function encodeHeader(text: string | undefined): string | undefined {
  return text === undefined ? undefined : encodeURIComponent(text);
}
