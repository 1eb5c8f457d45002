// Saves many small files at once. Each succeeds or fails alone, in the order in which they were sent; all of them are asked
// of the catalog in the same moment, so that they are committed together, as many at a time as its engine gathers.
// Nothing is written before all bytes have arrived.

import { hash } from 'node:crypto';
import type { Idempotency } from '../catalog/verbs/idempotency.ts';
import type { SavedFile } from '../catalog/verbs/save-file.ts';
import { type Caller, toFolderId } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { folderNotFound } from '../domain/missing.ts';
import { checkName, checkRelativePath, toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import { toSortedProperties } from '../domain/properties.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { toNestedFolder } from './create-folder.ts';
import { toIdempotency } from './idempotency.ts';
import { byCaller } from './origin.ts';
import { discardContent, type ReceivedContent } from './receive-content.ts';
import { admitSave, checkFree, type Destination, renewAccess, saveFile } from './save-file.ts';
import type { EntryView } from './show-entry.ts';

export const maxBatchFiles = 1000;
/** Of the whole body: what is small is held in memory until all of it has arrived. */
export const maxBatchBytes = 32 * 1024 * 1024;

export function batchTooLarge(message: string): Refusal {
  return new Refusal('BatchTooLarge', message, {
    hint: 'Send several batches; a large file is best sent alone, by POST /files.',
  });
}

export interface BatchTarget {
  folderId: string | null;
  declaredBytes: number | null;
  idempotencyKey: string | null;
}

/** Refuses a batch of which nothing can succeed, before its bytes are read. Resolves to where those files go that say
 *  nothing else. */
export async function admitBatch(cabinet: Cabinet, caller: Caller, target: BatchTarget): Promise<Destination> {
  if ((target.declaredBytes ?? 0) > maxBatchBytes) throw batchTooLarge(`One batch has at most ${maxBatchBytes} bytes.`);
  const destination = await admitSave(cabinet, caller, {
    ...target,
    fileName: null,
    declaredBytes: null,
    skipFolderCheck: false,
    operation: 'save-batch',
  });
  checkFree(cabinet, target.declaredBytes);
  return destination;
}

/** What is asked of one file, and its bytes. */
export interface BatchFile {
  /** Null: where the batch goes. */
  folderId: string | null;
  /** A name; or, with `isRelativePath`, a path to it, whose folders are made where they are missing. */
  name: string;
  isRelativePath: boolean;
  contentType: string | null;
  objectType: string | null;
  properties: Record<string, string> | null;
  comment: string | null;
  conflict: ConflictBehavior;
}

/** Bytes without a file are such that can be saved under no name: the refusal says why. Their bytes may be missing. */
export type BatchItem =
  | { file: BatchFile; received: ReceivedContent }
  | { refusal: Refusal; received: ReceivedContent | null };

export interface BatchRequest {
  /** As `admitBatch` returned it. */
  destination: Destination;
  items: readonly BatchItem[];
  idempotencyKey: string | null;
}

export type BatchResult = { view: EntryView; isReplayed: boolean } | Refusal;

/** The received bytes belong to this call. A fault, which is no refusal, fails the whole of it, when all are settled. */
export async function saveBatch(cabinet: Cabinet, caller: Caller, request: BatchRequest): Promise<BatchResult[]> {
  const { items } = request;
  const { placed, idempotency } = await prepare(cabinet, caller, request);
  const queue = new Map<string, Promise<unknown>>();
  const saves = items.map(async (item, index) => {
    const place = placed[index];
    if ('refusal' in item || place instanceof Error || place === undefined) {
      await discard(cabinet, item);
      throw 'refusal' in item ? item.refusal : place;
    }
    const own = idempotency === null ? null : { ...idempotency, key: `${idempotency.key} ${index}` };
    return await inTurn(queue, toKey(place), () => saveOne(cabinet, caller, { item, place, idempotency: own }));
  });
  const settled = await Promise.allSettled(saves);
  return settled.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value;
    if (outcome.reason instanceof Refusal) return outcome.reason;
    throw outcome.reason;
  });
}

interface Place {
  destination: Destination;
  fileName: string;
  /** What it has become already, when this is a repeated batch: of the destination, only the space counts then. */
  earlier: SavedFile | null;
}

interface Prepared {
  /** Where each goes, or why it goes nowhere. */
  placed: (Place | Error)[];
  idempotency: Idempotency | null;
}

async function prepare(
  cabinet: Cabinet,
  caller: Caller,
  { destination, items, idempotencyKey }: BatchRequest,
): Promise<Prepared> {
  try {
    const idempotency = toIdempotency(caller, 'save-batch', idempotencyKey, toParameters(destination, items));
    const recalled =
      idempotency === null ? [] : await cabinet.catalog.recallBatch({ asked: idempotency, at: cabinet.clock.now() });
    const earlier = new Map(recalled);
    const places = new Places(cabinet, caller, destination);
    const placed = items.map((item, index) =>
      places.find(item, earlier.get(index) ?? null).catch((error: Error) => error),
    );
    return { placed: await Promise.all(placed), idempotency };
  } catch (error) {
    for (const item of items) await discard(cabinet, item);
    throw error;
  }
}

async function discard(cabinet: Cabinet, { received }: BatchItem): Promise<void> {
  if (received !== null) await discardContent(cabinet, received.content);
}

function toKey({ destination: { access, folder }, fileName }: Place): string {
  return `${access.space} ${folder} ${toNameKey(fileName)}`;
}

/** Two of the same name are saved one after the other, as they were sent. */
function inTurn<Result>(
  queue: Map<string, Promise<unknown>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = queue.get(key);
  const turn = before === undefined ? work() : before.then(work, work);
  queue.set(key, turn);
  return turn;
}

interface One {
  item: { file: BatchFile; received: ReceivedContent };
  place: Place;
  idempotency: Idempotency | null;
}

async function saveOne(cabinet: Cabinet, caller: Caller, { item, place, idempotency }: One): Promise<BatchResult> {
  const { contentType, objectType, properties, comment, conflict } = item.file;
  const { destination, fileName, earlier } = place;
  const saved: SavedFile = await saveFile(cabinet, caller, {
    destination,
    fileName,
    contentType,
    objectType,
    properties,
    comment,
    conflict,
    idempotencyKey: null,
    inBatch: { idempotency, earlier },
    received: item.received,
  });
  if (saved.details === undefined) throw new Error('a file of a batch was saved and not shown');
  return { view: saved.details, isReplayed: saved.isReplayed };
}

/** Finds out where each file goes; each folder is looked for, and made, once. */
class Places {
  readonly #cabinet: Cabinet;
  readonly #caller: Caller;
  readonly #default: Destination;
  readonly #entered = new Map<string, Promise<Destination>>();
  readonly #made = new Map<string, Promise<Destination>>();

  constructor(cabinet: Cabinet, caller: Caller, destination: Destination) {
    this.#cabinet = cabinet;
    this.#caller = caller;
    this.#default = destination;
  }

  /** Nothing is made for what was saved before: its folders may have been deleted since. */
  async find(item: BatchItem, earlier: SavedFile | null): Promise<Place> {
    if ('refusal' in item) throw item.refusal;
    const { folderId, name, isRelativePath } = item.file;
    const names = isRelativePath
      ? checkRelativePath(name, this.#cabinet.names)
      : [checkName(name, 'FileName', this.#cabinet.names)];
    const start = folderId === null ? this.#default : await once(this.#entered, folderId, () => this.#enter(folderId));
    const way = names.slice(0, -1);
    const key = `${start.access.space} ${start.folder} ${way.map(toNameKey).join('/')}`;
    const isWayNeeded = way.length > 0 && earlier === null;
    const destination = isWayNeeded ? await once(this.#made, key, () => this.#make(start, way)) : start;
    return { destination, fileName: names.at(-1) ?? '', earlier };
  }

  async #enter(folderId: string): Promise<Destination> {
    const folder = toFolderId(this.#caller, folderId);
    const missing = () => folderNotFound('FolderId');
    return {
      access: await requireAccess(this.#cabinet, this.#caller, { action: 'write', id: folder, missing }),
      folder,
    };
  }

  async #make({ access, folder: parent }: Destination, way: readonly string[]): Promise<Destination> {
    const missing = () => folderNotFound('FolderId');
    authorize(this.#caller, 'write', renewAccess(this.#caller, access, missing));
    const wanted = {
      space: access.space,
      parent,
      ...toNestedFolder(way),
      objectType: null,
      properties: null,
      conflict: 'Existing',
      ...byCaller(this.#cabinet, this.#caller),
      idempotency: null,
    } as const;
    const { folder } = await this.#cabinet.catalog.createFolder(wanted).catch(nameFolderId);
    return { access, folder: folder.id };
  }
}

/** What is the parent of a folder that we make is FolderId to who sent the batch. */
function nameFolderId(error: unknown): never {
  const isOfParent = error instanceof Refusal && error.details.target === 'ParentFolderId';
  throw isOfParent ? new Refusal(error.code, error.message, { ...error.details, target: 'FolderId' }) : error;
}

function once<Value>(known: Map<string, Promise<Value>>, key: string, make: () => Promise<Value>): Promise<Value> {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** What makes two batches the same: all that was asked of every file, and its digest. */
function toParameters({ access, folder }: Destination, items: readonly BatchItem[]): unknown[] {
  const files = items.map((item) => {
    const sha256 = item.received === null ? null : Buffer.from(item.received.content.sha256).toString('hex');
    if ('refusal' in item) return [sha256, item.refusal.code];
    const { properties, ...asked } = item.file;
    return [sha256, toSortedProperties(properties), Object.entries(asked)];
  });
  return [access.space, folder, hash('sha256', JSON.stringify(files))];
}
