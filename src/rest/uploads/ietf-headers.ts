// The headers of "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload). Upload-Draft-Interop-Version names the
// draft: 3 uses Upload-Incomplete instead of Upload-Complete, up to 5 an append has no content type of its own, up to 6 the
// limit on age is called expires.

import type { IncomingMessage } from 'node:http';
import type { Upload } from '../../catalog/verbs/uploads.ts';
import { Refusal } from '../../domain/refusal.ts';
import { invalidHeader } from '../../listener/refusals.ts';
import { lengthMismatch } from '../../operations/append-upload.ts';
import { readBodyFormat } from '../bodies/file-body.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import * as parameters from '../parameters.ts';
import { readBodyBytes } from './upload-request.ts';

export const partialUpload = 'application/partial-upload';
export const oldestVersion = 3;
const newestVersion = 9;

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

export function readVersion(request: IncomingMessage): number | null {
  const version = readInteger(request, 'upload-draft-interop-version');
  return version !== null && version >= oldestVersion && version <= newestVersion ? version : null;
}

export function readComplete(request: IncomingMessage, version: number | null): boolean | null {
  const isInverted = version === oldestVersion;
  const text = parameters.readHeader(request, isInverted ? 'upload-incomplete' : 'upload-complete')?.trim();
  if (text === '?1') return !isInverted;
  return text === '?0' ? isInverted : null;
}

export function readInteger(request: IncomingMessage, name: string): number | null {
  const text = parameters.readHeader(request, name)?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function isBare(request: IncomingMessage): boolean {
  return readBodyFormat(parameters.readHeader(request, 'content-type')).kind === 'bare';
}

/** The total length, if this request tells it: by Upload-Length, or by the length of a body that completes the upload. */
export function readLength(request: IncomingMessage, offsetBytes: number, isComplete: boolean): number | null {
  const stated = readInteger(request, 'upload-length');
  const declared = readBodyBytes(request);
  const implied = isComplete && declared !== null ? offsetBytes + declared : null;
  if (stated !== null && implied !== null && stated !== implied) {
    throw lengthMismatch(`Upload-Length says ${stated} bytes, but these complete it at ${implied}.`);
  }
  return stated ?? implied;
}

export function checkPatchType(request: IncomingMessage, version: number | null): void {
  const type = parameters.readHeader(request, 'content-type')?.trim().toLowerCase();
  if (type === partialUpload || (version !== null && version <= 5)) return;
  throw new Refusal('UnsupportedMediaType', `The content type of the bytes of an upload must be ${partialUpload}.`, {
    target: 'Content-Type',
  });
}

/** Drafts up to interop version 6: a request without bytes "MUST NOT include" these, and "the server MUST reject" it. Later ones
 *  say nothing, but a client that sends them has mistaken the request for an append. */
export function checkNoState(request: IncomingMessage): void {
  for (const name of ['Upload-Offset', 'Upload-Complete', 'Upload-Incomplete', 'Upload-Length']) {
    if (parameters.readHeader(request, name.toLowerCase()) !== null) throw invalidHeader(name, 'goes with bytes only');
  }
}

/** The headers of an answer to OPTIONS. */
export function describeResumable(context: EnvironmentContext, request: IncomingMessage): Record<string, string> {
  return { 'Accept-Patch': partialUpload, ...toCommonHeaders(context, readVersion(request)) };
}

/** The headers of every answer. */
export function toCommonHeaders(context: EnvironmentContext, version: number | null): Record<string, string> {
  return {
    ...(version !== null && { 'Upload-Draft-Interop-Version': String(version) }),
    'Upload-Limit': toLimit(context, version, context.cabinet.limits.uploadMs),
  };
}

export function toLimit({ cabinet }: EnvironmentContext, version: number | null, lifeMs: number): string {
  const age = version !== null && version <= 6 ? 'expires' : 'max-age';
  return `max-size=${cabinet.limits.fileBytes}, ${age}=${Math.max(0, Math.floor(lifeMs / 1000))}`;
}

export function toState(version: number | null, { sizeBytes, result }: Upload): Record<string, string> {
  return { 'Upload-Offset': String(sizeBytes), ...toComplete(version, result !== null) };
}

export function toComplete(version: number | null, isComplete: boolean): Record<string, string> {
  if (version === oldestVersion) return { 'Upload-Incomplete': isComplete ? '?0' : '?1' };
  return { 'Upload-Complete': isComplete ? '?1' : '?0' };
}
