// Where the body of a PUT goes: to a name in a folder, or to a file that was shared by itself, whose folder the caller does not see.

import type { SpaceAccess } from '../domain/caller.ts';
import type { Precondition } from '../domain/precondition.ts';
import type { ReceivedContent } from '../operations/receive-content.ts';
import { admitSave, admitVersion, saveFile, saveVersion } from '../operations/save-file.ts';
import type { DavRequest, EntryResource, FreeResource, Resource } from './resource.ts';
import { notFound, requireParent } from './resource.ts';

export interface PutTarget {
  resource: EntryResource | FreeResource;
  /** The file, or the folder of a new one: where a lock would stand in the way. */
  lockId: string;
  place: { folderId: string; name: string } | { fileId: string };
}

/** A file that exists keeps its name, also where the request spells it in another Unicode form. */
export function toPutTarget(resource: Resource): PutTarget {
  if (resource.kind === 'root') throw notFound();
  if (resource.kind !== 'entry') {
    const { resource: free, parent } = requireParent(resource);
    const folderId = parent.entry.id;
    return { resource: free, lockId: folderId, place: { folderId, name: free.name } };
  }
  const { id, name } = resource.details.entry;
  const { parent } = resource;
  return { resource, lockId: id, place: parent === null ? { fileId: id } : { folderId: parent.entry.id, name } };
}

interface PutRequest {
  expectedBytes: number | null;
  /** The body arrived with its headers, so an early refusal would save nothing. */
  isHere: boolean;
  contentType: string | null;
  precondition: Precondition | null;
}

export interface AdmittedPut {
  access: SpaceAccess;
  /** Takes ownership of the received bytes. */
  save(caller: EntryResource['caller'], received: ReceivedContent): Promise<unknown>;
}

/** Refuses what cannot succeed, before the body is read. */
export async function admitPut(
  { context: { cabinet } }: DavRequest,
  { resource: { caller }, place }: PutTarget,
  { expectedBytes, isHere, contentType, precondition }: PutRequest,
): Promise<AdmittedPut> {
  const request = { contentType, precondition, comment: null };
  if ('fileId' in place) {
    const { fileId } = place;
    const destination = await admitVersion(cabinet, caller, { fileId, declaredBytes: expectedBytes, precondition });
    const save: AdmittedPut['save'] = (current, received) =>
      saveVersion(cabinet, current, { ...request, destination, received });
    return { access: destination.access, save };
  }
  const { folderId, name: fileName } = place;
  const named = { fileName, idempotencyKey: null, conflict: 'Version' } as const;
  const wanted = { ...named, folderId, declaredBytes: expectedBytes, skipFolderCheck: isHere, precondition };
  const destination = await admitSave(cabinet, caller, wanted);
  const save: AdmittedPut['save'] = (current, received) =>
    saveFile(cabinet, current, { ...request, ...named, destination, received, objectType: null, properties: null });
  return { access: destination.access, save };
}
