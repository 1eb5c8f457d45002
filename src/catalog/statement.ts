// SQL as parts. The tag `sql` makes a statement of text and values; engines render the parts in their dialect and never
// parse or rewrite text. A template without nested parts is one statement; with nested parts (`raw`, `join`, another
// `sql`) it is one statement per combination.

export type Value = string | number | bigint | Uint8Array | null;

/** Values that engines compute in their own way, because columns may lag behind: the size of an entry, and the entries and
 *  bytes of an actor. */
export type ComputedValue = 'exact size' | 'exact entries' | 'exact bytes';

type Part = string | { readonly computed: ComputedValue } | typeof valuePart;

/** Where a value goes. */
const valuePart = { isValue: true } as const;

/** Compared by identity. There are only as many as templates and combinations in the source, so that engines can cache. */
export class Statement {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  render(dialect: Dialect): string {
    let count = 0;
    const toText = (part: Part): string => {
      if (typeof part === 'string') return part;
      if ('computed' in part) return dialect.computed[part.computed];
      count += 1;
      return dialect.toPlaceholder(count);
    };
    return this.parts.map(toText).join('');
  }
}

export interface Dialect {
  /** `index` counts the values from 1. */
  toPlaceholder(index: number): string;
  computed: Readonly<Record<ComputedValue, string>>;
}

/** A statement, or a part of one, with its values. */
export class Sql {
  readonly statement: Statement;
  readonly values: readonly Value[];

  constructor(statement: Statement, values: readonly Value[]) {
    this.statement = statement;
    this.values = values;
  }
}

const plain = new WeakMap<TemplateStringsArray, Statement>();
const composed = new WeakMap<TemplateStringsArray, Variant[]>();

/** The statement of a template with these nested parts; null stands for a value. */
interface Variant {
  nested: readonly (Statement | null)[];
  statement: Statement;
}

export function sql(texts: TemplateStringsArray, ...holes: (Value | Sql)[]): Sql {
  for (const hole of holes) if (hole instanceof Sql) return compose(texts, holes);
  let statement = plain.get(texts);
  if (statement === undefined) {
    statement = toStatement(
      texts,
      holes.map(() => null),
    );
    plain.set(texts, statement);
  }
  return new Sql(statement, holes as Value[]);
}

function compose(texts: TemplateStringsArray, holes: readonly (Value | Sql)[]): Sql {
  const values: Value[] = [];
  for (const hole of holes) {
    if (hole instanceof Sql) values.push(...hole.values);
    else values.push(hole);
  }
  const variants = composed.get(texts);
  const known = variants?.find((variant) => isVariant(variant, holes));
  if (known !== undefined) return new Sql(known.statement, values);
  const nested = holes.map((hole) => (hole instanceof Sql ? hole.statement : null));
  const statement = toStatement(texts, nested);
  if (variants === undefined) composed.set(texts, [{ nested, statement }]);
  else variants.push({ nested, statement });
  return new Sql(statement, values);
}

function isVariant({ nested }: Variant, holes: readonly (Value | Sql)[]): boolean {
  for (let index = 0; index < holes.length; index += 1) {
    const hole = holes[index];
    if (nested[index] !== (hole instanceof Sql ? hole.statement : null)) return false;
  }
  return true;
}

function toStatement(texts: readonly string[], nested: readonly (Statement | null)[]): Statement {
  return new Statement(texts.flatMap((text, index) => (index === 0 ? [text] : [...toParts(nested[index - 1]), text])));
}

function toParts(nested: Statement | null | undefined): readonly Part[] {
  return nested?.parts ?? [valuePart];
}

const raws = new Map<string, Sql>();

/** Text that is the same in every dialect, such as names of tables and columns. Never pass user input. */
export function raw(text: string): Sql {
  let made = raws.get(text);
  if (made === undefined) {
    made = new Sql(new Statement([text]), []);
    raws.set(text, made);
  }
  return made;
}

function compute(name: ComputedValue): Sql {
  return new Sql(new Statement([{ computed: name }]), []);
}

export const exactSize = compute('exact size');
export const exactEntries = compute('exact entries');
export const exactBytes = compute('exact bytes');

/** Parts with a separator between them. */
export function join(parts: readonly Sql[], separator: ', ' | ' '): Sql {
  const [first = raw(''), ...rest] = parts;
  const between = raw(separator);
  return rest.reduce((before, part) => sql`${before}${between}${part}`, first);
}

/** An insert without its values. Engines decide how many rows they write at a time. */
export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  /** The column that gets the number of the row, which the engine assigns. It is not among `columns`. */
  readonly numbered: string | null;
  /** The clause after the values: the same in every dialect, and without values of its own. */
  readonly onConflict: string;
  /** If no row is written, another writer was first, and the engine runs the whole verb again. */
  readonly mustWrite: boolean;
}

/** `columns` are separated by white space. */
export function insertInto(
  table: string,
  columns: string,
  { numbered = null, onConflict = '', mustWrite = false }: Partial<Insert> = {},
): Insert {
  return { table, columns: columns.split(/\s+/), numbered, onConflict, mustWrite };
}
