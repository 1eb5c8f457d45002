// Many small files in one request: each succeeds or fails alone, all are committed together.

import type { Cabinet, CallOptions } from './connect.ts';
import type { BatchFile, Properties, ShownEntry } from './description.ts';
import { type CabinetError, toCabinetError } from './errors.ts';
import { makeKey } from './keys.ts';
import { type Part, toMultipartBatch } from './multipart.ts';
import { call } from './request.ts';

export interface FileOfBatch {
  /** The name; or `path`: folders and the name with / between them, where missing folders are made. */
  name?: string | undefined;
  path?: string | undefined;
  content: Blob | Uint8Array | ArrayBuffer | string;
  /** The id of the folder to save it in; that of the batch by default. */
  folder?: string | undefined;
  contentType?: string | undefined;
  conflict?: 'Version' | 'Fail' | 'Rename' | 'Existing' | undefined;
  properties?: Properties | undefined;
  objectType?: string | undefined;
  /** What is new in this version. */
  comment?: string | undefined;
  /** In hex; checked by the service. */
  sha256?: string | undefined;
}

export interface Batch {
  files: FileOfBatch[];
  /** Where files go that name no folder; the root by default. */
  folder?: string | undefined;
  /** For files that do not say themselves. */
  conflict?: FileOfBatch['conflict'];
}

/** Saves many small files at once. For each of them, in order: what was saved, or the error that it met. `showLimits` tells how
 *  many files and bytes one batch may have. Sent again after a lost connection, they are still saved once. */
export async function saveFiles(
  cabinet: Cabinet,
  { files, folder, conflict }: Batch,
  options: CallOptions = {},
): Promise<(ShownEntry | CabinetError)[]> {
  const { body, contentType } = toMultipartBatch([toList(files), ...files.map(toPart)]);
  const { Results } = await call(cabinet, 'POST /files/batch', {
    ...options,
    headers: {
      FolderId: folder,
      ConflictBehavior: conflict,
      'Idempotency-Key': makeKey(),
      'Content-Type': contentType,
    },
    body,
    isRepeatable: true,
  });
  return Results.map((result) => ('Error' in result ? toCabinetError(result.Error) : result));
}

/** The first part, which describes the others. */
function toList(files: FileOfBatch[]): Part {
  const list = files.map(
    (file): BatchFile => ({
      FileName: file.name,
      RelativePath: file.path,
      FolderId: file.folder,
      ContentType: file.contentType,
      ObjectType: file.objectType,
      Properties: file.properties,
      ConflictBehavior: file.conflict,
      Comment: file.comment,
      Sha256: file.sha256,
    }),
  );
  return { name: 'Files', content: JSON.stringify(list), contentType: 'application/json' };
}

function toPart({ content, contentType }: FileOfBatch): Part {
  const type = content instanceof Blob ? content.type : '';
  return {
    name: 'filename',
    content: content instanceof ArrayBuffer ? new Uint8Array(content) : content,
    contentType: contentType ?? (type || 'application/octet-stream'),
    isFile: true,
  };
}
