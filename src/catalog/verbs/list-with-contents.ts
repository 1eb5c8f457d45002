// Entries as members of a collection: what a listing by a protocol shows of each, in pages of a folder. Each page costs a few
// queries over ranges of names, however many entries it has.

import type { Entry } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, rows, tuples, type Verb } from '../sql.ts';
import { sql, type Value } from '../statement.ts';
import { type DeadProperty, findDeadProperties } from './dead-properties.ts';
import { type EntryRow, selection, toEntry, toRow } from './entries.ts';
import { findVisible } from './tree.ts';

export interface ListedEntry {
  entry: Entry;
  /** Of the current version; null for folders. */
  content: { sha256: Uint8Array; savedAt: number } | null;
  /** Empty where they are not requested. */
  properties: readonly DeadProperty[];
}

/** The last entry of the page before. */
export type ListedCursor = readonly [kind: 0 | 1, nameKey: string];

export interface ListWithContents {
  space: number;
  folder: string;
  after: ListedCursor | null;
  limit: number;
  hasProperties: boolean;
}

export interface ListedPage {
  members: ListedEntry[];
  /** Null on the last page. */
  next: ListedCursor | null;
}

/** Folders first, each kind by name. Null if there is no such folder. */
export const listWithContents = read({}, function* listWithContents(input: ListWithContents): Verb<ListedPage | null> {
  const { space, after, limit } = input;
  const folder = yield* findVisible(space, input.folder);
  if (folder === undefined || folder.kind !== 0) return null;
  const folders = after?.[0] === 1 ? [] : yield* listKind(input, folder.entry, 0);
  const found = folders.length > limit ? folders : folders.concat(yield* listKind(input, folder.entry, 1));
  const page = found.slice(0, limit);
  const contents = yield* findContents(space, folder.entry, page);
  const properties = input.hasProperties
    ? yield* findProperties(space, folder.entry, page)
    : new Map<number, DeadProperty[]>();
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    members: page.map((row) => ({
      entry: toEntry(row),
      content: contents.get(row.entry) ?? null,
      properties: properties.get(row.entry) ?? [],
    })),
    next: last === undefined ? null : [last.kind, last.name_key],
  };
});

function* listKind({ space, after, limit }: ListWithContents, parent: number, kind: 0 | 1): Verb<EntryRow[]> {
  const from = after?.[0] === kind ? after[1] : '';
  const found = yield* tuples(sql`SELECT ${selection} FROM entries
    WHERE space = ${space} AND parent = ${parent} AND kind = ${kind} AND name_key > ${from}
    ORDER BY name_key LIMIT ${limit + 1}`);
  return found.map(toRow);
}

/** By entry, for the files of a page. */
function* findContents(
  space: number,
  parent: number,
  page: readonly EntryRow[],
): Verb<Map<number, { sha256: Uint8Array; savedAt: number }>> {
  const files = page.filter(({ kind }) => kind === 1);
  const [first, last] = [files[0], files.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const found = yield* tuples(sql`SELECT entries.entry, contents.sha256, versions.created_at FROM entries
    JOIN versions ON versions.entry = entries.entry AND versions.version = entries.version
    JOIN contents ON contents.content = versions.content
    WHERE entries.space = ${space} AND entries.parent = ${parent} AND entries.kind = 1
      AND entries.name_key >= ${first.name_key} AND entries.name_key <= ${last.name_key}`);
  return new Map(found.map(toContent));
}

function toContent([entry, sha256, savedAt]: Value[]): [number, { sha256: Uint8Array; savedAt: number }] {
  return [entry as number, { sha256: sha256 as Uint8Array, savedAt: savedAt as number }];
}

/** By entry. */
function* findProperties(space: number, parent: number, page: readonly EntryRow[]): Verb<Map<number, DeadProperty[]>> {
  const found: (DeadProperty & { entry: number })[] = [];
  for (const kind of [0, 1]) {
    const ofKind = page.filter((row) => row.kind === kind);
    const [first, last] = [ofKind[0], ofKind.at(-1)];
    if (first === undefined || last === undefined) continue;
    const some = yield* rows<DeadProperty & { entry: number }>(sql`SELECT dead_properties.entry AS entry, namespace,
        dead_properties.name AS name, xml FROM entries JOIN dead_properties ON dead_properties.entry = entries.entry
      WHERE entries.space = ${space} AND entries.parent = ${parent} AND entries.kind = ${kind}
        AND entries.name_key >= ${first.name_key} AND entries.name_key <= ${last.name_key}
      ORDER BY dead_properties.entry, namespace, dead_properties.name`);
    for (const one of some) found.push(one);
  }
  return Map.groupBy(found, ({ entry }) => entry);
}

/** One entry; null if there is none. */
export const findWithContent = read(
  {},
  function* findWithContent({ space, id }: { space: number; id: string }): Verb<ListedEntry | null> {
    const found = yield* findVisible(space, id);
    if (found === undefined) return null;
    const properties = yield* findDeadProperties(found.entry);
    if (found.kind === 0) return { entry: toEntry(found), content: null, properties };
    const content = yield* row<{ sha256: Uint8Array; saved_at: number }>(sql`SELECT sha256, created_at AS saved_at
      FROM versions JOIN contents ON contents.content = versions.content
      WHERE versions.entry = ${found.entry} AND versions.version = ${found.version}`);
    return {
      entry: toEntry(found),
      content: content === undefined ? null : { sha256: content.sha256, savedAt: content.saved_at },
      properties,
    };
  },
);
