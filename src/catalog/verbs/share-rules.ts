// What a space says about links. Each rule that it does not have is the service's.

import type { SpaceShareRules } from '../../domain/share-rules.ts';
import { read, write } from '../declaration.ts';
import { insert, note, type Origin, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoShareRules = insertInto('share_rules', 'space is_on makers is_password_required max_days', {
  onConflict: `ON CONFLICT (space) DO UPDATE SET is_on = excluded.is_on, makers = excluded.makers,
    is_password_required = excluded.is_password_required, max_days = excluded.max_days`,
});

interface RulesRow {
  is_on: number | null;
  makers: SpaceShareRules['makers'];
  is_password_required: number | null;
  max_days: number | null;
}

const toBoolean = (value: number | null): boolean | null => (value === null ? null : value === 1);
const toNumber = (value: boolean | null): number | null => (value === null ? null : Number(value));

export const findShareRules = read({}, function* findShareRules({ space }: { space: number }): Verb<SpaceShareRules> {
  return yield* findRules(space);
});

function* findRules(space: number): Verb<SpaceShareRules> {
  const found = yield* row<RulesRow>(
    sql`SELECT is_on, makers, is_password_required, max_days FROM share_rules WHERE space = ${space}`,
  );
  if (found === undefined) return { isOn: null, makers: null, isPasswordRequired: null, maxDays: null };
  return {
    isOn: toBoolean(found.is_on),
    makers: found.makers,
    isPasswordRequired: toBoolean(found.is_password_required),
    maxDays: found.max_days,
  };
}

/** Whether the space has switched its links off. */
export function* isOffInSpace(space: number): Verb<boolean> {
  const found = yield* row<{ is_on: number | null }>(sql`SELECT is_on FROM share_rules WHERE space = ${space}`);
  return found?.is_on === 0;
}

export interface SetShareRules extends Origin {
  space: number;
  /** What is absent stays. */
  rules: Partial<SpaceShareRules>;
}

export const setShareRules = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* setShareRules(input: SetShareRules): Verb<SpaceShareRules> {
    const { space } = input;
    const before = yield* findRules(space);
    const rules = { ...before, ...input.rules };
    if (JSON.stringify(rules) === JSON.stringify(before)) return rules;
    const { isOn, makers, isPasswordRequired, maxDays } = rules;
    yield* insert(intoShareRules, [space, toNumber(isOn), makers, toNumber(isPasswordRequired), maxDays]);
    const details = { allowed: isOn, makers, passwordRequired: isPasswordRequired, maxDays };
    yield* note(input, space, 'space.sharing-changed', '', details);
    return rules;
  },
);
