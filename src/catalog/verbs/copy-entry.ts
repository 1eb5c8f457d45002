// Copies an entry with everything beneath it, without copying bytes: a copied file has its own version with the same
// content. A small tree is copied by one verb. A large tree grows in slices in the hidden folder, so that no save waits for
// it, and one commit attaches it; each folder is copied in the state that it has at that moment.

import { randomUUIDv7 } from 'node:crypto';
import type { ConflictBehavior } from '../../domain/entry.ts';
import { toNameKey } from '../../domain/name.ts';
import { checkEntryPrecondition, type Precondition } from '../../domain/precondition.ts';
import { allSpaces, write } from '../declaration.ts';
import { execute, insert, note, type Origin, rows, tuples, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { copyDeadProperties } from './dead-properties.ts';
import {
  type EntryRow,
  findRowByName,
  insertRow,
  one,
  requireRow,
  selection,
  toEntry,
  toKind,
  toRow,
  updateRow,
} from './entries.ts';
import { requireHidden } from './hidden-folders.ts';
import { checkLocks } from './lock-checks.ts';
import { type FreeName, settleName } from './naming.ts';
import { remove } from './removal.ts';
import { trashEntry } from './trash.ts';
import {
  addToSizes,
  checkTreeLevel,
  type EntryDetails,
  findVisible,
  hiddenId,
  type LocatedEntry,
  locate,
  raiseHeights,
  requireFolder,
  toDetails,
} from './tree.ts';
import { checkQuota, Tally } from './usage.ts';
import { insertVersion, requireVersion } from './versions.ts';

const intoHiddenTrees = insertInto('hidden_trees', 'entry purpose at');

/** Entries that one slice copies. */
const sliceEntries = 40;

export interface CopyEntry extends Origin {
  space: number;
  id: string;
  parent: string;
  /** Null: the current name. */
  name: string | null;
  conflict: ConflictBehavior;
  /** Of the entry that is copied; checked when the copy begins. */
  precondition?: Precondition | null;
  /** The id of an entry that has the name, and goes to the trash in the commit that attaches the copy. */
  replaced?: string | null;
  /** A folder is copied without what is in it. */
  isShallow?: boolean;
}

/** A folder whose children are being copied. `after`: the last copied child; null: none yet. */
interface Frame {
  source: number;
  target: number;
  after: readonly [kind: 0 | 1, nameKey: string] | null;
}

/** Either the finished copy, or what is left to do. */
export type CopyProgress = { details: EntryDetails } | { top: number; stack: Frame[] };

/** Null if there is no such entry. */
export const beginCopy = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* beginCopy(input: CopyEntry): Verb<CopyProgress | null> {
    const { space } = input;
    const source = yield* findVisible(space, input.id);
    if (source === undefined) return null;
    if (input.precondition) checkEntryPrecondition(input.precondition, yield* toDetails(source));
    const to = yield* requireFolder(space, input.parent, 'ParentFolderId');
    const free = yield* settle(input, source, to);
    yield* checkQuota(space, input.by, { entries: 1, bytes: input.isShallow ? 0 : source.size });
    const hidden = yield* requireHidden(space, hiddenId);
    const slice = new CopySlice(input);
    const target = yield* slice.add(source, hidden, { name: source.name, nameKey: null });
    const top = target.entry;
    const stack: Frame[] =
      source.kind === 0 && !input.isShallow ? [{ source: source.entry, target: top, after: null }] : [];
    yield* slice.proceed(stack);
    yield* slice.finish();
    if (stack.length === 0) return { details: yield* attach(input, top, to, free) };
    yield* insert(intoHiddenTrees, [top, 'copy', input.at]);
    return { top, stack };
  },
);

export interface ContinueCopy {
  copy: CopyEntry;
  top: number;
  stack: Frame[];
  at: number;
}

/** Returns what is left; an empty stack means that the copy is complete and can be attached. */
export const continueCopy = write(
  { space: ({ copy }) => copy.space, lock: 'exclusive', pages: 'unchanged' },
  function* continueCopy({ copy, top, stack, at }: ContinueCopy): Verb<Frame[]> {
    const slice = new CopySlice(copy);
    // A deep copy: a batch that starts over runs this again with the same input.
    const rest = stack.map((frame) => ({ ...frame }));
    yield* slice.proceed(rest);
    yield* slice.finish();
    yield* execute(sql`UPDATE hidden_trees SET at = ${at} WHERE entry = ${top}`);
    return rest;
  },
);

/** Makes a copied tree visible. Its target may have changed meanwhile, so everything is checked again. */
export const finishCopy = write(
  { space: ({ copy }) => copy.space, lock: 'exclusive', pages: 'all' },
  function* finishCopy({ copy, top }: { copy: CopyEntry; top: number }): Verb<EntryDetails> {
    const copied = yield* requireTop(top);
    const to = yield* requireFolder(copy.space, copy.parent, 'ParentFolderId');
    const free = yield* settle(copy, copied, to);
    yield* execute(sql`DELETE FROM hidden_trees WHERE entry = ${top}`);
    return yield* attach(copy, top, to, free);
  },
);

/** A copy that cannot be attached is purged. */
export const abandonCopy = write(
  { space: () => allSpaces, lock: 'exclusive', pages: 'unchanged' },
  function* abandonCopy({ top }: { top: number }): Verb<void> {
    yield* remove({ reason: 'copy-abandoned', top });
  },
);

/** Abandons copies whose last slice is older than a time: their request is gone. */
export const abandonCopies = write(
  { space: () => allSpaces, lock: 'exclusive', pages: 'unchanged' },
  function* abandonCopies({ before }: { before: number }): Verb<void> {
    const stale = sql`SELECT entry FROM hidden_trees WHERE purpose = 'copy' AND at < ${before}`;
    for (const { entry } of yield* rows<{ entry: number }>(stale)) {
      yield* remove({ reason: 'copy-abandoned', top: entry });
    }
  },
);

function* settle(input: CopyEntry, source: EntryRow, to: LocatedEntry): Verb<FreeName> {
  const { kind } = toEntry(source);
  yield* checkLocks(input, input.space, { folders: [to] });
  yield* checkTreeLevel(to, input.space, source, 'ParentFolderId');
  const name = input.name ?? source.name;
  const { space, conflict } = input;
  const taken = input.replaced ? yield* findRowByName(space, to.entry, toNameKey(name)) : undefined;
  if (taken !== undefined && taken.id === input.replaced) return { name, nameKey: toNameKey(name) };
  const naming = yield* settleName({
    space,
    parent: to.entry,
    name,
    nameKey: toNameKey(name),
    kind,
    conflict,
    target: 'Name',
  });
  if ('taken' in naming) throw new Error('a name was taken over');
  return naming.free;
}

function* requireTop(top: number): Verb<LocatedEntry> {
  return yield* locate(yield* requireRow(top));
}

function* attach(input: CopyEntry, top: number, to: LocatedEntry, free: FreeName): Verb<EntryDetails> {
  const { space } = input;
  if (input.replaced) yield* trashEntry({ ...input, id: input.replaced, precondition: null });
  const copied = yield* requireTop(top);
  yield* addToSizes(yield* requireHidden(space, hiddenId), -copied.size);
  const attached = { ...copied, parent: to.entry, name: free.name, name_key: free.nameKey };
  yield* updateRow(copied, attached);
  yield* addToSizes(to, copied.size);
  if (copied.kind === 0) yield* raiseHeights(to, copied.height);
  yield* note(input, space, 'entry.attached', copied.id, {
    kind: toKind(copied.kind),
    parent: to.id,
    name: free.name,
    source: input.id,
  });
  return yield* toDetails({ ...attached, above: [to, ...to.above] });
}

/** The work of one slice. */
class CopySlice {
  readonly #copy: CopyEntry;
  readonly #tally = new Tally();
  /** Bytes added to each folder by this slice: sizes are written once, for the folder and all above it. */
  readonly #grown = new Map<number, number>();
  #budget = sliceEntries;

  constructor(copy: CopyEntry) {
    this.#copy = copy;
  }

  /** Continues until the stack is empty or the slice is full. Depth first: the stack stays as short as the tree is deep. */
  *proceed(stack: Frame[]): Verb<void> {
    while (stack.length > 0 && this.#budget > 0) {
      const frame = stack.at(-1) as Frame;
      const children = yield* this.#listNext(frame);
      if (children.length === 0) {
        stack.pop();
        continue;
      }
      const target = yield* requireRow(frame.target);
      for (const child of children) {
        const copied = yield* this.add(child, target, { name: child.name, nameKey: child.name_key });
        frame.after = [child.kind, child.name_key];
        if (child.kind === 0) stack.push({ source: child.entry, target: copied.entry, after: null });
      }
    }
  }

  /** Returns one folder, or many files. */
  *#listNext({ source, after }: Frame): Verb<EntryRow[]> {
    const { space } = this.#copy;
    const folder =
      after?.[0] === 1
        ? undefined
        : yield* one(sql`SELECT ${selection}
          FROM entries WHERE space = ${space} AND parent = ${source} AND kind = 0
          AND name_key > ${after?.[1] ?? ''} ORDER BY name_key LIMIT 1`);
    if (folder !== undefined) return [folder];
    const files = yield* tuples(sql`SELECT ${selection}
      FROM entries WHERE space = ${space} AND parent = ${source} AND kind = 1
        AND name_key > ${after?.[0] === 1 ? after[1] : ''} ORDER BY name_key LIMIT ${this.#budget}`);
    return files.map(toRow);
  }

  /** Without a name key it is created in the hidden folder, where its id is its name. */
  *add(
    source: EntryRow,
    target: EntryRow,
    { name, nameKey }: { name: string; nameKey: string | null },
  ): Verb<EntryRow> {
    const { space, by, at } = this.#copy;
    const id = randomUUIDv7();
    const copied = {
      ...source,
      id,
      parent: target.entry,
      name,
      name_key: nameKey ?? id,
      created_at: at,
      created_by: by,
      modified_at: at,
      modified_by: by,
      size: source.kind === 0 ? 0 : source.size,
      version: source.kind === 0 ? 0 : 1,
    };
    const entry = yield* insertRow(space, copied);
    if (source.kind === 1) yield* this.#addVersion(source, entry);
    yield* copyDeadProperties(source.entry, entry);
    this.#budget -= 1;
    this.#tally.add(by, 1, copied.size);
    this.#grown.set(target.entry, (this.#grown.get(target.entry) ?? 0) + copied.size);
    const action = source.kind === 0 ? 'folder.copied' : 'file.copied';
    yield* note(this.#copy, space, action, id, { parent: target.id, name, source: source.id });
    return { ...copied, entry };
  }

  *#addVersion(source: EntryRow, entry: number): Verb<void> {
    const { at, by } = this.#copy;
    const copied = yield* requireVersion(source, source.version);
    yield* insertVersion({ ...copied, entry, version: 1, created_at: at, created_by: by, comment: null });
  }

  *finish(): Verb<void> {
    yield* checkQuota(this.#copy.space, this.#copy.by, this.#tally.of(this.#copy.by));
    for (const [entry, bytes] of this.#grown) {
      yield* addToSizes(yield* locate(yield* requireRow(entry)), bytes);
    }
    yield* this.#tally.write(this.#copy.space);
  }
}
