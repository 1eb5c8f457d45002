// Sequencing and folding: committed changes get their positions in the journal, and additions are folded into sums. One node
// at a time does either, under a lock.
//
// A change gets its position only once it is visible, that is, after its commit. So no position ever appears behind a reader
// of the journal. Changes that become visible together keep the order in which they were written.

import { type Change, toKeyChange, toLink } from '../../domain/chain.ts';
import { intoJournal } from '../verbs/journal.ts';
import type { LinkKeys } from './link-keys.ts';
import { toInserts } from './statements.ts';
import type { Transaction } from './transaction.ts';

const sequenceLimit = 1000;
const foldLimit = 5000;

export interface SequenceResult {
  count: number;
  /** The spaces that have changed. */
  spaces: number[];
}

interface WaitingChange extends Change {
  arrival: number;
}

export interface SequenceOptions {
  lockClass: number;
  keys: LinkKeys;
  now: number;
}

export async function sequenceSlice(
  transaction: Transaction,
  { lockClass, keys, now }: SequenceOptions,
): Promise<SequenceResult> {
  transaction.send('SELECT pg_advisory_xact_lock($1::int, 0)', [lockClass]);
  // Awaited together: if the connection is lost, both fail.
  const [heading, { rows }] = await Promise.all([
    transaction.query({ sql: 'SELECT position, link FROM journal ORDER BY position DESC LIMIT 1', values: [] }),
    transaction.query({
      sql: `SELECT arrival, at, space, by, action, entry, request, details FROM unsealed_changes
        ORDER BY arrival LIMIT ${sequenceLimit}`,
      values: [],
    }),
  ]);
  const [head] = heading.rows as unknown as { position: number; link: string }[];
  const changes = rows as unknown as WaitingChange[];
  // An empty chain gets its key with its first row: until then a migration may bring one.
  if (head === undefined && changes.length === 0) return { count: 0, spaces: [] };
  let { position, link } = head ?? { position: 0, link: '' };
  const key = await keys.after({ position, link });
  const keyChange = toKeyChange({ position, link }, key, now);
  if (changes.length === 0 && keyChange === null) return { count: 0, spaces: [] };
  const sequenced = [...(keyChange === null ? [] : [keyChange]), ...changes].map((change) => {
    position += 1;
    link = toLink(link, position, change, key);
    const { at, space, by, action, entry, request, details } = change;
    return [position, at, space, by, action, entry, request, details, link];
  });
  for (const many of toInserts(intoJournal, sequenced)) transaction.send(many.sql, many.values);
  const arrivals = changes.map(({ arrival }) => arrival);
  transaction.send('DELETE FROM unsealed_changes WHERE arrival = ANY ($1::bigint[])', [arrivals as never]);
  return { count: changes.length, spaces: [...new Set(changes.map(({ space }) => space))] };
}

/** Returns how many additions were folded. */
export async function foldSlice(transaction: Transaction, lockClass: number): Promise<number> {
  transaction.send('SELECT pg_advisory_xact_lock($1::int, 0)', [lockClass]);
  const sizes = transaction.query({
    sql: `WITH folded AS (
        DELETE FROM size_additions WHERE ctid = ANY (ARRAY (SELECT ctid FROM size_additions LIMIT ${foldLimit}))
        RETURNING entry, bytes
      ), sums AS (
        SELECT entry, sum(bytes)::bigint AS bytes FROM folded GROUP BY entry
      ), changed AS (
        UPDATE entries SET size = entries.size + sums.bytes FROM sums WHERE entries.entry = sums.entry
      )
      SELECT count(*) AS count FROM folded`,
    values: [],
  });
  const usage = transaction.query({
    sql: `WITH folded AS (
        DELETE FROM usage_additions WHERE ctid = ANY (ARRAY (SELECT ctid FROM usage_additions LIMIT ${foldLimit}))
        RETURNING space, actor, entries, bytes
      ), changed AS (
        INSERT INTO usage (space, actor, entries, bytes)
        SELECT space, actor, sum(entries)::bigint, sum(bytes)::bigint FROM folded GROUP BY space, actor
        ON CONFLICT (space, actor) DO UPDATE
        SET entries = usage.entries + excluded.entries, bytes = usage.bytes + excluded.bytes
      )
      SELECT count(*) AS count FROM folded`,
    values: [],
  });
  const answers = await Promise.all([sizes, usage]);
  return answers.reduce((sum, { rows }) => sum + Number(rows[0]?.count), 0);
}
