// Additions to sums and journal changes of verbs, collected and sent with many rows per statement.

import type { Change } from '../../domain/chain.ts';
import { type Insert, insertInto, type Value } from '../statement.ts';
import { Sums } from '../verbs/sums.ts';
import { toInserts } from './statements.ts';
import type { Transaction } from './transaction.ts';

const intoChanges = insertInto('unsealed_changes', 'at space by action entry request details');
const intoSizeAdditions = insertInto('size_additions', 'entry bytes');
const intoUsageAdditions = insertInto('usage_additions', 'space actor entries bytes');

export class PendingWrites {
  readonly sums = new Sums();
  readonly changes: Change[] = [];

  addAll({ sums, changes }: PendingWrites): void {
    this.sums.addAll(sums);
    this.changes.push(...changes);
  }

  send(transaction: Transaction): void {
    const sendAll = (insert: Insert, rows: Value[][]) => {
      for (const { sql, values } of toInserts(insert, rows)) transaction.send(sql, values);
    };
    sendAll(
      intoChanges,
      this.changes.map(({ at, space, by, action, entry, request, details }) => [
        at,
        space,
        by,
        action,
        entry,
        request,
        details,
      ]),
    );
    sendAll(intoSizeAdditions, this.sums.sizes());
    sendAll(
      intoUsageAdditions,
      this.sums.usage().map(({ space, actor, entries, bytes }) => [space, actor, entries, bytes]),
    );
  }
}
