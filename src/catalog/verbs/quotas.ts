// Quotas: how much a space, an application or a user may store, and their request rate. `usage.ts` counts usage and enforces
// the limits.

import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { insert, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { type ApplicationRef, requireApplication } from './applications.ts';
import { findRowByName } from './entries.ts';
import { requireUser } from './people.ts';
import { requireSpace } from './spaces.ts';
import { findVisible, trashId } from './tree.ts';
import { everyone, findParkedBytes } from './usage.ts';

const intoUsage = insertInto('usage', 'space actor entries bytes most_entries most_bytes most_requests', {
  onConflict: `ON CONFLICT (space, actor) DO UPDATE SET most_entries = excluded.most_entries, most_bytes = excluded.most_bytes,
       most_requests = excluded.most_requests`,
});

/** Null: unlimited. */
export interface Quota {
  entries: number | null;
  bytes: number | null;
  /** Per second. */
  requests: number | null;
}

/** Usage of an actor in a space; the actor '' stands for the whole space. */
export interface UsageOf {
  actor: string;
  entries: number;
  bytes: number;
  quota: Quota;
}

interface UsageRow {
  actor: string;
  entries: number;
  bytes: number;
  most_entries: number | null;
  most_bytes: number | null;
  most_requests: number | null;
}

const columns = sql`actor, entries, bytes, most_entries, most_bytes, most_requests`;

/** With the bytes of unfinished uploads. */
function* toUsage(space: number, { actor, entries, bytes: saved, ...most }: UsageRow): Verb<UsageOf> {
  const bytes = saved + (yield* findParkedBytes(space, actor));
  const quota = { entries: most.most_entries, bytes: most.most_bytes, requests: most.most_requests };
  return { actor, entries, bytes, quota };
}

export const findUsage = read(
  { catchUp: 'sums' },
  function* findUsage({ space, actor }: { space: number; actor: string }): Verb<UsageOf> {
    const found = yield* row<UsageRow>(sql`SELECT ${columns} FROM usage WHERE space = ${space} AND actor = ${actor}`);
    const nothing = { entries: 0, bytes: 0, most_entries: null, most_bytes: null, most_requests: null };
    return yield* toUsage(space, found ?? { actor, ...nothing });
  },
);

export interface ListUsage {
  space: number;
  /** The page begins after this actor; null: the first page. */
  after: string | null;
  limit: number;
}

/** By actor, without the whole space. */
export const listUsage = read({ catchUp: 'sums' }, function* listUsage({ space, after, limit }: ListUsage): Verb<
  UsageOf[]
> {
  const found = yield* rows<UsageRow>(
    sql`SELECT ${columns} FROM usage WHERE space = ${space} AND actor > ${after ?? everyone} ORDER BY actor
      LIMIT ${limit}`,
  );
  const listed: UsageOf[] = [];
  for (const one of found) listed.push(yield* toUsage(space, one));
  return listed;
});

/** The bytes of the current versions of all files in the trash. */
export const findTrashBytes = read(
  { catchUp: 'sums' },
  function* findTrashBytes({ space }: { space: number }): Verb<number> {
    const query = sql`SELECT size FROM entries WHERE space = ${space} AND id = ${trashId}`;
    return (yield* row<{ size: number }>(query))?.size ?? 0;
  },
);

export interface FindSizeOf {
  space: number;
  folder: string;
  nameKey: string;
}

/** The size of the file with this name in the folder; null if there is none. */
export const findSizeOf = read({}, function* findSizeOf({ space, folder, nameKey }: FindSizeOf): Verb<number | null> {
  const parent = yield* findVisible(space, folder);
  const found = parent === undefined ? undefined : yield* findRowByName(space, parent.entry, nameKey);
  return found?.kind === 1 ? found.size : null;
});

export interface SpaceUsage extends UsageOf {
  space: number;
  spaceName: string;
}

interface PlacedRow extends UsageRow {
  space: number;
  space_name: string;
}

/** All quotas; with `isWhole` also the usage of every space, for operators. */
export const listQuotas = read({ catchUp: 'sums' }, function* listQuotas({ isWhole }: { isWhole: boolean }): Verb<
  SpaceUsage[]
> {
  const found = yield* rows<PlacedRow>(sql`SELECT usage.space AS space, spaces.name AS space_name, ${columns}
    FROM usage JOIN spaces ON spaces.space = usage.space WHERE most_entries IS NOT NULL OR most_bytes IS NOT NULL
    OR most_requests IS NOT NULL OR (actor = '' AND ${isWhole ? 1 : 0} = 1) ORDER BY spaces.name, actor`);
  const listed: SpaceUsage[] = [];
  for (const { space, space_name: spaceName, ...usage } of found) {
    listed.push({ space, spaceName, ...(yield* toUsage(space, usage)) });
  }
  return listed;
});

export interface SetQuota extends Origin {
  /** The name of a space; null: the application's space. */
  space: string | null;
  /** Whose quota; both null: that of the space. */
  application: ApplicationRef['application'] | null;
  user: string | null;
  /** Omitted limits stay as they are. */
  quota: Partial<Quota>;
}

export const setQuota = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setQuota(input: SetQuota): Verb<SpaceUsage> {
    const { space, actor } = yield* findOwner(input);
    const before = (yield* findUsage({ space, actor })).quota;
    const { entries, bytes, requests } = { ...before, ...input.quota };
    yield* insert(intoUsage, [space, actor, 0, 0, entries, bytes, requests]);
    yield* note(input, space, 'quota.changed', actor, { entries, bytes, requests });
    const named = yield* row<{ name: string }>(sql`SELECT name FROM spaces WHERE space = ${space}`);
    return { space, spaceName: named?.name ?? '', ...(yield* findUsage({ space, actor })) };
  },
);

function* findOwner({ space, application, user }: SetQuota): Verb<{ space: number; actor: string }> {
  if (application !== null) {
    const { name, access } = yield* requireApplication({ application });
    if (access === null || (space !== null && access.spaceName !== space)) {
      throw new Refusal('InvalidField', `The application ${name} is not registered in this space.`);
    }
    return { space: access.space, actor: `app:${name}` };
  }
  if (space === null) throw new Refusal('InvalidField', 'Specify a space or an application.', { target: 'space' });
  const found = yield* requireSpace(space);
  return { space: found, actor: user === null ? everyone : (yield* requireUser(user)).id };
}
