// The gate for removal: the only place that makes content unreachable for good. Every removal calls `remove` with its reason,
// so that rules which forbid removals have one place.

import { execute, insert, note, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { toKind } from './entries.ts';
import { putInto, takeOut } from './hidden-folders.ts';
import { hiddenId, type LocatedEntry, trashId } from './tree.ts';
import { Tally } from './usage.ts';

const intoHiddenTrees = insertInto('hidden_trees', 'entry purpose at');

/** A tree that disappears for callers at once. Its rows are purged later, in slices. */
export interface TreeRemoval {
  reason: 'entry-removed' | 'trash-emptied';
  origin: Origin;
  space: number;
  tree: LocatedEntry;
}

/** Versions of a file that stays. The current version is never among them. */
export interface VersionsRemoval {
  reason: 'version-removed' | 'version-limit' | 'version-expired';
  origin: Origin;
  space: number;
  file: { entry: number; id: string };
  versions: readonly RemovedVersion[];
}

/** A copy that will not be attached and was never visible. */
export interface CopyRemoval {
  reason: 'copy-abandoned';
  top: number;
}

/** Rows of a tree whose removal has already passed the gate. */
export interface Purge {
  reason: 'purge';
  origin: Origin;
  entry: { entry: number; space: number; id: string; created_by: string };
  versions: readonly RemovedVersion[];
  /** Whether these are all its versions, so that the entry goes too. */
  isLast: boolean;
  tally: Tally;
}

/** The empty version of a file that was made for a lock; the first content takes its place. */
export interface PlaceholderRemoval {
  reason: 'placeholder-filled';
  space: number;
  file: number;
}

export type Removal = TreeRemoval | VersionsRemoval | CopyRemoval | PlaceholderRemoval | Purge;

export interface RemovedVersion {
  version: number;
  content: number;
  created_by: string;
  size: number;
}

/** Returns the blobs that nothing refers to any more. They can be deleted after the commit. */
export function* remove(removal: Removal): Verb<string[]> {
  switch (removal.reason) {
    case 'entry-removed':
    case 'trash-emptied':
      return yield* removeTree(removal);
    case 'version-removed':
    case 'version-limit':
    case 'version-expired':
      return yield* removeVersions(removal);
    case 'copy-abandoned':
      yield* execute(sql`UPDATE hidden_trees SET purpose = 'purge' WHERE entry = ${removal.top}`);
      return [];
    case 'placeholder-filled':
      yield* removePlaceholder(removal);
      return [];
    case 'purge':
      return yield* purge(removal);
  }
}

function* removeTree({ origin, space, tree }: TreeRemoval): Verb<string[]> {
  const from = tree.above[0]?.id;
  yield* takeOut(tree);
  const trash = yield* row<{ parent: string }>(sql`SELECT parent FROM trash WHERE entry = ${tree.entry}`);
  yield* execute(sql`DELETE FROM trash WHERE entry = ${tree.entry}`);
  yield* putInto(space, hiddenId, tree);
  yield* insert(intoHiddenTrees, [tree.entry, 'purge', origin.at]);
  yield* note(origin, space, 'entry.removed', tree.id, {
    kind: toKind(tree.kind),
    ...(from !== undefined && from !== trashId && { from }),
    ...(trash !== undefined && { trashedFrom: trash.parent }),
    name: tree.name,
  });
  return [];
}

/** Every removed version has a row in the journal: the feed reports each of them. */
function* removeVersions({ origin, space, file, versions }: VersionsRemoval): Verb<string[]> {
  const tally = new Tally();
  const freed: string[] = [];
  for (const version of versions) {
    const blob = yield* deleteVersion(file.entry, version, tally);
    if (blob !== null) freed.push(blob);
    yield* note(origin, space, 'version.removed', file.id, { version: version.version });
  }
  yield* tally.write(space);
  return freed;
}

/** An empty content is never a blob. */
function* removePlaceholder({ space, file }: PlaceholderRemoval): Verb<void> {
  const version = yield* row<RemovedVersion>(sql`SELECT version, versions.content AS content, created_by,
    contents.size AS size FROM versions JOIN contents ON contents.content = versions.content
    WHERE versions.entry = ${file} AND version = 1 AND contents.size = 0`);
  if (version === undefined) throw new Error('a file that was made for a lock has no empty version');
  const tally = new Tally();
  yield* deleteVersion(file, version, tally);
  yield* tally.write(space);
}

function* purge({ origin, entry, versions, isLast, tally }: Purge): Verb<string[]> {
  const freed: string[] = [];
  for (const version of versions) {
    const blob = yield* deleteVersion(entry.entry, version, tally);
    if (blob !== null) freed.push(blob);
  }
  if (isLast) {
    yield* execute(sql`DELETE FROM dead_properties WHERE entry = ${entry.entry}`);
    yield* execute(sql`DELETE FROM locks WHERE entry = ${entry.entry}`);
    yield* endGrants(origin, entry);
    yield* execute(sql`DELETE FROM entries WHERE entry = ${entry.entry}`);
    tally.add(entry.created_by, -1, 0);
  }
  return freed;
}

/** Each has a row in the journal: the change feed of those who saw the entry by it reports that it is gone. */
function* endGrants(origin: Origin, { entry, space, id }: Purge['entry']): Verb<void> {
  const ended = yield* rows<{ principal: string }>(sql`SELECT principal FROM grants WHERE entry = ${entry}`);
  if (ended.length === 0) return;
  yield* execute(sql`DELETE FROM grants WHERE entry = ${entry}`);
  for (const { principal } of ended) yield* note(origin, space, 'access.revoked', id, { principal });
}

function* deleteVersion(entry: number, removed: RemovedVersion, tally: Tally): Verb<string | null> {
  const { version, content, created_by, size } = removed;
  yield* execute(sql`DELETE FROM versions WHERE entry = ${entry} AND version = ${version}`);
  tally.add(created_by, 0, -size);
  return yield* releaseContent(content);
}

/** Deletes a content that no version has any more; returns its blob. */
function* releaseContent(content: number): Verb<string | null> {
  const other = yield* row(sql`SELECT entry FROM versions WHERE content = ${content} LIMIT 1`);
  if (other !== undefined) return null;
  const [released] = yield* returning<{ blob: string | null }>(
    sql`DELETE FROM contents WHERE content = ${content} RETURNING blob`,
  );
  return released?.blob ?? null;
}
