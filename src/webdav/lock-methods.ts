// LOCK and UNLOCK.

import type { Lock } from '../catalog/verbs/locks.ts';
import type { Answer } from '../listener/answer.ts';
import {
  type LockRequest,
  lockEntry,
  lockNewName,
  maxLockSeconds,
  refreshLocks,
  releaseLock,
} from '../operations/locks.ts';
import { checkConditions } from './conditions.ts';
import { DavRefusal } from './dav-refusal.ts';
import { readDepth } from './headers.ts';
import { isLitter } from './litter.ts';
import { renderLocks } from './lock-discovery.ts';
import {
  type DavRequest,
  type EntryResource,
  type FreeResource,
  notFound,
  type Resource,
  requireParent,
} from './resource.ts';
import { elementsOf, findDav, invalidXml, isDav, readXml, textOf, type XmlElement } from './xml-reader.ts';
import { xmlHead, xmlType } from './xml-text.ts';
import { renderElement } from './xml-writer.ts';

const maxOwnerLength = 4096;

export async function lock(dav: DavRequest, resource: Resource): Promise<Answer> {
  if (resource.kind === 'root') throw new DavRefusal(403, 'The list of your spaces cannot be locked.');
  const depth = readDepth(dav, 'infinity');
  if (depth === 1) throw new DavRefusal(400, 'For LOCK, Depth must be 0 or infinity.');
  const seconds = readTimeout(dav);
  await checkConditions(dav, resource);
  const body = await readXml(dav.exchange.openBody());
  if (body === null) return await refresh(dav, resource, seconds);
  const request = { ...readLockInfo(body), isDeep: depth === 'infinity', seconds };
  if (isLitter(dav, resource.names)) return answerLitter(request);
  return resource.kind === 'entry' ? await lockFound(dav, resource, request) : await lockNew(dav, resource, request);
}

async function lockFound(dav: DavRequest, resource: EntryResource, request: LockRequest): Promise<Answer> {
  const { id } = resource.details.entry;
  const taken = await lockEntry(dav.context.cabinet, resource.caller, { id, ...request });
  return toAnswer(dav, resource, { locks: [taken], status: 200, token: taken.token });
}

async function lockNew(
  dav: DavRequest,
  wanted: Exclude<Resource, EntryResource | { kind: 'root' }>,
  request: LockRequest,
) {
  const { resource, parent } = requireParent(wanted);
  const place = { folderId: parent.entry.id, name: resource.name };
  const taken = await lockNewName(dav.context.cabinet, resource.caller, { ...place, ...request });
  return toAnswer(dav, resource, { locks: [taken], status: 201, token: taken.token });
}

async function refresh(dav: DavRequest, resource: Resource, seconds: number): Promise<Answer> {
  if (resource.kind !== 'entry') throw notFound();
  const { id } = resource.details.entry;
  const locks = await refreshLocks(dav.context.cabinet, resource.caller, { id, seconds });
  if (locks.length > 0) return toAnswer(dav, resource, { locks, status: 200, token: null });
  throw new DavRefusal(
    412,
    'LOCK without a body refreshes a lock: send its token, If: (<token>).',
    '<D:lock-token-matches-request-uri/>',
  );
}

function toAnswer(
  { context }: DavRequest,
  { access }: EntryResource | FreeResource,
  { locks, status, token }: { locks: readonly Lock[]; status: number; token: string | null },
): Answer {
  const discovery = renderLocks(locks, { context, spaceName: access.spaceName });
  return {
    status,
    headers: { 'Content-Type': xmlType, ...(token !== null && { 'Lock-Token': `<${token}>` }) },
    body: `${xmlHead}<D:prop xmlns:D="DAV:"><D:lockdiscovery>${discovery}</D:lockdiscovery></D:prop>`,
  };
}

function readLockInfo(body: XmlElement): Pick<LockRequest, 'isExclusive' | 'owner' | 'ownerText'> {
  const scope = isDav(body, 'lockinfo') ? findDav(body, 'lockscope') : undefined;
  const type = findDav(body, 'locktype');
  const kind = scope === undefined ? undefined : elementsOf(scope)[0];
  const isExclusive = isDav(kind, 'exclusive');
  if (type === undefined || findDav(type, 'write') === undefined || !(isExclusive || isDav(kind, 'shared'))) {
    throw invalidXml('DAV:lockinfo needs a lockscope of exclusive or shared, and the locktype write');
  }
  const owner = findDav(body, 'owner');
  if (owner === undefined) return { isExclusive, owner: null, ownerText: null };
  const xml = renderElement(owner);
  if (xml.length > maxOwnerLength) throw new DavRefusal(413, `DAV:owner has more than ${maxOwnerLength} characters.`);
  return { isExclusive, owner: xml, ownerText: textOf(owner).trim().slice(0, 200) };
}

/** The first time that can be read; what is longer than an hour is cut. */
function readTimeout({ exchange }: DavRequest): number {
  const header = String(exchange.request.headers.timeout ?? '');
  for (const part of header.split(',')) {
    const [, seconds] = /^\s*second-(\d{1,10})\s*$/i.exec(part) ?? [];
    if (seconds !== undefined) return Number(seconds);
  }
  return maxLockSeconds;
}

/** A lock that is forgotten at once. */
function answerLitter({ isExclusive }: LockRequest): Answer {
  const token = 'opaquelocktoken:00000000-0000-4000-8000-000000000000';
  const scope = isExclusive ? 'exclusive' : 'shared';
  const active = `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${scope}/></D:lockscope><D:depth>0</D:depth><D:timeout>Second-${maxLockSeconds}</D:timeout><D:locktoken><D:href>${token}</D:href></D:locktoken></D:activelock>`;
  const body = `${xmlHead}<D:prop xmlns:D="DAV:"><D:lockdiscovery>${active}</D:lockdiscovery></D:prop>`;
  return { status: 201, headers: { 'Content-Type': xmlType, 'Lock-Token': `<${token}>` }, body };
}

export async function unlock(dav: DavRequest, resource: Resource): Promise<Answer> {
  const header = dav.exchange.request.headers['lock-token'];
  // Windows leaves out the brackets.
  const [, token] = /^\s*<?([^<>\s]+)>?\s*$/.exec(String(header ?? '')) ?? [];
  if (token === undefined) throw new DavRefusal(400, 'The header Lock-Token is missing, or is not <token>.');
  if (resource.kind !== 'root' && isLitter(dav, resource.names)) return { status: 204, headers: {}, body: '' };
  if (resource.kind !== 'entry') throw notFound();
  await checkConditions(dav, resource);
  const { id } = resource.details.entry;
  if (!(await releaseLock(dav.context.cabinet, resource.caller, { id, token }))) {
    throw new DavRefusal(409, 'There is no such lock here.', '<D:lock-token-matches-request-uri/>');
  }
  return { status: 204, headers: {}, body: '' };
}
