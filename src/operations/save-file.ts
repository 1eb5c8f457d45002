// Saves a file into a folder. Two steps, because the bytes arrive in between: `admitSave` decides everything that can be
// decided before a byte is read; `saveFile` writes the record that makes the received bytes visible.

import { randomUUIDv7 } from 'node:crypto';
import type { SavedFile, StoredContent } from '../catalog/save-file.ts';
import { type Caller, type Seat, toFolderId } from '../domain/caller.ts';
import { toContentType } from '../domain/content-type.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { Fault } from '../domain/fault.ts';
import { folderNotFound, notAFolder } from '../domain/missing.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import { toSortedProperties } from '../domain/properties.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { enter } from './enter.ts';
import { toIdempotency } from './idempotency.ts';
import { discardContent, fileTooLarge, type ReceivedContent } from './receive-content.ts';

export interface SaveTarget {
  /** As sent; null or empty for the root. */
  folderId: string | null;
  /** The name, if it is known before the bytes come. */
  fileName: string | null;
  /** How many bytes are coming, where that was said. */
  declaredBytes: number | null;
  /** Nothing but the folder is left that could refuse the save: whoever writes it looks at the folder anyway. */
  isAllSaid: boolean;
}

/** Where a save goes. */
export interface Destination {
  seat: Seat;
  folder: string;
}

/** Refuses what cannot succeed. */
export async function admitSave(cabinet: Cabinet, caller: Caller, target: SaveTarget): Promise<Destination> {
  const { limits } = cabinet;
  const folder = toFolderId(caller, target.folderId);
  const missing = () => folderNotFound('FolderId');
  const seat = await enter(cabinet, caller, { action: 'write', id: folder, missing });
  if (target.fileName !== null) checkName(target.fileName, 'FileName', cabinet.names);
  if ((target.declaredBytes ?? 0) > limits.fileBytes) throw fileTooLarge(limits.fileBytes);
  if (cabinet.freeBytes() - (target.declaredBytes ?? 0) < limits.reserveBytes) throw storageFull();
  if (target.isAllSaid) return { seat, folder };
  const found = await cabinet.catalog.findEntry({ space: seat.space, id: folder });
  if (found === null) throw missing();
  if (found.kind !== 'folder') throw notAFolder('FolderId');
  return { seat, folder };
}

export function storageFull(): Refusal {
  return new Refusal('StorageFull', 'There is no space left to save this. Nothing was saved.', {
    retryAfterSeconds: 5,
  });
}

export interface SaveRequest {
  /** As `admitSave` returned it. */
  destination: Destination;
  fileName: string;
  /** As the client named it; null when it did not. */
  contentType: string | null;
  objectType: string | null;
  properties: Record<string, string> | null;
  conflict: ConflictBehavior;
  idempotencyKey: string | null;
  received: ReceivedContent;
}

/** The received bytes belong to this call: when no record points to them in the end, they are let go. */
export async function saveFile(cabinet: Cabinet, caller: Caller, request: SaveRequest): Promise<SavedFile> {
  const { received } = request;
  let saved: SavedFile;
  try {
    authorize(caller, 'write', requireSeat(caller, request.destination));
    saved = await write(cabinet, caller, request);
  } catch (error) {
    // A fatal fault leaves open whether the record was written: its bytes must stay, for the next start may find it.
    if (!(error instanceof Fault && error.kind === 'fatal')) await discardContent(cabinet, received.content);
    throw error;
  }
  if (saved.isBlobUsed || (await takesPlaceOfLost(cabinet, received.content))) {
    cabinet.pendingBlobs.delete(received.content.blob ?? '');
  } else await discardContent(cabinet, received.content);
  return saved;
}

/** The bytes may have taken long: what counts is what the caller may do now. */
function requireSeat({ seats }: Caller, { seat }: Destination): Seat {
  const now = seats.find(({ space }) => space === seat.space);
  if (now === undefined) throw folderNotFound('FolderId');
  return now;
}

/** The same bytes are kept once. But a 200 must not rest on a blob that the disk has lost or cut: then ours replaces it. */
async function takesPlaceOfLost({ catalog, blobs }: Cabinet, content: StoredContent): Promise<boolean> {
  if (content.blob === null) return false;
  const kept = await catalog.findBlob({ sha256: content.sha256 });
  if (kept === null) return false;
  try {
    for await (const _ of blobs.open(kept, content.sizeBytes - 1, content.sizeBytes));
    return false;
  } catch {
    return await catalog.replaceBlob({ lost: kept, content });
  }
}

function write(cabinet: Cabinet, caller: Caller, request: SaveRequest): Promise<SavedFile> {
  const { content, head } = request.received;
  const name = checkName(request.fileName, 'FileName', cabinet.names);
  return cabinet.catalog.saveFile({
    space: request.destination.seat.space,
    folder: request.destination.folder,
    id: randomUUIDv7(),
    name,
    nameKey: toNameKey(name),
    contentType: toContentType(request.contentType ?? undefined, head, name),
    isContentTypeDeclared: request.contentType !== null && request.contentType !== 'application/octet-stream',
    objectType: request.objectType,
    properties: request.properties,
    content,
    conflict: request.conflict,
    by: caller.actor,
    at: Date.now(),
    request: caller.requestId,
    idempotency: toIdempotency(caller, 'save-file', request.idempotencyKey, toParameters(request)),
  });
}

function toParameters(request: SaveRequest): unknown[] {
  const { destination, fileName, contentType, objectType, properties, conflict, received } = request;
  const sha256 = Buffer.from(received.content.sha256).toString('hex');
  const { seat, folder } = destination;
  return [seat.space, folder, fileName, contentType, objectType, toSortedProperties(properties), conflict, sha256];
}
