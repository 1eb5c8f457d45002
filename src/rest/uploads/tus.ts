// tus 1.0 at /v1/contentmanagement/uploads. The last bytes of an upload save the file; the answer to them has its id as
// `entryid`, and so has every later HEAD.

import type { IncomingMessage } from 'node:http';
import type { Upload } from '../../catalog/verbs/uploads.ts';
import type { Caller } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { invalidHeader } from '../../listener/refusals.ts';
import { type AppendResult, appendUpload } from '../../operations/append-upload.ts';
import type { Cabinet } from '../../operations/cabinet.ts';
import { showUpload } from '../../operations/finish-upload.ts';
import { joinUploads } from '../../operations/join-uploads.ts';
import { beginUpload, type NewUpload, removeUpload } from '../../operations/uploads.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import * as parameters from '../parameters.ts';
import type { CallerExchange } from '../route.ts';
import * as tus from './tus-headers.ts';
import { readBodyBytes, readUploadRequest, toLocation, toUploadBody, withUploadStatuses } from './upload-request.ts';

/** Refusals need no headers beside those that the route adds to every answer. */
export const noHeaders = { headers: {}, complete: {} };

/** What `POST` and `PATCH` need of the exchange. */
export type UploadExchange = Pick<CallerExchange, 'request' | 'parameters' | 'openBody' | 'renewCaller'>;

export async function createTus(
  context: EnvironmentContext,
  exchange: UploadExchange,
  caller: Caller,
): Promise<Answer> {
  return await withUploadStatuses(noHeaders, async () => {
    const { request } = exchange;
    tus.checkTusVersion(request);
    parameters.checkEncoding(request);
    const concat = tus.readConcat(request);
    const metadata = parameters.readHeader(request, 'upload-metadata');
    tus.parseMetadata(metadata);
    const base = { protocol: 'tus' as const, kind: concat.kind, metadata };
    if (concat.kind === 'final') {
      if (request.headers['upload-length'] !== undefined) {
        throw invalidHeader('Upload-Length', 'does not go with a final upload, whose parts say it');
      }
      const save = readUploadRequest(request, null);
      const joined = { ...base, lengthBytes: null, save, parts: concat.partUrls, ids: concat.ids };
      const { upload } = await joinUploads(context.cabinet, caller, joined);
      return { status: 201, headers: { Location: toLocation(context, upload), ...toSaved(upload) }, body: '' };
    }
    const save = concat.kind === 'part' ? null : readUploadRequest(request, null);
    const newUpload = { ...base, lengthBytes: tus.readNewLength(request), save, parts: null };
    const { upload } = await createAndFill(context.cabinet, exchange, caller, newUpload);
    return { status: 201, headers: { Location: toLocation(context, upload), ...toState(upload) }, body: '' };
  });
}

/** Whoever only begins one knows that no byte has come. */
function toState(upload: Upload): Record<string, string> {
  return upload.turn === 0 ? tus.toExpiry(upload) : toSaved(upload);
}

/** "creation-with-upload": the request may contain the first bytes, or all of them. */
export async function createAndFill(
  cabinet: Cabinet,
  exchange: UploadExchange,
  caller: Caller,
  newUpload: NewUpload,
): Promise<AppendResult> {
  const { request } = exchange;
  const declaredBytes = readBodyBytes(request);
  if (declaredBytes !== 0) checkPatchType(request);
  const checksum = tus.readChecksum(request);
  if (declaredBytes !== null && newUpload.lengthBytes !== null && declaredBytes > newUpload.lengthBytes)
    throw tooMuch();
  const upload = await beginUpload(cabinet, caller, newUpload);
  const hasBytes = declaredBytes !== 0 || newUpload.lengthBytes === 0;
  if (!hasBytes) return { upload, saved: null };
  return await append(cabinet, exchange, caller, { upload, offsetBytes: 0, lengthBytes: null, checksum });
}

interface Append {
  upload: Pick<Upload, 'id'>;
  offsetBytes: number;
  lengthBytes: number | null;
  checksum: tus.Checksum | null;
}

function append(
  cabinet: Cabinet,
  exchange: UploadExchange,
  caller: Caller,
  { checksum, upload, offsetBytes, lengthBytes }: Append,
): Promise<AppendResult> {
  const check = checksum === null ? undefined : (body: AsyncIterable<Buffer>) => tus.checkSum(body, checksum);
  return appendUpload(cabinet, caller, {
    id: upload.id,
    protocol: 'tus',
    offsetBytes,
    lengthBytes,
    declaredBytes: readBodyBytes(exchange.request),
    isLast: false,
    isChecked: checksum !== null,
    body: toUploadBody(exchange, { sha256: null, md5: null }, check),
  });
}

export function toSaved({ sizeBytes, result, expiresAt }: Upload): Record<string, string> {
  return {
    'Upload-Offset': String(sizeBytes),
    'Upload-Expires': new Date(expiresAt).toUTCString(),
    ...(result !== null && { entryid: result }),
  };
}

export async function patchTus(context: EnvironmentContext, exchange: CallerExchange, caller: Caller): Promise<Answer> {
  return await withUploadStatuses(noHeaders, async () => {
    const { upload } = await appendTus(context.cabinet, exchange, caller);
    return { status: 204, headers: toSaved(upload), body: '' };
  });
}

export async function appendTus(cabinet: Cabinet, exchange: UploadExchange, caller: Caller): Promise<AppendResult> {
  const { request, parameters: path } = exchange;
  tus.checkTusVersion(request);
  parameters.checkEncoding(request);
  checkPatchType(request);
  const offsetBytes = tus.readTusNumber(request, 'Upload-Offset');
  if (offsetBytes === null) throw invalidHeader('Upload-Offset', 'is missing');
  const lengthBytes = tus.readTusNumber(request, 'Upload-Length');
  const bytes = { upload: { id: path.id ?? '' }, offsetBytes, lengthBytes, checksum: tus.readChecksum(request) };
  return await append(cabinet, exchange, caller, bytes);
}

export async function headTus(
  { cabinet }: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
): Promise<Upload> {
  return await withUploadStatuses(noHeaders, async () => {
    tus.checkTusVersion(exchange.request);
    return await showUpload(cabinet, caller, { id: exchange.parameters.id ?? '', protocol: 'tus' });
  });
}

export async function deleteTus(
  { cabinet }: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
): Promise<Answer> {
  return await withUploadStatuses(noHeaders, async () => {
    tus.checkTusVersion(exchange.request);
    await removeUpload(cabinet, caller, { id: exchange.parameters.id ?? '', protocol: 'tus' });
    return { status: 204, headers: {}, body: '' };
  });
}

export function describeTus({ cabinet }: EnvironmentContext): Record<string, string> {
  return {
    'Tus-Resumable': tus.tusVersion,
    'Tus-Version': tus.tusVersion,
    'Tus-Extension': tus.tusExtensions,
    'Tus-Max-Size': String(cabinet.limits.fileBytes),
    'Tus-Checksum-Algorithm': tus.tusAlgorithms,
  };
}

function checkPatchType(request: IncomingMessage): void {
  if (parameters.readHeader(request, 'content-type')?.trim().toLowerCase() === tus.tusType) return;
  throw new Refusal('UnsupportedMediaType', `The content type of the bytes of an upload must be ${tus.tusType}.`, {
    target: 'Content-Type',
  });
}

function tooMuch(): Refusal {
  return new Refusal('FileTooLarge', 'The body has more bytes than Upload-Length says.', {
    target: 'Upload-Length',
  });
}
