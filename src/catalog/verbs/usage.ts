// Usage of a space, in total and by creator, kept exact by every verb that adds or removes; and the enforcement of quotas.

import { quotaExceeded } from '../../domain/refusal.ts';
import { add, lockTuples, pending, row, rows, type Verb } from '../sql.ts';
import { exactBytes, exactEntries, sql } from '../statement.ts';

/** The actor that stands for the whole space. */
export const everyone = '';

export interface Usage {
  entries: number;
  bytes: number;
}

interface QuotaRow extends Usage {
  actor: string;
  most_entries: number | null;
  most_bytes: number | null;
}

/** The upload that a save completes. */
export interface FinishingUpload {
  id: string;
  turn: number;
  /** The partial uploads that it joins. */
  parts?: readonly string[];
}

/** Bytes of unfinished uploads. Those of a final upload are the bytes of its parts. */
export function* findParkedBytes(space: number, actor: string): Verb<number> {
  const counted = actor === everyone ? sql`` : sql` AND actor = ${actor}`;
  const found = yield* row<{ bytes: number }>(sql`SELECT CAST(coalesce(sum(size), 0) AS BIGINT) AS bytes FROM uploads
    WHERE space = ${space}${counted} AND result IS NULL AND kind <> 'final'`);
  return Number(found?.bytes ?? 0);
}

/** How much of what is parked becomes the file that is being saved. */
function* findFinishedBytes(space: number, { id, parts = [] }: FinishingUpload): Verb<number> {
  let bytes = 0;
  for (const one of new Set([id, ...parts])) {
    const found = yield* row<{ size: number }>(
      sql`SELECT size FROM uploads WHERE id = ${one} AND space = ${space} AND result IS NULL AND kind <> 'final'`,
    );
    bytes += Number(found?.size ?? 0);
  }
  return bytes;
}

/** Call it before anything is written. `upload`: its bytes are counted already. */
export function* checkQuota(space: number, actor: string, added: Usage, upload?: FinishingUpload): Verb<void> {
  if (added.entries <= 0 && added.bytes <= 0) return;
  const limited = sql`FROM usage WHERE space = ${space} AND actor IN ('', ${actor})
    AND (most_entries IS NOT NULL OR most_bytes IS NOT NULL)`;
  if ((yield* rows(sql`SELECT actor ${limited}`)).length === 0) return;
  // Others who add to the same quota wait here, and then see these additions.
  yield* lockTuples(sql`SELECT actor ${limited} ORDER BY actor`);
  const found = yield* rows<QuotaRow>(
    sql`SELECT actor, ${exactEntries} AS entries, ${exactBytes} AS bytes, most_entries, most_bytes ${limited}`,
  );
  const finished = upload === undefined ? 0 : yield* findFinishedBytes(space, upload);
  for (const { actor: of, most_entries, most_bytes, ...held } of found) {
    const waiting = yield* pending({ kind: 'usage', space, actor: of });
    const parked = most_bytes === null ? 0 : (yield* findParkedBytes(space, of)) - finished;
    const [entries, bytes] = [held.entries + waiting.entries, held.bytes + waiting.bytes + parked];
    const whose = of === everyone ? 'The space' : JSON.stringify(of);
    if (most_entries !== null && added.entries > 0 && entries + added.entries > most_entries) {
      throw quotaExceeded(`${whose} may have ${most_entries} entries and has ${entries}.`);
    }
    if (most_bytes !== null && added.bytes > 0 && bytes + added.bytes > most_bytes) {
      throw quotaExceeded(`${whose} may hold ${most_bytes} bytes and holds ${bytes}.`);
    }
  }
}

export function* addUsage(space: number, actor: string, { entries, bytes }: Usage): Verb<void> {
  if (entries === 0 && bytes === 0) return;
  for (const counted of [everyone, actor]) yield* add({ kind: 'usage', space, actor: counted, entries, bytes });
}

/** Additions of one verb by creator, written once for each. */
export class Tally {
  readonly #byActor = new Map<string, Usage>();

  add(actor: string, entries: number, bytes: number): void {
    const sum = this.#byActor.get(actor) ?? { entries: 0, bytes: 0 };
    this.#byActor.set(actor, { entries: sum.entries + entries, bytes: sum.bytes + bytes });
  }

  of(actor: string): Usage {
    return this.#byActor.get(actor) ?? { entries: 0, bytes: 0 };
  }

  *write(space: number): Verb<void> {
    for (const [actor, sum] of this.#byActor) yield* addUsage(space, actor, sum);
  }
}
