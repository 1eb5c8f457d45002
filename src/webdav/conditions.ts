// Preconditions of a WebDAV request: `If`, and those of HTTP. They are evaluated on what was found; the write that follows is then
// bound to exactly that state, so that nothing can change in between.

import { checkPrecondition, type Precondition, type ResourceState } from '../domain/precondition.ts';
import { Refusal } from '../domain/refusal.ts';
import { findWithContent } from '../operations/list-with-contents.ts';
import { findLocks } from '../operations/locks.ts';
import { readPrecondition } from '../rest/preconditions.ts';
import { type ConditionState, isFulfilled, parseIf } from './if-header.ts';
import { isDavPath, toOwnPath } from './path.ts';
import { type DavRequest, etagOf, findResource, type Resource } from './resource.ts';

/** Refuses with 412 unless everything is fulfilled. Returns whether there was a condition at all. */
export async function checkConditions(dav: DavRequest, resource: Resource): Promise<boolean> {
  const precondition = readPrecondition(dav.exchange.request);
  if (precondition !== null) checkPrecondition(precondition, await toHttpState(dav, resource));
  return (await checkIf(dav, resource)) || precondition !== null;
}

/** Only `If`: a download has its own way with the preconditions of HTTP. Returns whether the header was sent. */
export async function checkIf(dav: DavRequest, resource: Resource): Promise<boolean> {
  const header = dav.exchange.request.headers.if;
  if (typeof header !== 'string') return false;
  for (const list of parseIf(header)) {
    if (isFulfilled(list, await findState(dav, resource, list.resource))) return true;
  }
  throw new Refusal('PreconditionFailed', 'The condition in the header If is not met.', { target: 'If' });
}

/** A file is as old as its content, which is the date that clients were sent: a rename does not change it. */
async function toHttpState({ context }: DavRequest, resource: Resource): Promise<ResourceState | null> {
  if (resource.kind === 'root') return { etag: '', modifiedAt: 0 };
  if (resource.kind !== 'entry') return null;
  const { details, caller } = resource;
  const { id, modifiedAt } = details.entry;
  const etag = etagOf(details);
  if (etag === null) return { etag: '', modifiedAt };
  const { content } = await findWithContent(context.cabinet, caller, { id });
  return { etag, modifiedAt: content?.savedAt ?? modifiedAt };
}

const nothing: ConditionState = { etag: null, tokens: [] };

async function findState(dav: DavRequest, own: Resource, address: string | null): Promise<ConditionState> {
  if (address === null) return await toState(dav, own);
  const { publicUrl, basePath } = dav.context;
  const path = toOwnPath(address, { publicUrl, basePath, host: dav.exchange.request.headers.host });
  if (path === null || !isDavPath(path)) return nothing;
  return await toState(dav, await findResource(dav, path));
}

/** What does not exist yet is covered by locks from above. */
async function toState({ context }: DavRequest, resource: Resource): Promise<ConditionState> {
  if (resource.kind === 'root' || resource.kind === 'no space') return nothing;
  const isFree = resource.kind === 'free';
  const on = isFree ? resource.parent : resource.details;
  if (on === null) return nothing;
  const locks = await findLocks(context.cabinet, resource.caller, { id: on.entry.id });
  const tokens = locks.filter(({ isDeep }) => isDeep || !isFree).map(({ token }) => token);
  return { etag: isFree ? null : etagOf(on), tokens };
}

/** Binds the change of an entry to the state in which it was found. */
export function toEntryPrecondition(resource: Resource, isConditional: boolean): Precondition | null {
  if (!isConditional || resource.kind !== 'entry') return null;
  return { match: [resource.details.etag], noneMatch: null, unmodifiedSince: null };
}

/** Binds a save to the content that was found, or to its absence. */
export function toContentPrecondition(resource: Resource, isConditional: boolean): Precondition | null {
  if (!isConditional) return null;
  const etag = resource.kind === 'entry' ? etagOf(resource.details) : null;
  if (etag === null) return { match: null, noneMatch: '*', unmodifiedSince: null };
  return { match: [etag], noneMatch: null, unmodifiedSince: null };
}
