// Dead properties of WebDAV: XML that clients keep at an entry. They follow copies and moves, and go when the entry is purged.

import { checkEntryPrecondition, type Precondition } from '../../domain/precondition.ts';
import { write } from '../declaration.ts';
import { execute, insert, note, type Origin, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { toKind } from './entries.ts';
import { checkLocks } from './lock-checks.ts';
import { findVisible, toDetails } from './tree.ts';

const intoDeadProperties = insertInto('dead_properties', 'entry namespace name xml');

export const maxDeadBytes = 64 * 1024;

export interface DeadProperty {
  namespace: string;
  name: string;
  /** The whole element, with every namespace that it uses. */
  xml: string;
}

/** `xml` null removes. */
export type DeadChange = Omit<DeadProperty, 'xml'> & { xml: string | null };

export interface ChangeDeadProperties extends Origin {
  space: number;
  id: string;
  /** In this order. */
  changes: readonly DeadChange[];
  /** Of the entry. */
  precondition: Precondition | null;
}

/** All or nothing. Null if there is no such entry. */
export const changeDeadProperties = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* changeDeadProperties(input: ChangeDeadProperties): Verb<'done' | 'too large' | null> {
    const { space, id, changes, precondition } = input;
    const found = yield* findVisible(space, id);
    if (found === undefined) return null;
    if (precondition !== null) checkEntryPrecondition(precondition, yield* toDetails(found));
    yield* checkLocks(input, space, { changed: [found] });
    const before = yield* findDeadProperties(found.entry);
    const after = new Map(before.map((one) => [toKey(one), one]));
    for (const { xml, ...named } of changes) {
      if (xml === null) after.delete(toKey(named));
      else after.set(toKey(named), { ...named, xml });
    }
    let bytes = 0;
    for (const { namespace, name, xml } of after.values()) bytes += Buffer.byteLength(namespace + name + xml);
    if (bytes > maxDeadBytes) return 'too large';
    yield* execute(sql`DELETE FROM dead_properties WHERE entry = ${found.entry}`);
    yield* insertAll(found.entry, [...after.values()]);
    yield* note(input, space, 'entry.properties-changed', id, {
      kind: toKind(found.kind),
      names: changes.map(({ name }) => name),
    });
    return 'done';
  },
);

function toKey({ namespace, name }: Omit<DeadProperty, 'xml'>): string {
  return JSON.stringify([namespace, name]);
}

export function* findDeadProperties(entry: number): Verb<DeadProperty[]> {
  return yield* rows<DeadProperty & Record<string, string>>(
    sql`SELECT namespace, name, xml FROM dead_properties WHERE entry = ${entry} ORDER BY namespace, name`,
  );
}

function* insertAll(entry: number, properties: readonly DeadProperty[]): Verb<void> {
  for (const { namespace, name, xml } of properties) yield* insert(intoDeadProperties, [entry, namespace, name, xml]);
}

export function* copyDeadProperties(from: number, to: number): Verb<void> {
  yield* insertAll(to, yield* findDeadProperties(from));
}

/** For a file that takes the place of another one. */
export function* replaceDeadProperties(from: number, to: number): Verb<void> {
  yield* execute(sql`DELETE FROM dead_properties WHERE entry = ${to}`);
  yield* copyDeadProperties(from, to);
}
