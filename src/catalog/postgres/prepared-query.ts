// A statement that each connection prepares once. The driver's own class learns the shape of the rows anew with every answer;
// here it is kept, because the same statement always has the same columns.

import pg from 'pg';
import type { Row } from '../sql.ts';
import type { Value } from '../statement.ts';

export interface QueryText {
  sql: string;
  values: readonly Value[];
  isTuples?: boolean | undefined;
}

export interface QueryResult {
  rows: Row[];
  /** Rows changed or returned. */
  count: number;
  command: string;
}

interface Field {
  name: string;
  dataTypeID: number;
}

interface Shape {
  fields: readonly Field[];
  parsers: ((text: string) => unknown)[];
  /** All columns, in their order: rows that are copies of it share one hidden class. */
  template: Row;
}

type Callback = (error: Error | null, result: QueryResult) => void;

const int8 = 20;
const numeric = 1700;

/** Numbers stay below 2^53: sizes, times, counts. */
export function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8 || oid === numeric) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

const shapes = new Map<string, Shape>();

export class PreparedQuery extends pg.Query {
  readonly name: string;
  readonly #isTuples: boolean;
  readonly #result: QueryResult = { rows: [], count: 0, command: '' };
  #shape: Shape | null = null;
  /** The driver reports it instead of the result. */
  _canceledDueToError: unknown = false;
  /** The driver wraps it, for its time limit. */
  declare callback: Callback;

  constructor(name: string, { sql, values, isTuples = false }: QueryText, callback: Callback) {
    super(sql, values as unknown[], callback as never);
    this.name = name;
    this.#isTuples = isTuples;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const known = shapes.get(this.name);
    // Another schema may have other types in the columns of the same names.
    this.#shape = known !== undefined && areSame(known.fields, fields) ? known : toShape(fields);
    if (this.#shape !== known) shapes.set(this.name, this.#shape);
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }): void {
    if (this._canceledDueToError !== false || this.#shape === null) return;
    try {
      this.#result.rows.push(this.#isTuples ? toTuple(this.#shape, texts) : toRow(this.#shape, texts));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }

  /** `SELECT 5`, `INSERT 0 1`, `COMMIT`. */
  handleCommandComplete({ text }: { text: string }): void {
    const [command = '', ...numbers] = text.split(' ');
    this.#result.command = command;
    this.#result.count = Number(numbers.at(-1) ?? 0);
  }

  handleReadyForQuery(): void {
    if (this._canceledDueToError !== false) this.callback(this._canceledDueToError as Error, this.#result);
    else this.callback(null, this.#result);
  }
}

function areSame(some: readonly Field[], others: readonly Field[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ name, dataTypeID }, index) => {
    const other = others[index] as Field;
    return other.name === name && other.dataTypeID === dataTypeID;
  });
}

function toShape(fields: readonly Field[]): Shape {
  const parsers = fields.map(({ dataTypeID }) => getTypeParser(dataTypeID) as (text: string) => unknown);
  return { fields, parsers, template: Object.fromEntries(fields.map(({ name }) => [name, null])) };
}

function toRow({ fields, parsers, template }: Shape, texts: readonly (string | null)[]): Row {
  const row = { ...template };
  for (const [index, text] of texts.entries()) {
    if (text !== null) row[(fields[index] as Field).name] = parsers[index]?.(text) as Row[string];
  }
  return row;
}

function toTuple({ parsers }: Shape, texts: readonly (string | null)[]): Row {
  return texts.map((text, index) => (text === null ? null : parsers[index]?.(text))) as unknown as Row;
}
