// Links to versions of files. A link works as long as its row is there; the address itself is known only to its holders.

import { noSpace, read, write } from '../declaration.ts';
import { insert, note, type Origin, returning, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoLinks = insertInto('links', 'id space entry user_id made_by expires_at');

export interface AddLink extends Origin {
  id: string;
  space: number;
  entry: string;
  version: number;
  /** The person who made it; null: the application did, for itself. */
  user: string | null;
  /** The AppKey of the application. */
  appKey: string;
  expiresAt: number;
}

export const addLink = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false },
  function* addLink(input: AddLink): Verb<void> {
    const { id, space, entry, version, user, appKey, expiresAt } = input;
    yield* insert(intoLinks, [id, space, entry, user, appKey, expiresAt]);
    yield* note(input, space, 'link.created', entry, {
      link: id,
      version,
      expiresAt: new Date(expiresAt).toISOString(),
    });
  },
);

export const hasLink = read({}, function* hasLink({ id, at }: { id: string; at: number }): Verb<boolean> {
  return (yield* row(sql`SELECT id FROM links WHERE id = ${id} AND expires_at > ${at}`)) !== undefined;
});

export interface NoteLinkUse extends Origin {
  id: string;
  space: number;
  entry: string;
  version: number;
  /** Of whoever used it. */
  address: string;
}

export const noteLinkUse = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false },
  function* noteLinkUse(input: NoteLinkUse): Verb<void> {
    const { id, space, entry, version, address } = input;
    yield* note(input, space, 'link.used', entry, { link: id, version, address });
  },
);

export interface EndLinks extends Origin {
  space: number;
  entry: string;
  /** Whose links end; null: everybody's. */
  maker: { user: string | null; appKey: string } | null;
}

/** Returns how many there were. */
export const endLinks = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* endLinks(input: EndLinks): Verb<number> {
    const { space, entry, maker } = input;
    const ofMaker =
      maker === null
        ? sql``
        : maker.user === null
          ? sql`AND user_id IS NULL AND made_by = ${maker.appKey}`
          : sql`AND user_id = ${maker.user}`;
    const ended = yield* returning<{ id: string }>(
      sql`DELETE FROM links WHERE space = ${space} AND entry = ${entry} ${ofMaker} RETURNING id`,
    );
    for (const { id } of ended) yield* note(input, space, 'link.ended', entry, { link: id });
    return ended.length;
  },
);

/** Returns how many expired links were removed. */
export const forgetLinks = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* forgetLinks({ at }: { at: number }): Verb<number> {
    const forgotten = yield* returning(sql`DELETE FROM links WHERE id IN
      (SELECT id FROM links WHERE expires_at <= ${at} ORDER BY expires_at LIMIT 1000) RETURNING id`);
    return forgotten.length;
  },
);
