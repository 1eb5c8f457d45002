// What a WebDAV path names: the collection of all spaces, an entry of a space, or nothing yet.

import type { EntryDetails } from '../catalog/verbs/tree.ts';
import { type Caller, guestSpaces, type SpaceAccess, toGuestAccess } from '../domain/caller.ts';
import { toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import { toContentEtag } from '../domain/precondition.ts';
import type { Exchange } from '../listener/face.ts';
import { findPath } from '../operations/find-path.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';
import { DavRefusal } from './dav-refusal.ts';
import { toHref, toNames } from './path.ts';

/** A request whose sender is known. */
export interface DavRequest {
  context: EnvironmentContext;
  exchange: Exchange;
  caller: Caller;
  /** The caller as of now: rights may have been revoked while a long body was read. */
  renewCaller(): Promise<Caller>;
}

/** `/dav/`, which has the caller's spaces; or a space in which the caller has no role, which has what is shared of it. */
export interface RootResource {
  kind: 'root';
  names: readonly string[];
  /** Null for `/dav/`. */
  access: SpaceAccess | null;
}

interface Located {
  access: SpaceAccess;
  /** The caller in this space alone. */
  caller: Caller;
  /** From the request, the space first. */
  names: readonly string[];
  /** The folder that has, or would have, the entry. Null for the root of a space, and where the folder does not exist. */
  parent: EntryDetails | null;
}

export interface EntryResource extends Located {
  kind: 'entry';
  details: EntryDetails;
}

export interface FreeResource extends Located {
  kind: 'free';
  /** The last name. */
  name: string;
}

/** A space that does not exist, or not for this caller, and everything in it. */
export interface NoSpace {
  kind: 'no space';
  names: readonly string[];
}

export type Resource = RootResource | EntryResource | FreeResource | NoSpace;

export async function findResource(dav: Pick<DavRequest, 'context' | 'caller'>, path: string): Promise<Resource> {
  const names = toNames(path);
  const [spaceName, ...inside] = names;
  authorize(dav.caller, 'read');
  if (spaceName === undefined) return { kind: 'root', names, access: null };
  const key = toNameKey(spaceName);
  const access = listDavSpaces(dav.caller).find((one) => toNameKey(one.spaceName) === key);
  if (access === undefined) return { kind: 'no space', names };
  if (access.view !== undefined && inside.length === 0) return { kind: 'root', names, access };
  const caller = toCallerIn(dav.caller, access);
  const { found, parent } = await findPath(dav.context.cabinet, caller, { access, names: inside });
  if (found !== null) return { kind: 'entry', access, caller, names, parent, details: found };
  return { kind: 'free', access, caller, names, parent, name: inside.at(-1) ?? '' };
}

/** Operations with this caller look in one space only. */
export function toCallerIn(caller: Caller, access: SpaceAccess): Caller {
  const { spaceId } = access;
  const grants = (caller.grants ?? []).filter(({ space }) => space === access.space);
  return { ...caller, spaces: access.view === undefined ? [access] : [], grants, spaceId };
}

/** Those with a role first, so that a space of which something is shared never takes their names. */
export function listDavSpaces(caller: Caller): SpaceAccess[] {
  return [...caller.spaces, ...guestSpaces(caller).map(toGuestAccess)];
}

/** The caller in the space, as of now. */
export async function renewCallerIn(dav: DavRequest, { access }: Located): Promise<Caller> {
  const caller = await dav.renewCaller();
  const now = listDavSpaces(caller).find(({ space }) => space === access.space);
  if (now === undefined) throw notFound();
  return toCallerIn(caller, now);
}

export function notFound(): DavRefusal {
  return new DavRefusal(404, 'There is nothing at this address.');
}

/** RFC 4918, sections 9.3.1, 9.7.1, 9.8.5 */
export function noParent(): DavRefusal {
  return new DavRefusal(409, 'The parent folder does not exist. Create it first with MKCOL.');
}

/** For methods that need something to be there. */
export function requireEntry(resource: Resource): EntryResource {
  if (resource.kind === 'entry') return resource;
  if (resource.kind === 'root')
    throw new DavRefusal(403, 'This is a list of spaces or of what is shared with you, which cannot be changed here.');
  throw notFound();
}

/** For methods that make something: the folder in which it will be. */
export function requireParent(resource: FreeResource | NoSpace): { resource: FreeResource; parent: EntryDetails } {
  if (resource.kind === 'no space') {
    throw resource.names.length === 1 ? new DavRefusal(403, 'Spaces cannot be created over WebDAV.') : noParent();
  }
  const isShared = resource.access.view !== undefined && resource.names.length === 2;
  if (isShared) throw new DavRefusal(403, 'Nothing can be added to the list of what is shared with you.');
  if (resource.parent === null || resource.parent.entry.kind !== 'folder') throw noParent();
  return { resource, parent: resource.parent };
}

export function isCollection(resource: Resource): boolean {
  return resource.kind === 'root' || (resource.kind === 'entry' && resource.details.entry.kind === 'folder');
}

const ofEveryEntry = 'OPTIONS, PROPFIND, PROPPATCH, DELETE, COPY, MOVE, LOCK, UNLOCK';

/** 405, with what the resource does allow. */
export function notAllowed(resource: Resource, message: string): DavRefusal {
  const ofEntry = isCollection(resource) ? ofEveryEntry : `${ofEveryEntry}, GET, HEAD, PUT`;
  return new DavRefusal(405, message, null, { Allow: resource.kind === 'root' ? 'OPTIONS, PROPFIND' : ofEntry });
}

export function hrefOf({ basePath }: EnvironmentContext, resource: Resource): string {
  return toHref(basePath, resource.names, isCollection(resource));
}

/** The strong ETag that `GET` sends; null for collections. */
export function etagOf({ sha256 }: EntryDetails): string | null {
  return sha256 === null ? null : toContentEtag(Buffer.from(sha256, 'hex'));
}
