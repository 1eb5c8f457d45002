// "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload): `POST /files` with `Upload-Complete` starts an upload,
// which continues at its own address.

import type { Upload } from '../../catalog/verbs/uploads.ts';
import type { Caller } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { invalidHeader } from '../../listener/refusals.ts';
import { type AppendResult, appendUpload } from '../../operations/append-upload.ts';
import { showUpload } from '../../operations/finish-upload.ts';
import { beginUpload, dropUpload, findOffset, readNotes, removeUpload } from '../../operations/uploads.ts';
import { StandardRefusal } from '../answer.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import * as parameters from '../parameters.ts';
import { prefersMinimal } from '../preferences.ts';
import type { CallerExchange } from '../route.ts';
import { toSaveAnswer } from '../routes/save-answer.ts';
import {
  checkNoState,
  checkPatchType,
  isBare,
  oldestVersion,
  partialUpload,
  type Resumable,
  readComplete,
  readInteger,
  readLength,
  readVersion,
  toCommonHeaders,
  toComplete,
  toLimit,
  toState,
} from './ietf-headers.ts';
import { readBodyBytes, readUploadRequest, toLocation, toUploadBody, withUploadStatuses } from './upload-request.ts';

export async function saveResumable(
  context: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
  resumable: Resumable,
): Promise<Answer> {
  const { request } = exchange;
  const commonHeaders = toCommonHeaders(context, resumable.version);
  return await withUploadStatuses(
    { headers: commonHeaders, complete: toComplete(resumable.version, true) },
    async () => {
      parameters.checkEncoding(request);
      if (!isBare(request)) throw notBare();
      const type = parameters.readHeader(request, 'content-type');
      const lengthBytes = readLength(request, 0, resumable.isComplete);
      const upload = await beginUpload(context.cabinet, caller, {
        protocol: 'ietf',
        kind: 'whole',
        lengthBytes,
        save: readUploadRequest(request, type === partialUpload ? null : type),
        metadata: null,
        parts: null,
      });
      const location = { Location: toLocation(context, upload) };
      const hasSentLocation = sendInterim(exchange, resumable.version, { ...location, ...commonHeaders });
      try {
        const { saved, upload: now } = await append(context, exchange, caller, {
          id: upload.id,
          offsetBytes: 0,
          resumable,
        });
        const headers = { ...commonHeaders, ...location, ...toState(resumable.version, now) };
        if (saved === null) return { status: 201, headers, body: '' };
        return await toFinal(context, exchange, { saved, upload: now }, headers);
      } catch (error) {
        // The client does not know the address, so it cannot resume the upload.
        if (!hasSentLocation) await dropUpload(context.cabinet, upload.id);
        throw error;
      }
    },
  );
}

function notBare(): Refusal {
  return new Refusal('UnsupportedMediaType', 'A resumable upload sends the bytes of the file themselves.', {
    target: 'Content-Type',
    hint: 'Send them with their own content type, not as a form or JSON.',
  });
}

interface Append {
  id: string;
  offsetBytes: number;
  resumable: Resumable;
}

function append(
  context: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
  { id, offsetBytes, resumable: { version, isComplete } }: Append,
): Promise<AppendResult> {
  const { request } = exchange;
  const digests = { sha256: parameters.readSha256(request, 'content-digest'), md5: parameters.readMd5(request) };
  const body = toUploadBody(exchange, digests);
  return appendUpload(context.cabinet, caller, {
    id,
    protocol: 'ietf',
    offsetBytes,
    lengthBytes: readLength(request, offsetBytes, isComplete),
    declaredBytes: readBodyBytes(request),
    isLast: isComplete,
    isChecked: digests.sha256 !== null || digests.md5 !== null,
    body: {
      ...body,
      onKept: (sizeBytes) => void sendInterim(exchange, version, { 'Upload-Offset': String(sizeBytes) }),
    },
  });
}

/** Sends 104 (Upload Resumption Supported) to clients that have named a draft. Returns whether it was sent. */
function sendInterim(
  { request, response }: CallerExchange,
  version: number | null,
  headers: Record<string, string>,
): boolean {
  if (version === null || request.httpVersion !== '1.1' || response.socket === null || response.headersSent)
    return false;
  response.writeInformation(104, { 'Upload-Draft-Interop-Version': String(version), ...headers });
  return true;
}

/** A request that cannot be understood leaves the upload as it is; the refusal says where that goes on. */
async function withOffset<Answer>(
  { cabinet }: EnvironmentContext,
  { parameters: { id = '' } }: CallerExchange,
  caller: Caller,
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StandardRefusal && (error.status === 400 || error.status === 415)) {
      const offset = await findOffset(cabinet, caller, id);
      if (offset !== null) error.headers['Upload-Offset'] = String(offset);
    }
    throw error;
  }
}

/** "the response that matches what the resource, that was targeted by the initial upload creation, would have generated" */
async function toFinal(
  context: EnvironmentContext,
  { request }: CallerExchange,
  { saved, upload }: AppendResult,
  headers: Record<string, string>,
): Promise<Answer> {
  const { save } = readNotes(upload);
  if (saved === null || save === null) throw new Error('an upload was finished without a file');
  const answer = await toSaveAnswer(context, save.space, saved, save.isMinimal || prefersMinimal(request));
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

export function patchResumable(context: EnvironmentContext, exchange: CallerExchange, caller: Caller): Promise<Answer> {
  return withOffset(context, exchange, caller, () => patch(context, exchange, caller));
}

async function patch(context: EnvironmentContext, exchange: CallerExchange, caller: Caller): Promise<Answer> {
  const { request } = exchange;
  const version = readVersion(request);
  const commonHeaders = toCommonHeaders(context, version);
  return await withUploadStatuses({ headers: commonHeaders, complete: toComplete(version, true) }, async () => {
    parameters.checkEncoding(request);
    checkPatchType(request, version);
    const isComplete = readComplete(request, version) ?? (version === oldestVersion ? true : null);
    const offsetBytes = readInteger(request, 'upload-offset');
    if (isComplete === null) throw invalidHeader('Upload-Complete', 'must be ?1, or ?0 while more is to come');
    if (offsetBytes === null) throw invalidHeader('Upload-Offset', 'must say where these bytes belong');
    const id = exchange.parameters.id ?? '';
    const appended = await append(context, exchange, caller, { id, offsetBytes, resumable: { version, isComplete } });
    const headers = { ...commonHeaders, ...toState(version, appended.upload) };
    if (appended.saved === null) return { status: 204, headers, body: '' };
    return await toFinal(context, exchange, appended, headers);
  });
}

interface ShownUpload {
  upload: Upload;
  headers: Record<string, string>;
}

export function headResumable(
  context: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
): Promise<ShownUpload> {
  return withOffset(context, exchange, caller, () => head(context, exchange, caller));
}

async function head(context: EnvironmentContext, exchange: CallerExchange, caller: Caller): Promise<ShownUpload> {
  const version = readVersion(exchange.request);
  const commonHeaders = toCommonHeaders(context, version);
  return await withUploadStatuses({ headers: commonHeaders, complete: toComplete(version, true) }, async () => {
    checkNoState(exchange.request);
    const upload = await showUpload(context.cabinet, caller, { id: exchange.parameters.id ?? '', protocol: 'ietf' });
    const { lengthBytes, result } = upload;
    const headers = {
      ...commonHeaders,
      ...toState(version, upload),
      ...(lengthBytes !== null && { 'Upload-Length': String(lengthBytes) }),
      ...(result !== null && { entryid: result }),
      'Upload-Limit': toLimit(context, version, upload.expiresAt - context.cabinet.clock.now()),
    };
    return { upload, headers };
  });
}

export async function deleteResumable(
  context: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
): Promise<Answer> {
  const headers = toCommonHeaders(context, readVersion(exchange.request));
  return await withOffset(context, exchange, caller, () =>
    withUploadStatuses({ headers, complete: {} }, async () => {
      checkNoState(exchange.request);
      await removeUpload(context.cabinet, caller, { id: exchange.parameters.id ?? '', protocol: 'ietf' });
      return { status: 204, headers, body: '' };
    }),
  );
}
