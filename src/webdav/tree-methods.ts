// MKCOL, DELETE, COPY and MOVE.

import type { EntryDetails } from '../catalog/verbs/tree.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Answer } from '../listener/answer.ts';
import { createFolder } from '../operations/create-folder.ts';
import { areNested, transferEntry } from '../operations/transfer-entry.ts';
import { deleteEntry } from '../operations/trash.ts';
import { checkConditions, toEntryPrecondition } from './conditions.ts';
import { DavRefusal } from './dav-refusal.ts';
import { readDepth, readDestination, readOverwrite } from './headers.ts';
import {
  type DavRequest,
  type EntryResource,
  type FreeResource,
  findResource,
  isCollection,
  notAllowed,
  type Resource,
  requireEntry,
  requireParent,
} from './resource.ts';

export async function makeCollection(dav: DavRequest, resource: Resource): Promise<Answer> {
  await checkConditions(dav, resource);
  if (resource.kind === 'entry' || resource.kind === 'root') {
    throw notAllowed(resource, 'There is something at this address already.');
  }
  const { resource: free, parent } = requireParent(resource);
  await createFolder(dav.context.cabinet, free.caller, {
    parentFolderId: parent.entry.id,
    folderName: free.name,
    objectType: null,
    properties: null,
    conflict: 'Fail',
    idempotencyKey: null,
  });
  return { status: 201, headers: {}, body: '' };
}

/** To the trash. */
export async function deleteResource(dav: DavRequest, resource: Resource): Promise<Answer> {
  const entry = requireEntry(resource);
  checkNotRoot(entry);
  if (isCollection(entry)) requireInfinity(dav);
  const isConditional = await checkConditions(dav, entry);
  await deleteEntry(dav.context.cabinet, entry.caller, {
    id: entry.details.entry.id,
    isPermanent: false,
    precondition: toEntryPrecondition(entry, isConditional),
  });
  return { status: 204, headers: {}, body: '' };
}

function checkNotRoot({ parent }: EntryResource): void {
  if (parent === null) {
    throw new DavRefusal(
      403,
      'A space, or what was shared with you, cannot be moved, replaced or deleted over WebDAV.',
    );
  }
}

/** RFC 4918, sections 9.6.1 and 9.9.2 */
function requireInfinity(dav: DavRequest): void {
  if (readDepth(dav, 'infinity') !== 'infinity') throw new DavRefusal(400, 'For a collection, Depth must be infinity.');
}

export async function transfer(dav: DavRequest, resource: Resource, isMove: boolean): Promise<Answer> {
  const source = requireEntry(resource);
  const path = readDestination(dav);
  const isOverwriting = readOverwrite(dav);
  if (isMove) checkNotRoot(source);
  const isShallow = isCollection(source) && readCopyDepth(dav, isMove) === 0;
  const destination = await findResource(dav, path);
  const isConditional = await checkConditions(dav, source);
  const target = toTarget(source, destination);
  const replaced = destination.kind === 'entry' && !isSameEntry(source, destination) ? destination.details : null;
  if (replaced !== null && !isOverwriting) {
    throw new Refusal('PreconditionFailed', 'There is something at the Destination, and Overwrite is F.');
  }
  if (replaced !== null) await checkNested(dav, source, replaced);
  await transferEntry(dav.context.cabinet, source.caller, {
    isMove,
    source: source.details,
    parentFolderId: target.folderId,
    name: target.name,
    replaced,
    isShallow,
    precondition: toEntryPrecondition(source, isConditional),
  });
  return { status: replaced === null ? 201 : 204, headers: {}, body: '' };
}

function readCopyDepth(dav: DavRequest, isMove: boolean): 0 | 'infinity' {
  if (isMove) requireInfinity(dav);
  const depth = readDepth(dav, 'infinity');
  if (depth === 1) throw new DavRefusal(400, 'For COPY, Depth must be 0 or infinity.');
  return depth;
}

function isSameEntry(source: EntryResource, destination: EntryResource): boolean {
  return source.details.entry.id === destination.details.entry.id;
}

function toTarget(source: EntryResource, destination: Resource): { folderId: string; name: string } {
  if (destination.kind === 'root') throw new DavRefusal(403, 'The list of your spaces cannot be replaced.');
  // A space that the caller does not see is another space, too: the answer says nothing of it.
  if (destination.kind === 'no space') throw anotherSpace();
  if (destination.kind !== 'entry') {
    const { resource, parent } = requireParent(destination);
    checkSpace(source, resource);
    return { folderId: parent.entry.id, name: resource.name };
  }
  checkSpace(source, destination);
  // A file that was shared by itself can get a new version, too.
  if (isCollection(source) || isCollection(destination)) checkNotRoot(destination);
  const name = destination.names.at(-1) ?? '';
  // The same name in another Unicode form is a rename.
  if (isSameEntry(source, destination) && name === source.details.entry.name) {
    throw new DavRefusal(403, 'The source and the Destination are the same.');
  }
  return { folderId: destination.parent?.entry.id ?? '', name };
}

function checkSpace(source: EntryResource, { access }: EntryResource | FreeResource): void {
  if (access.space !== source.access.space) throw anotherSpace();
}

function anotherSpace(): DavRefusal {
  return new DavRefusal(403, 'The Destination is in another space. Copies and moves stay in one space.');
}

/** What is replaced must not contain the source, nor the other way round. Paths do not say it: what is shared can have equal ones. */
async function checkNested(dav: DavRequest, { access, details }: EntryResource, replaced: EntryDetails): Promise<void> {
  if (!(await areNested(dav.context.cabinet, access.space, [details.entry, replaced.entry]))) return;
  throw new DavRefusal(403, 'One of the source and the Destination contains the other.');
}
