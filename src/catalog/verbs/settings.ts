// Texts that all nodes of an environment share, under a name each: its keys.

import { noSpace, read, write } from '../declaration.ts';
import { row, rows, type Verb } from '../sql.ts';

/** Null: nobody has set it. */
export const findSetting = read({}, function* findSetting({ name }: { name: string }): Verb<string | null> {
  const found = yield* row<{ value: string }>('SELECT value FROM meta WHERE name = $1', `setting ${name}`);
  return found?.value ?? null;
});

/** Sets it if nobody has; returns what it is. */
export const claimSetting = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* claimSetting({ name, value }: { name: string; value: string }): Verb<string> {
    yield* rows(
      'INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      `setting ${name}`,
      value,
    );
    return (yield* findSetting({ name })) ?? value;
  },
);

export const setSetting = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setSetting({ name, value }: { name: string; value: string }): Verb<void> {
    yield* rows(
      'INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      `setting ${name}`,
      value,
    );
  },
);
