// What both protocols of resumable uploads share: the save request, the body, the address of an upload, and refusals with the
// statuses of the standards.

import type { IncomingMessage } from 'node:http';
import type { Upload } from '../../catalog/verbs/uploads.ts';
import { readMediaType } from '../../domain/content-type.ts';
import { decodeNameHeader } from '../../domain/name.ts';
import { checkObjectType, checkProperties } from '../../domain/properties.ts';
import { Refusal, type RefusalCode } from '../../domain/refusal.ts';
import { Aborted, type BodyDigests } from '../../listener/body.ts';
import { invalidHeader } from '../../listener/refusals.ts';
import { OffsetMismatch, type UploadBody } from '../../operations/append-upload.ts';
import { FinishRefused } from '../../operations/finish-upload.ts';
import type { UploadRequest } from '../../operations/uploads.ts';
import { StandardRefusal, toStatus } from '../answer.ts';
import { readDisposition } from '../bodies/multipart.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import * as parameters from '../parameters.ts';
import { readPrecondition } from '../preconditions.ts';
import { prefersMinimal } from '../preferences.ts';
import type { CallerExchange } from '../route.ts';
import { parseMetadata } from './tus-headers.ts';

export const uploadsPath = '/v1/contentmanagement/uploads';

/** The statuses that the standards prescribe. */
export const uploadStatuses = {
  ChecksumMismatch: 460,
  FileTooLarge: 413,
  TusVersionUnsupported: 412,
  UnsupportedMediaType: 415,
  UploadExpired: 410,
  UploadOffsetMismatch: 409,
} as const satisfies Partial<Record<RefusalCode, number>>;

/** Without the host, so that it works under every name of the service; with the path prefix of the public address. */
export function toLocation({ basePath }: EnvironmentContext, { id }: Upload): string {
  return `${basePath}${uploadsPath}/${id}`;
}

/** Reads the save request from the headers of `POST /files`, or else from the metadata of tus. */
export function readUploadRequest(request: IncomingMessage, contentType: string | null): UploadRequest {
  const metadata = parseMetadata(parameters.readHeader(request, 'upload-metadata'));
  const header = parameters.readHeader(request, 'filename');
  const disposition = parameters.readHeader(request, 'content-disposition');
  const fileName =
    (header === null ? null : decodeNameHeader(header)) ??
    metadata.get('filename') ??
    metadata.get('name') ??
    (disposition === null ? null : readDisposition(disposition).fileName);
  if (fileName === null) throw fileNameMissing();
  const type = contentType ?? metadata.get('filetype') ?? metadata.get('type') ?? null;
  const conflict = parameters.readHeader(request, 'conflictbehavior') ?? metadata.get('conflictbehavior') ?? null;
  return {
    folderId: parameters.readHeader(request, 'folderid') ?? metadata.get('folderid') ?? null,
    fileName,
    contentType: type === null || readMediaType(type) === null ? null : type.trim(),
    objectType: readObjectType(metadata),
    properties: readProperties(metadata),
    comment: parameters.readComment(request),
    conflict: parameters.checkConflictBehavior(conflict) ?? 'Version',
    precondition: readPrecondition(request),
    idempotencyKey: parameters.readIdempotencyKey(request),
    sha256: parameters.readSha256(request, 'repr-digest')?.toString('base64') ?? null,
    isMinimal: prefersMinimal(request),
  };
}

function readObjectType(metadata: Map<string, string>): string | null {
  const text = metadata.get('objecttype');
  return text === undefined ? null : checkObjectType(text);
}

/** A JSON object of strings. */
function readProperties(metadata: Map<string, string>): Record<string, string> | null {
  const text = metadata.get('properties');
  if (text === undefined) return null;
  try {
    return checkProperties(JSON.parse(text));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalidHeader('Upload-Metadata', 'must have a JSON object of strings as properties');
  }
}

function fileNameMissing(): Refusal {
  return new Refusal('FileNameMissing', 'The file has no name.', {
    target: 'FileName',
    hint: 'Send the header FileName (percent-encoded UTF-8), or filename in Upload-Metadata.',
  });
}

/** `check` passes the bytes on, and throws after the last one if they are wrong. */
export function toUploadBody(
  { openBody, renewCaller }: Pick<CallerExchange, 'openBody' | 'renewCaller'>,
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

/** Gives refusals the status and headers of the standard. `complete`: headers to add when the upload itself is complete and
 *  only saving the file was refused. */
export async function withUploadStatuses<Answer>(
  { headers, complete }: { headers: Record<string, string>; complete: Record<string, string> },
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof StandardRefusal) throw error;
    const known: Partial<Record<RefusalCode, number>> = uploadStatuses;
    const refusalHeaders = { ...headers, ...(error instanceof FinishRefused && complete) };
    if (error instanceof OffsetMismatch) refusalHeaders['Upload-Offset'] = String(error.offsetBytes);
    if (error.code === 'TusVersionUnsupported') refusalHeaders['Tus-Version'] = '1.0.0';
    throw new StandardRefusal(error, known[error.code] ?? toStatus(error.code), refusalHeaders);
  }
}

/** Null: the length is not known beforehand. */
export function readBodyBytes(request: IncomingMessage): number | null {
  return request.headers['transfer-encoding'] === undefined ? (parameters.readDeclaredBytes(request) ?? 0) : null;
}
