// What the search index reads from the catalog: the journal in order, and the current state of entries. The index follows
// from its own thread, over its own connection, so these are not verbs of the catalog.

import { row, rows, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';

/** An entry as the index needs it. Never a root or a hidden folder. */
export interface Subject {
  space: number;
  entry: number;
  name: string;
  /** NULL: the default. */
  object_type: string | null;
  /** JSON; NULL: none. */
  properties: string | null;
  content_type: string | null;
  /** The number of the current version's content; NULL for folders. */
  content: number | null;
  size: number;
  /** NULL: the bytes are in the catalog. */
  blob: string | null;
}

const subject = sql`SELECT entries.space AS space, entries.entry AS entry, name, object_type, properties,
    entries.content_type AS content_type, contents.content AS content, contents.size AS size, blob
  FROM entries
  LEFT JOIN versions ON versions.entry = entries.entry AND versions.version = entries.version
  LEFT JOIN contents ON contents.content = versions.content`;

export function* findSubject(space: number, id: string): Verb<Subject | undefined> {
  return yield* row<Subject>(
    sql`${subject} WHERE entries.space = ${space} AND entries.id = ${id} AND entries.parent IS NOT NULL`,
  );
}

export function* findSubjectByNumber(entry: number): Verb<Subject | undefined> {
  return yield* row<Subject>(sql`${subject} WHERE entries.entry = ${entry} AND entries.parent IS NOT NULL`);
}

/** In order of their numbers. */
export function* listSubjects(after: number, limit: number): Verb<Subject[]> {
  return yield* rows<Subject>(
    sql`${subject} WHERE entries.entry > ${after} AND entries.parent IS NOT NULL ORDER BY entries.entry LIMIT ${limit}`,
  );
}

export function* findBytes(content: number): Verb<Uint8Array | null> {
  const found = yield* row<{ bytes: Uint8Array | null }>(sql`SELECT bytes FROM contents WHERE content = ${content}`);
  return found?.bytes ?? null;
}

export interface FollowedChange {
  position: number;
  space: number;
  action: string;
  entry: string;
  details: string;
  link: string;
}

export function* listFollowed(after: number, limit: number): Verb<FollowedChange[]> {
  return yield* rows<FollowedChange>(
    sql`SELECT position, space, action, entry, details, link FROM journal WHERE position > ${after}
      ORDER BY position LIMIT ${limit}`,
  );
}

/** Undefined: the journal no longer has this position, or does not have it yet. */
export function* findLink(position: number): Verb<string | undefined> {
  const found = yield* row<{ link: string }>(sql`SELECT link FROM journal WHERE position = ${position}`);
  return found?.link;
}

export function* findLast(): Verb<{ position: number; link: string } | undefined> {
  return yield* row<{ position: number; link: string }>(
    sql`SELECT position, link FROM journal ORDER BY position DESC LIMIT 1`,
  );
}
