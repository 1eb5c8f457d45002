// Renders statements for SQLite. Columns are exact here, and there is one writer: rows need no locks.

import { checkKind, type QueryKind } from '../sql.ts';
import type { Dialect, Insert, Statement } from '../statement.ts';

const dialect: Dialect = {
  toPlaceholder: () => '?',
  computed: { 'exact size': 'size', 'exact entries': 'entries', 'exact bytes': 'bytes' },
};

export function toText(kind: QueryKind, statement: Statement): string {
  const text = statement.render(dialect);
  checkKind(kind, text);
  return text;
}

export function toInsertText({ table, columns, onConflict }: Insert): string {
  const placeholders = columns.map(() => '?').join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders}) ${onConflict}`;
}
