// GET, HEAD and PUT. A PUT goes through the same operations as a save: its answer means durable.

import { readMediaType } from '../domain/content-type.ts';
import { toContentEtag } from '../domain/precondition.ts';
import type { Answer } from '../listener/answer.ts';
import { checkUnlocked } from '../operations/locks.ts';
import { openFile } from '../operations/open-file.ts';
import { discardContent, receiveContent } from '../operations/receive-content.ts';
import { answerDownload } from '../rest/downloads/download.ts';
import * as parameters from '../rest/parameters.ts';
import { checkReprDigest } from '../rest/routes/files.ts';
import { checkConditions, checkIf, toContentPrecondition } from './conditions.ts';
import { checkLength, checkWholePut, readExpectedBytes } from './headers.ts';
import { isLitter } from './litter.ts';
import { admitPut, toPutTarget } from './put-target.ts';
import { type DavRequest, isCollection, notAllowed, notFound, type Resource, renewCallerIn } from './resource.ts';

export async function readFile(dav: DavRequest, resource: Resource): Promise<Answer> {
  if (isCollection(resource)) throw notAllowed(resource, 'A collection has no content. List it with PROPFIND.');
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
  if (isCollection(resource)) throw notAllowed(resource, 'There is a collection here, which PUT cannot replace.');
  const announcedBytes = readExpectedBytes(dav);
  const expectedBytes = announcedBytes ?? parameters.readDeclaredBytes(request);
  if (isLitter(dav, resource.names)) return await forgetBody(dav);
  const isConditional = await checkConditions(dav, resource);
  const target = toPutTarget(resource);
  const { caller } = target.resource;
  const { cabinet } = dav.context;
  const isHere = request.readableLength === expectedBytes;
  if (!isHere) await checkUnlocked(cabinet, caller, { id: target.lockId });
  const precondition = toContentPrecondition(resource, isConditional);
  const digests = { sha256: parameters.readSha256(request, 'content-digest'), md5: parameters.readMd5(request) };
  const reprDigest = parameters.readSha256(request, 'repr-digest');
  const contentType = readContentType(dav);
  const admitted = await admitPut(dav, target, { expectedBytes, isHere, contentType, precondition });
  const inFlight = cabinet.quotas.receiving(admitted.access, caller.actor);
  const received = await receiveContent(cabinet, dav.exchange.openBody(digests), inFlight);
  let isHandedOver = false;
  try {
    checkLength(announcedBytes, received.content.sizeBytes);
    checkReprDigest(reprDigest, received);
    const current = await renewCallerIn(dav, target.resource);
    isHandedOver = true;
    await admitted.save(current, received);
    const headers = { ETag: toContentEtag(received.content.sha256) };
    return { status: resource.kind === 'entry' ? 204 : 201, headers, body: '' };
  } finally {
    if (!isHandedOver) await discardContent(cabinet, received.content);
  }
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
