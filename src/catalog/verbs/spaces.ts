// Spaces: a tree with a root folder, and two hidden folders beside it.

import type { SpaceAccess } from '../../domain/caller.ts';
import { toNameKey } from '../../domain/name.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, insertNumbered, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { insertRow, toNewFolder } from './entries.ts';
import { hiddenId, trashId } from './tree.ts';
import { everyone } from './usage.ts';

const intoSpaces = insertInto('spaces', 'id name root created_at', { numbered: 'space' });
const intoUsage = insertInto('usage', 'space actor entries bytes most_bytes');
const intoMembers = insertInto('members', 'user_id space role');

export interface NewSpace extends Origin {
  name: string;
  spaceId: string;
  rootId: string;
  /** `CreatedBy` of the root. */
  rootBy: string;
  /** The quota of the space, in bytes; null or absent: unlimited. */
  quotaBytes?: number | null;
}

/** Returns the number of the space. */
export function* insertSpace(input: NewSpace): Verb<number> {
  const { at, name, rootId, quotaBytes = null } = input;
  const space = yield* insertNumbered(intoSpaces, [input.spaceId, name, rootId, at]);
  const root = { id: rootId, parent: null, name, nameKey: toNameKey(name), at, by: input.rootBy };
  yield* insertRow(space, toNewFolder(root));
  for (const id of [trashId, hiddenId]) {
    yield* insertRow(space, toNewFolder({ id, parent: null, name: id, nameKey: id, at, by: 'operator' }));
  }
  yield* insert(intoUsage, [space, everyone, 0, 0, quotaBytes]);
  yield* note(input, space, 'space.created', rootId, { name, ...(quotaBytes !== null && { bytes: quotaBytes }) });
  return space;
}

export interface AddSpace extends Origin {
  name: string;
  spaceId: string;
  rootId: string;
  /** The user who creates it and becomes its manager. */
  manager: string;
  quotaBytes?: number | null;
  /** How many spaces the manager may have created; null or absent: unlimited. */
  maxSpaces?: number | null;
}

export const addSpace = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* addSpace(input: AddSpace): Verb<SpaceAccess> {
    const { name, spaceId, rootId, manager } = input;
    yield* requireFreeName(name);
    yield* checkSpaceCount(input);
    const space = yield* insertSpace({ ...input, rootBy: manager });
    yield* insert(intoMembers, [manager, space, 'manager']);
    yield* note(input, space, 'user.role', manager, { role: 'manager' });
    return { space, spaceId, spaceName: name, rootId, role: 'manager' };
  },
);

function* checkSpaceCount({ manager, maxSpaces = null }: AddSpace): Verb<void> {
  if (maxSpaces === null) return;
  const made = yield* row<{ count: number }>(sql`SELECT count(*) AS count FROM spaces
    JOIN entries ON entries.space = spaces.space AND entries.id = spaces.root WHERE entries.created_by = ${manager}`);
  if (Number(made?.count) < maxSpaces) return;
  throw new Refusal('QuotaExceeded', `You have created ${maxSpaces} spaces, which is the limit.`, {
    hint: 'Ask an operator to create one, or to raise CABINET_SPACES_PER_PERSON.',
  });
}

export interface RenameSpace extends Origin {
  space: number;
  name: string;
}

/** The root folder keeps its name: it is an entry like others, and cannot be renamed. */
export const renameSpace = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* renameSpace(input: RenameSpace): Verb<void> {
    const { space, name } = input;
    const found = yield* row<{ name: string }>(sql`SELECT name FROM spaces WHERE space = ${space}`);
    if (found === undefined) throw new Refusal('SpaceNotFound', 'There is no such space.');
    if (found.name === name) return;
    yield* requireFreeName(name);
    yield* execute(sql`UPDATE spaces SET name = ${name} WHERE space = ${space}`);
    yield* note(input, space, 'space.renamed', '', { name, before: found.name });
  },
);

function* requireFreeName(name: string): Verb<void> {
  if ((yield* row(sql`SELECT space FROM spaces WHERE name = ${name}`)) === undefined) return;
  throw new Refusal('NameAlreadyExists', 'This name is taken.', { target: 'Name', hint: 'Choose another.' });
}

/** All spaces by name, for operators. */
export const listSpaces = read({}, function* listSpaces(_: object): Verb<SpaceAccess[]> {
  const found = yield* rows<{ space: number; id: string; name: string; root: string }>(
    sql`SELECT space, id, name, root FROM spaces ORDER BY name`,
  );
  return found.map(({ space, id, name, root }) => ({
    ...{ space, spaceId: id, spaceName: name, rootId: root, role: null },
  }));
});

export const findSpace = read({}, function* findSpace({ name }: { name: string }): Verb<SpaceAccess | null> {
  const found = yield* row<{ space: number; id: string; root: string }>(
    sql`SELECT space, id, root FROM spaces WHERE name = ${name}`,
  );
  if (found === undefined) return null;
  return { space: found.space, spaceId: found.id, spaceName: name, rootId: found.root, role: null };
});

/** By name, for operators. */
export function* requireSpace(name: string): Verb<number> {
  const found = yield* row<{ space: number }>(sql`SELECT space FROM spaces WHERE name = ${name}`);
  if (found !== undefined) return found.space;
  throw new Refusal('SpaceNotFound', `There is no space ${JSON.stringify(name)}.`, {
    target: 'Space',
    hint: 'A space is created with its first application: cabinet app add NAME --space SPACE.',
  });
}
