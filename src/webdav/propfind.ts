// PROPFIND. The entries of a collection are read and sent in pages, so that memory does not grow with their number.

import { setImmediate as yieldOnce } from 'node:timers/promises';
import type { ListedCursor, ListedEntry } from '../catalog/verbs/list-with-contents.ts';
import type { Lock } from '../catalog/verbs/locks.ts';
import type { SpaceAccess } from '../domain/caller.ts';
import { toContentEtag } from '../domain/precondition.ts';
import type { Answer } from '../listener/answer.ts';
import { findWithContent, listWithContents } from '../operations/list-with-contents.ts';
import { findLocks } from '../operations/locks.ts';
import { listSharedTops } from '../operations/shared-tops.ts';
import { checkConditions } from './conditions.ts';
import { DavRefusal } from './dav-refusal.ts';
import { readDepth } from './headers.ts';
import type { Described } from './live-properties.ts';
import { renderLocks } from './lock-discovery.ts';
import { toHref } from './path.ts';
import { type PropertyRequest, readPropfind, renderProperties } from './property-request.ts';
import {
  type DavRequest,
  type EntryResource,
  hrefOf,
  isCollection,
  listDavSpaces,
  notFound,
  type Resource,
  type RootResource,
  toCallerIn,
} from './resource.ts';
import { readXml } from './xml-reader.ts';
import { escapeXml, xmlHead, xmlType } from './xml-text.ts';

const pageSize = 500;
/** Dead properties can have 64 KiB an entry. */
const pageSizeWithDead = 100;
/** What is rendered before it is sent. A client that has left is noticed in between, and others have their turn. */
const chunkLength = 64 * 1024;
const opening = `${xmlHead}<D:multistatus xmlns:D="DAV:">`;
const closing = '</D:multistatus>';

export async function propfind(dav: DavRequest, resource: Resource): Promise<Answer> {
  if (resource.kind === 'free' || resource.kind === 'no space') throw notFound();
  const depth = readDepth(dav, 'infinity');
  await checkConditions(dav, resource);
  const request = readPropfind(await readXml(dav.exchange.openBody()));
  if (depth === 'infinity') {
    throw new DavRefusal(403, 'Depth: infinity is not supported here. Send 0 or 1.', '<D:propfind-finite-depth/>');
  }
  const isDeep = depth === 1 && isCollection(resource);
  const body =
    resource.kind === 'root' ? listRoot(dav, request, resource, isDeep) : listEntries(dav, request, resource, isDeep);
  return { status: 207, headers: { 'Content-Type': xmlType }, body };
}

async function* listRoot(
  dav: DavRequest,
  request: PropertyRequest,
  { names, access }: RootResource,
  isDeep: boolean,
): AsyncGenerator<Buffer> {
  yield Buffer.from(opening + renderResponse(request, describeRoot(dav, names)));
  if (isDeep) yield* access === null ? listSpaces(dav, request) : listShared(dav, request, access);
  yield Buffer.from(closing);
}

/** What is not an entry: the list of spaces, or of what is shared of one. */
function describeRoot({ context }: DavRequest, names: readonly string[]): Described {
  const empty = { sizeBytes: 0, contentType: '', etag: null, properties: [], locks: null, room: null };
  const href = toHref(context.basePath, names, true);
  return { href, name: names.at(-1) ?? 'dav', isCollection: true, createdAt: 0, modifiedAt: 0, ...empty };
}

async function* listShared(dav: DavRequest, request: PropertyRequest, access: SpaceAccess): AsyncGenerator<Buffer> {
  const { cabinet, basePath } = dav.context;
  const caller = toCallerIn(dav.caller, access);
  for (const { details, name } of await listSharedTops(cabinet, access)) {
    const { id, kind } = details.entry;
    const view = await openView(dav, request, { access, caller, id });
    const href = toHref(basePath, [access.spaceName, name], kind === 'folder');
    yield Buffer.from(
      renderResponse(request, { ...view.describe(await findWithContent(cabinet, caller, { id }), href), name }),
    );
  }
}

async function* listSpaces(dav: DavRequest, request: PropertyRequest): AsyncGenerator<Buffer> {
  const { basePath } = dav.context;
  for (const access of listDavSpaces(dav.caller)) {
    if (access.view !== undefined) {
      yield Buffer.from(renderResponse(request, describeRoot(dav, [access.spaceName])));
      continue;
    }
    const view = await openView(dav, request, { access, caller: toCallerIn(dav.caller, access), id: access.rootId });
    const root = await findWithContent(dav.context.cabinet, view.caller, { id: access.rootId });
    const href = toHref(basePath, [access.spaceName], true);
    yield Buffer.from(renderResponse(request, { ...view.describe(root, href), name: access.spaceName }));
  }
}

async function* listEntries(
  dav: DavRequest,
  request: PropertyRequest,
  resource: EntryResource,
  isDeep: boolean,
): AsyncGenerator<Buffer> {
  const { cabinet } = dav.context;
  const { access, caller, details, parent } = resource;
  const { id } = details.entry;
  const view = await openView(dav, request, { access, caller, id });
  const href = hrefOf(dav.context, resource);
  const own = view.describe(await findWithContent(cabinet, caller, { id }), href);
  // The root folder keeps its first name; people know the space by its own.
  if (parent === null) own.name = resource.names.at(-1) ?? access.spaceName;
  yield Buffer.from(opening + renderResponse(request, own));
  if (isDeep && request.needsLocks) await view.readWithin(id);
  const limit = request.needsDead ? pageSizeWithDead : pageSize;
  let after: ListedCursor | null = null;
  for (let hasMore = isDeep; hasMore; hasMore = after !== null) {
    const page = await listWithContents(cabinet, caller, {
      folder: id,
      after,
      limit,
      hasProperties: request.needsDead,
    });
    let text = '';
    for (const member of page.members) {
      text += renderResponse(request, view.describe(member, toMemberHref(href, member)));
      if (text.length < chunkLength) continue;
      yield Buffer.from(text);
      text = '';
      await yieldOnce();
    }
    yield Buffer.from(text);
    after = page.next;
  }
  yield Buffer.from(closing);
}

function toMemberHref(folder: string, { entry }: ListedEntry): string {
  return `${folder}${encodeURIComponent(entry.name)}${entry.kind === 'folder' ? '/' : ''}`;
}

interface ViewOf {
  access: SpaceAccess;
  caller: EntryResource['caller'];
  /** The collection, or the file, that was requested. */
  id: string;
}

/** Reads what a request needs beside the entries themselves: quota and locks. */
async function openView(dav: DavRequest, request: PropertyRequest, { access, caller, id }: ViewOf) {
  const { cabinet } = dav.context;
  const room =
    request.needsRoom && access.view === undefined ? await cabinet.quotas.findRoom(access, caller.actor) : null;
  const covering = request.needsLocks ? await findLocks(cabinet, caller, { id }) : [];
  let within = new Map<string, Lock[]>();
  const locksOf = (entryId: string) =>
    entryId === id ? covering : [...covering.filter(({ isDeep }) => isDeep), ...(within.get(entryId) ?? [])];
  return {
    caller,
    async readWithin(folder: string) {
      within = Map.groupBy(await findLocks(cabinet, caller, { id: folder, isWithin: true }), ({ entryId }) => entryId);
    },
    describe({ entry, content, properties }: ListedEntry, href: string): Described {
      return {
        href,
        isCollection: entry.kind === 'folder',
        name: entry.name,
        createdAt: entry.createdAt,
        modifiedAt: content?.savedAt ?? entry.modifiedAt,
        sizeBytes: entry.sizeBytes,
        contentType: entry.contentType,
        etag: content === null ? null : toContentEtag(content.sha256),
        properties,
        locks: renderLocks(locksOf(entry.id), { context: dav.context, spaceName: access.spaceName }),
        room,
      };
    },
  };
}

function renderResponse(request: PropertyRequest, resource: Described): string {
  return `<D:response><D:href>${escapeXml(resource.href)}</D:href>${renderProperties(request, resource)}</D:response>\n`;
}
