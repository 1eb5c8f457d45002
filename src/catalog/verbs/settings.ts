// Named texts that all nodes of an environment share, such as keys.

import { noSpace, read, write } from '../declaration.ts';
import { insert, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoMetaOnce = insertInto('meta', 'name value', { onConflict: 'ON CONFLICT (name) DO NOTHING' });
const intoMeta = insertInto('meta', 'name value', {
  onConflict: 'ON CONFLICT (name) DO UPDATE SET value = excluded.value',
});

/** Null: not set. */
export const findSetting = read({}, function* findSetting({ name }: { name: string }): Verb<string | null> {
  const found = yield* row<{ value: string }>(sql`SELECT value FROM meta WHERE name = ${`setting ${name}`}`);
  return found?.value ?? null;
});

/** Sets it unless it is set; returns its value. */
export const claimSetting = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* claimSetting({ name, value }: { name: string; value: string }): Verb<string> {
    yield* insert(intoMetaOnce, [`setting ${name}`, value]);
    return (yield* findSetting({ name })) ?? value;
  },
);

export const setSetting = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setSetting({ name, value }: { name: string; value: string }): Verb<void> {
    yield* insert(intoMeta, [`setting ${name}`, value]);
  },
);
