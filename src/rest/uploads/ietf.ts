// "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload): `POST /files` with `Upload-Complete` starts an upload,
// which continues at its own address. Upload-Draft-Interop-Version names the draft: 3 uses Upload-Incomplete instead, up to 5
// an append has no content type of its own, up to 6 the limit on age is called expires.

import type { IncomingMessage } from 'node:http';
import type { Upload } from '../../catalog/verbs/uploads.ts';
import type { Caller } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { invalidHeader } from '../../listener/refusals.ts';
import { type AppendResult, appendUpload, lengthMismatch } from '../../operations/append-upload.ts';
import { showUpload } from '../../operations/finish-upload.ts';
import { beginUpload, dropUpload, readNotes, removeUpload } from '../../operations/uploads.ts';
import { readBodyFormat } from '../bodies/file-body.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import * as parameters from '../parameters.ts';
import type { CallerExchange } from '../route.ts';
import { prefersMinimal, toSaveAnswer } from '../routes/save-answer.ts';
import { readBodyBytes } from './tus.ts';
import { readUploadRequest, toLocation, toUploadBody, withUploadStatuses } from './upload-request.ts';

export const partialUpload = 'application/partial-upload';
const oldestVersion = 3;
const newestVersion = 8;

export interface Resumable {
  /** Null: absent, or unknown. */
  version: number | null;
  isComplete: boolean;
}

/** Null: an ordinary save. "Other values MUST cause the entire header field to be ignored." */
export function readResumable(request: IncomingMessage): Resumable | null {
  const version = readVersion(request);
  const isComplete = readComplete(request, version);
  if (isComplete === null) return null;
  // A complete form or JSON body is an ordinary save; part of one cannot be resumed.
  if (isComplete && !isBare(request)) return null;
  return { version, isComplete };
}

function readVersion(request: IncomingMessage): number | null {
  const version = readInteger(request, 'upload-draft-interop-version');
  return version !== null && version >= oldestVersion && version <= newestVersion ? version : null;
}

function readComplete(request: IncomingMessage, version: number | null): boolean | null {
  const isInverted = version === oldestVersion;
  const text = parameters.readHeader(request, isInverted ? 'upload-incomplete' : 'upload-complete')?.trim();
  if (text === '?1') return !isInverted;
  return text === '?0' ? isInverted : null;
}

function readInteger(request: IncomingMessage, name: string): number | null {
  const text = parameters.readHeader(request, name)?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function isBare(request: IncomingMessage): boolean {
  return readBodyFormat(parameters.readHeader(request, 'content-type')).kind === 'bare';
}

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
  return new Refusal('UnsupportedMediaType', 'An upload in pieces is of the bytes themselves.', {
    target: 'Content-Type',
    hint: 'Send them under their own content type, neither as a form nor as JSON.',
  });
}

/** The total length, if this request tells it: by Upload-Length, or by the length of a body that completes the upload. */
function readLength(request: IncomingMessage, offsetBytes: number, isComplete: boolean): number | null {
  const stated = readInteger(request, 'upload-length');
  const declared = readBodyBytes(request);
  const implied = isComplete && declared !== null ? offsetBytes + declared : null;
  if (stated !== null && implied !== null && stated !== implied) {
    throw lengthMismatch(`Upload-Length says ${stated} bytes, but these complete it at ${implied}.`);
  }
  return stated ?? implied;
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

export async function patchResumable(
  context: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
): Promise<Answer> {
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

function checkPatchType(request: IncomingMessage, version: number | null): void {
  const type = parameters.readHeader(request, 'content-type')?.trim().toLowerCase();
  if (type === partialUpload || (version !== null && version <= 5)) return;
  throw new Refusal('UnsupportedMediaType', `Bytes of an upload are sent as ${partialUpload}.`, {
    target: 'Content-Type',
  });
}

export async function headResumable(
  context: EnvironmentContext,
  exchange: CallerExchange,
  caller: Caller,
): Promise<{ upload: Upload; headers: Record<string, string> }> {
  const version = readVersion(exchange.request);
  const commonHeaders = toCommonHeaders(context, version);
  return await withUploadStatuses({ headers: commonHeaders, complete: toComplete(version, true) }, async () => {
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
  return await withUploadStatuses({ headers, complete: {} }, async () => {
    await removeUpload(context.cabinet, caller, { id: exchange.parameters.id ?? '', protocol: 'ietf' });
    return { status: 204, headers, body: '' };
  });
}

/** The headers of an answer to OPTIONS. */
export function describeResumable(context: EnvironmentContext, request: IncomingMessage): Record<string, string> {
  return { 'Accept-Patch': partialUpload, ...toCommonHeaders(context, readVersion(request)) };
}

/** The headers of every answer. */
function toCommonHeaders(context: EnvironmentContext, version: number | null): Record<string, string> {
  return {
    ...(version !== null && { 'Upload-Draft-Interop-Version': String(version) }),
    'Upload-Limit': toLimit(context, version, context.cabinet.limits.uploadMs),
  };
}

function toLimit({ cabinet }: EnvironmentContext, version: number | null, lifeMs: number): string {
  const age = version !== null && version <= 6 ? 'expires' : 'max-age';
  return `max-size=${cabinet.limits.fileBytes}, ${age}=${Math.max(0, Math.floor(lifeMs / 1000))}`;
}

function toState(version: number | null, { sizeBytes, result }: Upload): Record<string, string> {
  return { 'Upload-Offset': String(sizeBytes), ...toComplete(version, result !== null) };
}

function toComplete(version: number | null, isComplete: boolean): Record<string, string> {
  if (version === oldestVersion) return { 'Upload-Incomplete': isComplete ? '?0' : '?1' };
  return { 'Upload-Complete': isComplete ? '?1' : '?0' };
}
