// Validates values against the schemas that `json-schema.ts` builds. It supports the keywords that requests use, and throws
// for a schema with any other, so that none is ignored. Hides the order of the keywords, which decides which problem a caller
// sees first.

import type { TSchema } from './json-schema.ts';

export interface Problem {
  /** JSON Pointer to the invalid value; empty for the whole. */
  path: string;
  /** Follows the name of the value: "must be string". */
  message: string;
  /** The missing properties, if that is the problem. */
  missing?: readonly string[];
}

/** The first problem; null if there is none. */
type Check = (value: unknown) => Problem | null;

interface Keywords {
  type: string;
  required: readonly string[];
  patternProperties: Readonly<Record<string, TSchema>>;
  properties: Readonly<Record<string, TSchema>>;
  maxProperties: number;
  minItems: number;
  maxItems: number;
  items: TSchema;
  maxLength: number;
  pattern: string;
  minimum: number;
  maximum: number;
  enum: readonly unknown[];
  anyOf: readonly TSchema[];
}

/** Keywords that only inform readers. `format` is one of them, as in JSON Schema by default. */
const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'format',
  'contentMediaType',
  'contentEncoding',
  'enforced',
]);

const types: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value) => typeof value === 'string'],
  ['integer', (value) => Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', (value) => Array.isArray(value)],
  ['object', isObject],
]);

/** In the order of the checks. As in JSON Schema, each keyword accepts values of types that it does not apply to. */
const makers: { readonly [Name in keyof Keywords]: (argument: Keywords[Name]) => Check } = {
  type: makeType,
  required: makeRequired,
  patternProperties: makePatternProperties,
  properties: makeProperties,
  maxProperties: (max) =>
    unless(
      (value) => !isObject(value) || Object.keys(value).length <= max,
      `must not have more than ${max} properties`,
    ),
  minItems: (min) =>
    unless((value) => !Array.isArray(value) || value.length >= min, `must not have fewer than ${min} items`),
  maxItems: (max) =>
    unless((value) => !Array.isArray(value) || value.length <= max, `must not have more than ${max} items`),
  items: makeItems,
  maxLength: (max) =>
    unless((value) => typeof value !== 'string' || hasAtMost(value, max), `must not have more than ${max} characters`),
  pattern: makePattern,
  minimum: (min) => unless((value) => typeof value !== 'number' || value >= min, `must be >= ${min}`),
  maximum: (max) => unless((value) => typeof value !== 'number' || value <= max, `must be <= ${max}`),
  enum: (values) =>
    unless(
      (value) => values.includes(value),
      `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    ),
  anyOf: makeAnyOf,
};

/** Throws for a schema with a keyword that is not supported. */
export function makeCheck(schema: TSchema): Check {
  for (const keyword of Object.keys(schema)) {
    if (Object.hasOwn(makers, keyword) || annotations.has(keyword)) continue;
    throw new Error(`a schema that requests are checked against has the keyword ${keyword}, which is not known here`);
  }
  const checks = Object.entries(makers)
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, make]) => (make as (argument: unknown) => Check)(schema[keyword]));
  return (value) => findFirst(checks, (check) => check(value));
}

function makeType(name: string): Check {
  const isOfType = types.get(name);
  if (isOfType === undefined) throw new Error(`a schema that requests are checked against has the type ${name}`);
  return unless(isOfType, `must be ${name}`);
}

function makeRequired(names: readonly string[]): Check {
  return (value) => {
    if (!isObject(value)) return null;
    const missing = names.filter((name) => getOwn(value, name) === undefined);
    if (missing.length === 0) return null;
    return { path: '', message: `must have required properties ${missing.join(', ')}`, missing };
  };
}

function makePatternProperties(schemas: Readonly<Record<string, TSchema>>): Check {
  const checks = Object.entries(schemas).map(([text, schema]) => [toPattern(text), makeCheck(schema)] as const);
  return (value) => {
    if (!isObject(value)) return null;
    const entries = Object.entries(value);
    return findFirst(checks, ([pattern, check]) =>
      findFirst(entries, ([key, item]) => (pattern.test(key) ? within(key, check(item)) : null)),
    );
  };
}

function makeProperties(schemas: Readonly<Record<string, TSchema>>): Check {
  const checks = Object.entries(schemas).map(([name, schema]) => [name, makeCheck(schema)] as const);
  return (value) => {
    if (!isObject(value)) return null;
    return findFirst(checks, ([name, check]) => {
      const item = getOwn(value, name);
      return item === undefined ? null : within(name, check(item));
    });
  };
}

function makeItems(schema: TSchema): Check {
  const check = makeCheck(schema);
  return (value) => {
    if (!Array.isArray(value)) return null;
    return findFirst(value.entries(), ([index, item]) => within(String(index), check(item)));
  };
}

function makePattern(text: string): Check {
  const pattern = toPattern(text);
  return unless((value) => typeof value !== 'string' || pattern.test(value), `must match pattern "${text}"`);
}

/** If none matches, the problem is that of the first schema, which is the preferred form. */
function makeAnyOf(schemas: readonly TSchema[]): Check {
  const checks = schemas.map(makeCheck);
  return (value) => {
    const problems: Problem[] = [];
    for (const check of checks) {
      const problem = check(value);
      if (problem === null) return null;
      problems.push(problem);
    }
    return problems[0] ?? { path: '', message: 'must match a schema in anyOf' };
  };
}

function unless(matches: (value: unknown) => boolean, message: string): Check {
  return (value) => (matches(value) ? null : { path: '', message });
}

function findFirst<Item>(items: Iterable<Item>, look: (item: Item) => Problem | null): Problem | null {
  for (const item of items) {
    const problem = look(item);
    if (problem !== null) return problem;
  }
  return null;
}

function within(key: string, problem: Problem | null): Problem | null {
  if (problem === null) return null;
  return { ...problem, path: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}${problem.path}` };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Inherited properties were not sent. */
function getOwn(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Counts code points, as JSON Schema does; max texts need no counting. */
function hasAtMost(text: string, max: number): boolean {
  if (text.length <= max) return true;
  return text.length <= 2 * max && [...text].length <= max;
}

function toPattern(text: string): RegExp {
  return new RegExp(text, 'u');
}
