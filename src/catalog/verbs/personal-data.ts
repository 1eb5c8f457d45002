// Export and erasure of what the catalog has about one person. The first transaction of an erasure ends every right and says so in the
// journal; the rest is removed in slices, and whoever repeats it goes on where it ended.

import { Refusal } from '../../domain/refusal.ts';
import { allSpaces, read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, join, raw, type Sql, sql, type Value } from '../statement.ts';
import { findUser, type User } from './people.ts';
import { type PersonalTable, personalTables } from './personal-tables.ts';
import { signOut } from './sign-out.ts';

const intoUsers = insertInto('users', 'id name state password signed_out_at created_at');

const sliceRows = 500;

export type PersonalRow = Record<string, Value>;

/** In the order of the export. Reads no table. */
export const listPersonalSections = read({}, function* listPersonalSections(_: object): Verb<string[]> {
  return personalTables.flatMap(({ section }) => section ?? []);
});

export interface ListPersonalRows {
  id: string;
  section: string;
  /** The key of the last row of the slice before; null: the first slice. */
  after: readonly Value[] | null;
}

export interface PersonalSlice {
  rows: PersonalRow[];
  /** Null: this is the last slice. */
  next: readonly Value[] | null;
}

/** Rows of one section of the export. */
export const listPersonalRows = read(
  { catchUp: ({ section }: ListPersonalRows) => (section === 'Usage' ? 'sums' : null) },
  function* listPersonalRows({ id, section, after }: ListPersonalRows): Verb<PersonalSlice> {
    const found = personalTables.find((table) => table.section === section);
    if (found === undefined) throw new Error(`no section is called ${section}`);
    const keys = found.key.map((column, index) => `${found.table}.${column} AS key_${index}`);
    const key = raw(found.key.map((column) => `${found.table}.${column}`).join(', '));
    const behind = after === null ? sql`` : sql`AND (${key}) > (${toValues(after)})`;
    const listed = yield* rows<PersonalRow>(sql`SELECT ${raw([...keys, ...found.shown].join(', '))}
      FROM ${raw(found.table)} WHERE ${ofPerson(found, id)} ${behind} ORDER BY ${key} LIMIT ${sliceRows}`);
    const last = listed.length === sliceRows ? listed.at(-1) : undefined;
    const next = last === undefined ? null : found.key.map((_, index) => last[`key_${index}`] ?? null);
    return { rows: listed.map(withoutKey), next };
  },
);

function withoutKey(found: PersonalRow): PersonalRow {
  return Object.fromEntries(Object.entries(found).filter(([name]) => !name.startsWith('key_')));
}

function toValues(values: readonly Value[]): Sql {
  return join(
    values.map((value) => sql`${value}`),
    ', ',
  );
}

/** For idempotency, the application's AppKey comes first: `idempotency.ts` of the operations writes it. */
function ofPerson({ table, person, prefix = '' }: PersonalTable, id: string): Sql {
  if (table === 'idempotency') return sql`app_key IN (SELECT app_key || ${` ${id}`} FROM applications)`;
  return sql`${raw(table)}.${raw(person)} = ${`${prefix}${id}`}`;
}

/** Whether any table has rows of the person. People of outside issuers may have some without an account. */
export const hasPersonalRows = read({}, function* hasPersonalRows({ id }: { id: string }): Verb<boolean> {
  return yield* hasRows(id, ({ table }) => table !== 'journal' && table !== 'entries' && table !== 'versions');
});

/** Whether erasing the person has something left to remove. */
export const hasRowsToErase = read({}, function* hasRowsToErase({ id }: { id: string }): Verb<boolean> {
  return yield* hasRows(id, (table) => table.isErased);
});

function* hasRows(id: string, isLookedAt: (table: PersonalTable) => boolean): Verb<boolean> {
  for (const table of personalTables.filter(isLookedAt)) {
    const one = yield* row(sql`SELECT 1 AS one FROM ${raw(table.table)} WHERE ${ofPerson(table, id)} LIMIT 1`);
    if (one !== undefined) return true;
  }
  return false;
}

export interface ErasePerson extends Origin {
  id: string;
}

/** Ends every right of the person. Returns whether this was done now, or before. `eraseRows` removes the rest. */
export const erasePerson = write(
  { space: () => allSpaces, lock: 'exclusive', pages: 'unchanged' },
  function* erasePerson(input: ErasePerson): Verb<boolean> {
    const { id, at } = input;
    const user = yield* findUser({ id });
    if (user !== null && user.erasedAt !== null) return false;
    if (user === null) yield* addOutsider(id);
    const spaces = yield* listSpacesOf(id);
    yield* execute(sql`UPDATE users SET name = '', state = 'disabled', password = NULL, created_at = 0, created_by = NULL,
      created_in = NULL, signed_in_at = NULL, erased_at = ${at} WHERE id = ${id}`);
    yield* signOut(input, null);
    for (const space of spaces.length === 0 ? [null] : spaces) yield* note(input, space, 'user.erased', id, {});
    yield* eraseSlice(id);
    return true;
  },
);

/** Someone of an outside issuer without a role, whose tokens must not work any more either. */
function* addOutsider(id: string): Verb<void> {
  if (!id.includes(':') || !(yield* hasPersonalRows({ id }))) {
    throw new Refusal('UserNotFound', `There is no user ${JSON.stringify(id)}.`);
  }
  yield* insert(intoUsers, [id, '', 'disabled', null, 0, 0]);
}

/** From where managers and webhooks learn of it. */
function* listSpacesOf(id: string): Verb<number[]> {
  const found = yield* rows<{ space: number }>(sql`SELECT space FROM members WHERE user_id = ${id}
    UNION SELECT space FROM group_members WHERE user_id = ${id}
    UNION SELECT space FROM grants WHERE principal = ${`user:${id}`}
    UNION SELECT space FROM usage WHERE actor = ${id} ORDER BY space`);
  return found.map(({ space }) => space);
}

/** Removes at most 500 rows of each table; returns how many. Of people who were not erased, none. */
export const eraseRows = write(
  { space: () => allSpaces, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* eraseRows({ id }: { id: string }): Verb<number> {
    const user = yield* findUser({ id });
    return user === null || user.erasedAt === null ? 0 : yield* eraseSlice(id);
  },
);

function* eraseSlice(id: string): Verb<number> {
  yield* execute(
    sql`UPDATE usage SET most_entries = NULL, most_bytes = NULL, most_requests = NULL WHERE actor = ${id}`,
  );
  yield* execute(sql`DELETE FROM share_downloads WHERE share IN (SELECT id FROM shares WHERE user_id = ${id})`);
  // A request that still sends bytes has lost its turn; the sweep removes the bytes.
  const ended = yield* returning(sql`UPDATE uploads SET expires_at = 0, turn = turn + 1
    WHERE actor = ${id} AND expires_at > 0 RETURNING id`);
  let count = ended.length;
  for (const found of personalTables) {
    if (!found.isErased) continue;
    const keys = raw(primaryKeys[found.table] ?? found.key.join(', '));
    const removed = yield* returning(sql`DELETE FROM ${raw(found.table)} WHERE (${keys}) IN (SELECT ${keys}
      FROM ${raw(found.table)} WHERE ${ofPerson(found, id)} LIMIT ${sliceRows}) AND ${ofPerson(found, id)} RETURNING 1 AS one`);
    count += removed.length;
  }
  return count;
}

/** Of tables whose rows are not exported. */
const primaryKeys: Readonly<Record<string, string>> = {
  recovery_codes: 'hash',
  setup_links: 'hash',
  issuer_records: 'model, id',
  idempotency: 'app_key, operation, key',
};

/** Those erased since then. Requests that had begun before may have written something after it. */
export const listErased = read({}, function* listErased({ since }: { since: number }): Verb<string[]> {
  const found = yield* rows<Pick<User, 'id'>>(sql`SELECT id FROM users WHERE erased_at > ${since} ORDER BY id`);
  return found.map(({ id }) => id);
});
