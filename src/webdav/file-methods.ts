// GET, HEAD and PUT. A PUT goes through the same operations as a save: its answer means durable.

import { readMediaType } from '../domain/content-type.ts';
import { toContentEtag } from '../domain/precondition.ts';
import type { Answer } from '../listener/answer.ts';
import { checkUnlocked } from '../operations/locks.ts';
import { openFile } from '../operations/open-file.ts';
import { discardContent, receiveContent } from '../operations/receive-content.ts';
import { admitSave, saveFile } from '../operations/save-file.ts';
import { answerDownload } from '../rest/downloads/download.ts';
import * as parameters from '../rest/parameters.ts';
import { checkReprDigest } from '../rest/routes/files.ts';
import { checkConditions, checkIf, toContentPrecondition } from './conditions.ts';
import { DavRefusal } from './dav-refusal.ts';
import { checkLength, checkWholePut, readExpectedBytes } from './headers.ts';
import { isLitter } from './litter.ts';
import {
  type DavRequest,
  type EntryResource,
  type FreeResource,
  isCollection,
  notFound,
  type Resource,
  renewCallerIn,
  requireParent,
} from './resource.ts';

export async function readFile(dav: DavRequest, resource: Resource): Promise<Answer> {
  if (isCollection(resource)) {
    throw new DavRefusal(405, 'A collection has no content. List it with PROPFIND.', null, {
      Allow: 'OPTIONS, PROPFIND',
    });
  }
  if (resource.kind !== 'entry') throw notFound();
  const { request } = dav.exchange;
  await checkIf(dav, resource);
  const file = await openFile(dav.context.cabinet, resource.caller, {
    fileId: resource.details.entry.id,
    version: null,
  });
  return answerDownload(request, file);
}

export async function putFile(dav: DavRequest, resource: Resource): Promise<Answer> {
  const { request } = dav.exchange;
  parameters.checkEncoding(request);
  checkWholePut(dav);
  if (isCollection(resource)) throw new DavRefusal(405, 'There is a collection here, which PUT cannot replace.');
  const expectedBytes = readExpectedBytes(dav) ?? parameters.readDeclaredBytes(request);
  if (isLitter(dav, resource.names)) return await forgetBody(dav);
  const isConditional = await checkConditions(dav, resource);
  const target = toTarget(resource);
  const isHere = request.readableLength === expectedBytes;
  if (!isHere) await checkUnlocked(dav.context.cabinet, target.caller, { id: target.lockId });
  const { cabinet } = dav.context;
  const precondition = toContentPrecondition(resource, isConditional);
  const digests = { sha256: parameters.readSha256(request, 'content-digest'), md5: parameters.readMd5(request) };
  const reprDigest = parameters.readSha256(request, 'repr-digest');
  const destination = await admitSave(cabinet, target.caller, {
    folderId: target.folderId,
    fileName: target.name,
    declaredBytes: expectedBytes,
    // A body that arrived with its headers is in memory already, so an early refusal would save nothing.
    skipFolderCheck: isHere,
    idempotencyKey: null,
    conflict: 'Version',
    precondition,
  });
  const inFlight = cabinet.quotas.receiving(destination.access, target.caller.actor);
  const received = await receiveContent(cabinet, dav.exchange.openBody(digests), inFlight);
  let isHandedOver = false;
  try {
    checkLength(readExpectedBytes(dav), received.content.sizeBytes);
    checkReprDigest(reprDigest, received);
    const caller = await renewCallerIn(dav, target.resource);
    isHandedOver = true;
    await saveFile(cabinet, caller, {
      destination,
      fileName: target.name,
      contentType: readContentType(dav),
      objectType: null,
      properties: null,
      comment: null,
      conflict: 'Version',
      precondition,
      idempotencyKey: null,
      received,
    });
    const headers = { ETag: toContentEtag(received.content.sha256) };
    return { status: resource.kind === 'entry' ? 204 : 201, headers, body: '' };
  } finally {
    if (!isHandedOver) await discardContent(cabinet, received.content);
  }
}

interface PutTarget {
  resource: EntryResource | FreeResource;
  caller: EntryResource['caller'];
  folderId: string;
  name: string;
  /** The file, or the folder of a new one: where a lock would stand in the way. */
  lockId: string;
}

/** A file that exists keeps its name, also where the request spells it in another Unicode form. */
function toTarget(resource: Resource): PutTarget {
  if (resource.kind === 'root') throw notFound();
  if (resource.kind === 'entry') {
    const { caller, details, parent } = resource;
    if (parent === null) throw notFound();
    return { resource, caller, folderId: parent.entry.id, name: details.entry.name, lockId: details.entry.id };
  }
  const { resource: free, parent } = requireParent(resource);
  return { resource: free, caller: free.caller, folderId: parent.entry.id, name: free.name, lockId: parent.entry.id };
}

/** What cannot be read counts as absent; the type is then detected. */
function readContentType({ exchange }: DavRequest): string | null {
  const header = exchange.request.headers['content-type'];
  return header === undefined || readMediaType(header) === null ? null : header.trim();
}

async function forgetBody({ exchange }: DavRequest): Promise<Answer> {
  for await (const _ of exchange.openBody());
  return { status: 201, headers: {}, body: '' };
}
