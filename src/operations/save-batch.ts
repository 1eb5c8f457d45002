// Saves many small files at once. Each succeeds or fails alone. All saves reach the catalog in the same moment, so that the engine
// commits many of them together. Nothing is written before all bytes have arrived.

import { hash } from 'node:crypto';
import type { Idempotency } from '../catalog/verbs/idempotency.ts';
import type { SavedFile } from '../catalog/verbs/save-file.ts';
import { type Caller, toFolderId } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { folderNotFound } from '../domain/missing.ts';
import { checkName, checkRelativePath, toNameKey } from '../domain/name.ts';
import { toSortedProperties } from '../domain/properties.ts';
import { Refusal } from '../domain/refusal.ts';
import { renewAccess, requireAccess, toVisible } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { toNestedFolder } from './create-folder.ts';
import { checkFree } from './free-space.ts';
import { toIdempotency } from './idempotency.ts';
import { byCaller } from './origin.ts';
import { discardContent, type ReceivedContent } from './receive-content.ts';
import { admitSave, type Destination, saveFile } from './save-file.ts';
import type { EntryView } from './show-entry.ts';

export const maxBatchFiles = 1000;
/** The limit of the whole body: it is held in memory until all of it has arrived. */
export const maxBatchBytes = 32 * 1024 * 1024;

export function batchTooLarge(message: string): Refusal {
  return new Refusal('BatchTooLarge', message, {
    hint: 'Send several batches; a large file is best sent alone, by POST /files.',
  });
}

interface BatchTarget {
  folderId: string | null;
  declaredBytes: number | null;
  idempotencyKey: string | null;
}

/** Refuses a batch of which nothing can succeed, before its bytes are read. Resolves to the default destination. */
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

/** The parameters of one file. */
export interface BatchFile {
  /** Null for the default destination. */
  folderId: string | null;
  /** A name; or, with `isRelativePath`, a path whose missing folders are created. */
  name: string;
  isRelativePath: boolean;
  contentType: string | null;
  objectType: string | null;
  properties: Record<string, string> | null;
  comment: string | null;
  conflict: ConflictBehavior;
}

/** An item that cannot be saved has a refusal in place of its parameters; its bytes may be missing. */
export type BatchItem =
  | { file: BatchFile; received: ReceivedContent }
  | { refusal: Refusal; received: ReceivedContent | null };

interface BatchRequest {
  /** As `admitBatch` returned it. */
  destination: Destination;
  items: readonly BatchItem[];
  idempotencyKey: string | null;
}

export type BatchResult = { view: EntryView; isReplayed: boolean } | Refusal;

/** Takes ownership of the received bytes. A fault, unlike a refusal, fails the whole batch once all saves have settled. */
export async function saveBatch(cabinet: Cabinet, caller: Caller, request: BatchRequest): Promise<BatchResult[]> {
  const { items } = request;
  const { targets, idempotency } = await prepare(cabinet, caller, request);
  const queue = new Map<string, Promise<unknown>>();
  const saves = items.map(async (item, index) => {
    const target = targets[index];
    if ('refusal' in item || target instanceof Error || target === undefined) {
      await discard(cabinet, item);
      throw 'refusal' in item ? item.refusal : target;
    }
    const own = idempotency === null ? null : { ...idempotency, key: `${idempotency.key} ${index}` };
    return await inSequence(queue, toKey(target), () => saveOne(cabinet, caller, { item, target, idempotency: own }));
  });
  const settled = await Promise.allSettled(saves);
  return settled.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value;
    if (outcome.reason instanceof Refusal) return outcome.reason;
    throw outcome.reason;
  });
}

interface Target {
  destination: Destination;
  fileName: string;
  /** The earlier result, when the batch is repeated: then only the space of the destination counts. */
  earlier: SavedFile | null;
}

interface PreparedBatch {
  /** The target of each item, or why it has none. */
  targets: (Target | Error)[];
  idempotency: Idempotency | null;
}

async function prepare(
  cabinet: Cabinet,
  caller: Caller,
  { destination, items, idempotencyKey }: BatchRequest,
): Promise<PreparedBatch> {
  try {
    const idempotency = toIdempotency(caller, 'save-batch', idempotencyKey, toParameters(destination, items));
    const results =
      idempotency === null ? [] : await cabinet.catalog.recallBatch({ idempotency, at: cabinet.clock.now() });
    const earlier = new Map(results);
    const resolver = new TargetResolver(cabinet, caller, destination);
    const targets = items.map((item, index) =>
      resolver.resolve(item, earlier.get(index) ?? null).catch((error: Error) => error),
    );
    return { targets: await Promise.all(targets), idempotency };
  } catch (error) {
    for (const item of items) await discard(cabinet, item);
    throw error;
  }
}

async function discard(cabinet: Cabinet, { received }: BatchItem): Promise<void> {
  if (received !== null) await discardContent(cabinet, received.content);
}

function toKey({ destination: { access, folder }, fileName }: Target): string {
  return `${access.space} ${folder} ${toNameKey(fileName)}`;
}

/** Files of the same name are saved one after the other, in the order of the batch. */
function inSequence<Result>(
  queue: Map<string, Promise<unknown>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = queue.get(key);
  const turn = before === undefined ? work() : before.then(work, work);
  queue.set(key, turn);
  return turn;
}

interface OneSave {
  item: { file: BatchFile; received: ReceivedContent };
  target: Target;
  idempotency: Idempotency | null;
}

async function saveOne(cabinet: Cabinet, caller: Caller, { item, target, idempotency }: OneSave): Promise<BatchResult> {
  const { contentType, objectType, properties, comment, conflict } = item.file;
  const { destination, fileName, earlier } = target;
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
  if (saved.details === undefined) throw new Error('the result of a saved batch file has no details');
  return { view: await toVisible(cabinet, destination.access, saved.details), isReplayed: saved.isReplayed };
}

/** Resolves the target of each file; each folder is looked up and created once. */
class TargetResolver {
  readonly #cabinet: Cabinet;
  readonly #caller: Caller;
  readonly #default: Destination;
  readonly #folders = new Map<string, Promise<Destination>>();
  readonly #created = new Map<string, Promise<Destination>>();

  constructor(cabinet: Cabinet, caller: Caller, destination: Destination) {
    this.#cabinet = cabinet;
    this.#caller = caller;
    this.#default = destination;
  }

  /** Creates no folders for a file of a repeated batch: they may have been deleted since. */
  async resolve(item: BatchItem, earlier: SavedFile | null): Promise<Target> {
    if ('refusal' in item) throw item.refusal;
    const { folderId, name, isRelativePath } = item.file;
    const names = isRelativePath
      ? checkRelativePath(name, this.#cabinet.names)
      : [checkName(name, 'FileName', this.#cabinet.names)];
    const start =
      folderId === null ? this.#default : await once(this.#folders, folderId, () => this.#resolveFolder(folderId));
    const way = names.slice(0, -1);
    const key = `${start.access.space} ${start.folder} ${way.map(toNameKey).join('/')}`;
    const needsPath = way.length > 0 && earlier === null;
    const destination = needsPath ? await once(this.#created, key, () => this.#createPath(start, way)) : start;
    return { destination, fileName: names.at(-1) ?? '', earlier };
  }

  async #resolveFolder(folderId: string): Promise<Destination> {
    const folder = toFolderId(this.#caller, folderId);
    const missing = () => folderNotFound('FolderId');
    return {
      access: await requireAccess(this.#cabinet, this.#caller, { action: 'write', id: folder, missing }),
      folder,
    };
  }

  async #createPath({ access, folder: parent }: Destination, way: readonly string[]): Promise<Destination> {
    const missing = () => folderNotFound('FolderId');
    await renewAccess(this.#cabinet, this.#caller, access, { action: 'write', id: parent, missing });
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

/** The client sent the parent of a created folder as FolderId: refusals name that field. */
function nameFolderId(error: unknown): never {
  const isOfParent = error instanceof Refusal && error.details.target === 'ParentFolderId';
  throw isOfParent ? new Refusal(error.code, error.message, { ...error.details, target: 'FolderId' }) : error;
}

function once<Value>(known: Map<string, Promise<Value>>, key: string, make: () => Promise<Value>): Promise<Value> {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** The fingerprint of a batch: the parameters and the digest of every file. */
function toParameters({ access, folder }: Destination, items: readonly BatchItem[]): unknown[] {
  const files = items.map((item) => {
    const sha256 = item.received === null ? null : Buffer.from(item.received.content.sha256).toString('hex');
    if ('refusal' in item) return [sha256, item.refusal.code];
    const { properties, ...fields } = item.file;
    return [sha256, toSortedProperties(properties), Object.entries(fields)];
  });
  return [access.space, folder, hash('sha256', JSON.stringify(files))];
}
