// PROPFIND. The members of a collection are read and sent in pages, so that memory does not grow with their number.

import type { ListedCursor, ListedEntry } from '../catalog/verbs/list-with-contents.ts';
import { toContentEtag } from '../domain/precondition.ts';
import type { Answer } from '../listener/answer.ts';
import { findWithContent, listWithContents } from '../operations/list-with-contents.ts';
import { checkIf } from './conditions.ts';
import { DavRefusal } from './dav-refusal.ts';
import { readDepth } from './headers.ts';
import type { Described } from './live-properties.ts';
import { toHref } from './path.ts';
import { type PropertyRequest, readPropfind, renderProperties } from './property-request.ts';
import {
  type DavRequest,
  type EntryResource,
  hrefOf,
  isCollection,
  notFound,
  type Resource,
  toCallerIn,
} from './resource.ts';
import { readXml } from './xml-reader.ts';
import { escapeXml, xmlHead, xmlType } from './xml-text.ts';

const pageSize = 500;
const opening = `${xmlHead}<D:multistatus xmlns:D="DAV:">`;
const closing = '</D:multistatus>';

export async function propfind(dav: DavRequest, resource: Resource): Promise<Answer> {
  if (resource.kind === 'free' || resource.kind === 'no space') throw notFound();
  const depth = readDepth(dav, 'infinity');
  await checkIf(dav, resource);
  const request = readPropfind(await readXml(dav.exchange.openBody()));
  if (depth === 'infinity' && isCollection(resource)) {
    throw new DavRefusal(403, 'Depth: infinity is not supported here. Send 0 or 1.', '<D:propfind-finite-depth/>');
  }
  const isDeep = depth === 1 && isCollection(resource);
  const body =
    resource.kind === 'root' ? listSpaces(dav, request, isDeep) : listEntries(dav, request, { resource, isDeep });
  return { status: 207, headers: { 'Content-Type': xmlType }, body };
}

async function* listSpaces(dav: DavRequest, request: PropertyRequest, isDeep: boolean): AsyncGenerator<Buffer> {
  const { basePath } = dav.context;
  const root = { href: toHref(basePath, [], true), name: 'dav', isCollection: true, createdAt: 0, modifiedAt: 0 };
  const text = renderResponse(request, { ...root, sizeBytes: 0, contentType: '', etag: null, room: null });
  yield Buffer.from(opening + text);
  for (const access of isDeep ? dav.caller.spaces : []) {
    const caller = toCallerIn(dav.caller, access);
    const member = await findWithContent(dav.context.cabinet, caller, { id: access.rootId });
    const href = toHref(basePath, [access.spaceName], true);
    const room = request.needsRoom ? await dav.context.cabinet.quotas.findRoom(access, caller.actor) : null;
    yield Buffer.from(renderResponse(request, { ...describe(member, href, room), name: access.spaceName }));
  }
  yield Buffer.from(closing);
}

async function* listEntries(
  dav: DavRequest,
  request: PropertyRequest,
  { resource, isDeep }: { resource: EntryResource; isDeep: boolean },
): AsyncGenerator<Buffer> {
  const { cabinet } = dav.context;
  const { caller, access, details } = resource;
  const { id } = details.entry;
  const room = request.needsRoom ? await cabinet.quotas.findRoom(access, caller.actor) : null;
  const href = hrefOf(dav.context, resource);
  const own = await findWithContent(cabinet, caller, { id });
  const described = describe(own, href, room);
  // The root folder keeps its first name; people know the space by its own.
  if (resource.parent === null) described.name = access.spaceName;
  yield Buffer.from(opening + renderResponse(request, described));
  let after: ListedCursor | null = null;
  for (let hasMore = isDeep; hasMore; hasMore = after !== null) {
    const page = await listWithContents(cabinet, caller, { folder: id, after, limit: pageSize });
    let text = '';
    for (const member of page.members)
      text += renderResponse(request, describe(member, toMemberHref(href, member), room));
    yield Buffer.from(text);
    after = page.next;
  }
  yield Buffer.from(closing);
}

function toMemberHref(folder: string, { entry }: ListedEntry): string {
  return `${folder}${encodeURIComponent(entry.name)}${entry.kind === 'folder' ? '/' : ''}`;
}

function describe({ entry, content }: ListedEntry, href: string, room: Described['room']): Described {
  return {
    href,
    isCollection: entry.kind === 'folder',
    name: entry.name,
    createdAt: entry.createdAt,
    modifiedAt: content?.savedAt ?? entry.modifiedAt,
    sizeBytes: entry.sizeBytes,
    contentType: entry.contentType,
    etag: content === null ? null : toContentEtag(content.sha256),
    room,
  };
}

function renderResponse(request: PropertyRequest, resource: Described): string {
  return `<D:response><D:href>${escapeXml(resource.href)}</D:href>${renderProperties(request, resource)}</D:response>\n`;
}
