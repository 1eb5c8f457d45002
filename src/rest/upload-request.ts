// What the two protocols of resumable uploads have in common: what is to be saved, the body, the address, and refusals under
// statuses of their own.

import type { IncomingMessage } from 'node:http';
import type { Upload } from '../catalog/verbs/uploads.ts';
import { readMediaType } from '../domain/content-type.ts';
import { decodeNameHeader } from '../domain/name.ts';
import { checkObjectType, checkProperties } from '../domain/properties.ts';
import { Refusal, type RefusalCode } from '../domain/refusal.ts';
import { Aborted, type BodyDigests } from '../listener/body.ts';
import { invalidHeader } from '../listener/refusals.ts';
import { OffsetMismatch, type UploadBody } from '../operations/append-upload.ts';
import { FinishRefused } from '../operations/finish-upload.ts';
import type { UploadRequest } from '../operations/uploads.ts';
import { StandardRefusal, toStatus } from './answer.ts';
import type { EnvironmentContext } from './environment-context.ts';
import { readDisposition } from './multipart.ts';
import * as parameters from './parameters.ts';
import type { CallerExchange } from './route.ts';
import { isMinimalPreferred } from './routes/save-answer.ts';
import { parseMetadata } from './tus-headers.ts';

export const uploadsPath = '/v1/contentmanagement/uploads';

/** The statuses that the standards want. */
export const uploadStatuses = {
  ChecksumMismatch: 460,
  FileTooLarge: 413,
  TusVersionUnsupported: 412,
  UnsupportedMediaType: 415,
  UploadExpired: 410,
  UploadOffsetMismatch: 409,
} as const satisfies Partial<Record<RefusalCode, number>>;

/** Without the host, so that it holds wherever the service is reached; behind a prefix where the public address has one. */
export function toLocation({ publicUrl }: EnvironmentContext, { id }: Upload): string {
  return `${new URL(publicUrl).pathname.replace(/\/$/, '')}${uploadsPath}/${id}`;
}

/** What will be saved: from the headers of `POST /files`, or else from what tus clients tell of a file. */
export function readUploadRequest(request: IncomingMessage, contentType: string | null): UploadRequest {
  const told = parseMetadata(parameters.readHeader(request, 'upload-metadata'));
  const named = parameters.readHeader(request, 'filename');
  const disposition = parameters.readHeader(request, 'content-disposition');
  const fileName =
    (named === null ? null : decodeNameHeader(named)) ??
    told.get('filename') ??
    told.get('name') ??
    (disposition === null ? null : readDisposition(disposition).fileName);
  if (fileName === null) throw fileNameMissing();
  const type = contentType ?? told.get('filetype') ?? told.get('type') ?? null;
  const conflict = parameters.readHeader(request, 'conflictbehavior') ?? told.get('conflictbehavior') ?? null;
  return {
    folderId: parameters.readHeader(request, 'folderid') ?? told.get('folderid') ?? null,
    fileName,
    contentType: type === null || readMediaType(type) === null ? null : type.trim(),
    objectType: readObjectType(told),
    properties: readProperties(told),
    comment: parameters.readComment(request),
    conflict: parameters.checkConflictBehavior(conflict) ?? 'Version',
    idempotencyKey: parameters.readIdempotencyKey(request),
    sha256: parameters.readSha256(request, 'repr-digest')?.toString('base64') ?? null,
    isMinimal: isMinimalPreferred(request),
  };
}

function readObjectType(told: Map<string, string>): string | null {
  const text = told.get('objecttype');
  return text === undefined ? null : checkObjectType(text);
}

/** A JSON object of strings. */
function readProperties(told: Map<string, string>): Record<string, string> | null {
  const text = told.get('properties');
  if (text === undefined) return null;
  try {
    return checkProperties(JSON.parse(text));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalidHeader('Upload-Metadata', 'must have a JSON object of strings as properties');
  }
}

export function fileNameMissing(): Refusal {
  return new Refusal('FileNameMissing', 'The file has no name.', {
    target: 'FileName',
    hint: 'Send the header FileName (percent-encoded UTF-8), or filename in Upload-Metadata.',
  });
}

/** `check`: looks at the bytes as they pass, and throws behind the last of them if they are not what they should be. */
export function toUploadBody(
  { openBody, renewCaller }: CallerExchange,
  digests: BodyDigests,
  check: (bytes: AsyncIterable<Buffer>) => AsyncIterable<Buffer> = (bytes) => bytes,
): UploadBody {
  let body: ReturnType<CallerExchange['openBody']> | null = null;
  let isEnded = false;
  return {
    open() {
      body = openBody(digests);
      if (isEnded) body.fail(new Aborted());
      return check(body);
    },
    end() {
      isEnded = true;
      body?.fail(new Aborted());
    },
    renewCaller,
  };
}

/** Refusals under the statuses and with the headers of the standard. */
export async function byStandard<Answer>(
  { headers, complete }: { headers: Record<string, string>; complete: Record<string, string> },
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof StandardRefusal) throw error;
    const known: Partial<Record<RefusalCode, number>> = uploadStatuses;
    const told = { ...headers, ...(error instanceof FinishRefused && complete) };
    if (error instanceof OffsetMismatch) told['Upload-Offset'] = String(error.offsetBytes);
    if (error.code === 'TusVersionUnsupported') told['Tus-Version'] = '1.0.0';
    throw new StandardRefusal(error, known[error.code] ?? toStatus(error.code), told);
  }
}
