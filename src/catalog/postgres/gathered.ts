// What verbs add to sums and write into the journal, gathered until it is sent, many rows at a time.

import type { Change } from '../../domain/chain.ts';
import type { Value } from '../sql.ts';
import { Sums } from '../verbs/sums.ts';
import { toManyInserts } from './statements.ts';
import type { Transaction } from './transaction.ts';

export class Gathered {
  readonly sums = new Sums();
  readonly changes: Change[] = [];

  addAll({ sums, changes }: Gathered): void {
    this.sums.addAll(sums);
    this.changes.push(...changes);
  }

  send(transaction: Transaction): void {
    const sendAll = (sql: string, sets: Value[][]) => {
      for (const { sql: text, values } of toManyInserts(sql, sets)) transaction.send(text, values);
    };
    sendAll(
      `INSERT INTO unsealed_changes (at, space, by, action, entry, request, details) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
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
    sendAll('INSERT INTO size_additions (entry, bytes) VALUES ($1, $2)', this.sums.sizes());
    sendAll(
      'INSERT INTO usage_additions (space, actor, entries, bytes) VALUES ($1, $2, $3, $4)',
      this.sums.usage().map(({ space, actor, entries, bytes }) => [space, actor, entries, bytes]),
    );
  }
}
