// Builds JSON Schemas as plain objects with a static type: the same object describes a request to clients, to TypeScript
// (`Static`) and to the validator (`json-schema-check.ts`). It has only what the routes need, because it is loaded at every
// start of the service.

declare const valueType: unique symbol;
/** A symbol, because that is not part of the JSON, and is copied along with the properties of a schema. */
const optional = Symbol('optional');

/** `Value` is the type of the values that match; it exists for TypeScript only. */
export interface TSchema<Value = unknown> {
  readonly [valueType]?: Value;
  readonly [keyword: string]: unknown;
}

export type Static<Schema extends TSchema> = Schema extends TSchema<infer Value> ? Value : never;

interface TString extends TSchema<string> {
  readonly pattern?: string;
}

interface TOptional {
  readonly [optional]: true;
}

interface TObject<Properties> extends TSchema<Fields<Properties>> {
  readonly properties: Properties;
}

type Fields<Properties> = Flat<
  {
    [Name in keyof Properties as Properties[Name] extends TOptional ? never : Name]: ValueOf<Properties[Name]>;
  } & {
    [Name in keyof Properties as Properties[Name] extends TOptional ? Name : never]?: ValueOf<Properties[Name]>;
  }
>;
type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : never;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

interface Annotations {
  title?: string;
  description?: string;
  default?: unknown;
  examples?: readonly unknown[];
}

interface StringOptions extends Annotations {
  /** Constraints that are checked elsewhere, with refusals of their own: described to clients, unknown to the validator. */
  enforced?: { minLength?: number; maxLength?: number; pattern?: string; format?: string };
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  contentMediaType?: string;
  contentEncoding?: string;
  contentSchema?: TSchema;
}

interface IntegerOptions extends Annotations {
  minimum?: number;
  maximum?: number;
}

interface ArrayOptions extends Annotations {
  minItems?: number;
  maxItems?: number;
  enforced?: { minItems?: number; maxItems?: number };
}

interface ObjectOptions extends Annotations {
  additionalProperties?: boolean;
  maxProperties?: number;
}

export const Type = {
  String: (options?: StringOptions): TString => ({ type: 'string', ...options }),
  Integer: (options?: IntegerOptions): TSchema<number> => ({ type: 'integer', ...options }),
  Boolean: (options?: Annotations): TSchema<boolean> => ({ type: 'boolean', ...options }),
  Null: (options?: Annotations): TSchema<null> => ({ type: 'null', ...options }),
  Unknown: (options?: Annotations): TSchema<unknown> => ({ ...options }),

  Enum<const Values extends readonly string[]>(values: Values, options?: Annotations): TSchema<Values[number]> {
    return { enum: values, ...options };
  },

  Array<Item extends TSchema>(items: Item, options?: ArrayOptions): TSchema<Static<Item>[]> {
    return { type: 'array', items, ...options };
  },

  Union<Members extends readonly TSchema[]>(
    anyOf: readonly [...Members],
    options?: Annotations,
  ): TSchema<Static<Members[number]>> {
    return { anyOf, ...options };
  },

  Object<Properties extends Record<string, TSchema>>(
    properties: Properties,
    options?: ObjectOptions,
  ): TObject<Properties> {
    const required = Object.entries(properties).flatMap(([name, schema]) => (optional in schema ? [] : [name]));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
  },

  /** An optional property of an object. */
  Optional<Schema extends TSchema>(schema: Schema): Schema & TOptional {
    return { ...schema, [optional]: true };
  },

  /** Keys that do not match the pattern of `key` are not checked. Without a pattern, those are keys with line breaks. */
  Record<Item extends TSchema>(
    key: TString,
    value: Item,
    options?: ObjectOptions,
  ): TSchema<Record<string, Static<Item>>> {
    const patternProperties = { [key.pattern ?? '^.*$']: value };
    return { type: 'object', patternProperties, ...options };
  },
};
