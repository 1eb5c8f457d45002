// What is known about earlier sign-ins, and what the journal says about new ones.

import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

/** For each person; the oldest are forgotten. */
const maxAddresses = 100;

const intoKnownAddresses = insertInto('known_addresses', 'user_id address used_at', {
  onConflict: 'ON CONFLICT (user_id, address) DO UPDATE SET used_at = excluded.used_at',
});

interface KnownAddress {
  user: string;
  address: string;
}

export const isKnownAddress = read({}, function* isKnownAddress({ user, address }: KnownAddress): Verb<boolean> {
  const found = yield* row(sql`SELECT used_at FROM known_addresses WHERE user_id = ${user} AND address = ${address}`);
  return found !== undefined;
});

export interface NoteSignIn extends Origin {
  /** Null: there is no such user; what was typed may be a password. */
  user: string | null;
  outcome: 'succeeded' | 'failed';
  /** As limits count it. */
  address: string;
  /** The AppKey of the application; null: none, for instance when a person changes the password. */
  application: string | null;
  reason: string | null;
}

export const noteSignIn = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* noteSignIn(input: NoteSignIn): Verb<void> {
    const { user, outcome, address, application, reason, at } = input;
    if (outcome === 'succeeded' && user !== null) {
      yield* insert(intoKnownAddresses, [user, address, at]);
      yield* execute(sql`DELETE FROM known_addresses WHERE user_id = ${user} AND used_at <
        (SELECT min(used_at) FROM (SELECT used_at FROM known_addresses WHERE user_id = ${user}
          ORDER BY used_at DESC LIMIT ${maxAddresses}) AS newest)`);
    }
    const details = { address, application, ...(reason !== null && { reason }) };
    yield* note(input, null, `sign-in.${outcome}`, user ?? '', details);
  },
);

export interface NoteDevice extends Origin {
  /** Null: nobody was signed in. */
  user: string | null;
  outcome: 'allowed' | 'denied' | 'failed';
  /** Of the browser. */
  address: string;
  /** The AppKey of the application; null: the code was wrong. */
  application: string | null;
  /** Where the sign-in was begun; null: the code was wrong. */
  device: { address: string; userAgent: string } | null;
}

/** A person allowed a device without a browser to act for them, refused it, or somebody typed a wrong code. */
export const noteDevice = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* noteDevice(input: NoteDevice): Verb<void> {
    const { user, outcome, address, application, device } = input;
    const details = {
      address,
      ...(application !== null && { ofApplication: application }),
      ...(device !== null && { deviceAddress: device.address, deviceProgram: device.userAgent }),
    };
    yield* note(input, null, `device.${outcome}`, user ?? '', details);
  },
);
