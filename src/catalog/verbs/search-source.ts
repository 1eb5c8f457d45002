// What the search index reads from the catalog: the journal in order, and entries as they are now. It follows from a
// thread of its own, over a connection of its own, so these are not among the catalog's verbs.

import { row, rows, type Verb } from '../sql.ts';

/** An entry as the index needs it. Roots and the hidden folders are never subjects. */
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
  /** NULL: the bytes stand in the catalog. */
  blob: string | null;
}

const subject = `SELECT entries.space AS space, entries.entry AS entry, name, object_type, properties,
    entries.content_type AS content_type, contents.content AS content, contents.size AS size, blob
  FROM entries
  LEFT JOIN versions ON versions.entry = entries.entry AND versions.version = entries.version
  LEFT JOIN contents ON contents.content = versions.content`;

export function* findSubject(space: number, id: string): Verb<Subject | undefined> {
  return yield* row<Subject>(
    `${subject} WHERE entries.space = $1 AND entries.id = $2 AND entries.parent IS NOT NULL`,
    space,
    id,
  );
}

export function* findSubjectByNumber(entry: number): Verb<Subject | undefined> {
  return yield* row<Subject>(`${subject} WHERE entries.entry = $1 AND entries.parent IS NOT NULL`, entry);
}

/** In order of their numbers. */
export function* listSubjects(after: number, limit: number): Verb<Subject[]> {
  return yield* rows<Subject>(
    `${subject} WHERE entries.entry > $1 AND entries.parent IS NOT NULL ORDER BY entries.entry LIMIT $2`,
    after,
    limit,
  );
}

export function* findBytes(content: number): Verb<Uint8Array | null> {
  const found = yield* row<{ bytes: Uint8Array | null }>('SELECT bytes FROM contents WHERE content = $1', content);
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
    `SELECT position, space, action, entry, details, link FROM journal WHERE position > $1 ORDER BY position LIMIT $2`,
    after,
    limit,
  );
}

/** Undefined: the journal has nothing there, any more or yet. */
export function* findLink(position: number): Verb<string | undefined> {
  const found = yield* row<{ link: string }>('SELECT link FROM journal WHERE position = $1', position);
  return found?.link;
}

export function* findLast(): Verb<{ position: number; link: string } | undefined> {
  return yield* row<{ position: number; link: string }>(
    'SELECT position, link FROM journal ORDER BY position DESC LIMIT 1',
  );
}
