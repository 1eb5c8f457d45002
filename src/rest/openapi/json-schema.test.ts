// Compares our JSON Schema builder and validator with typebox, a widely used implementation: both must build the same
// schemas, and report the same first problem of a request.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import TypeBox from 'typebox';
import { Compile } from 'typebox/compile';
import { anyCharacter } from '../../../test/any-character.ts';
import { Refusal } from '../../domain/refusal.ts';
import { LinkFile } from '../routes/links.ts';
import { ChangeEntries } from './batch-schemas.ts';
import { BatchFile, ChangeEntry, CommentVersion, CopyEntry, RestoreEntry, SelectEntries } from './entry-schemas.ts';
import * as grants from './grant-schemas.ts';
import { type Static, type TSchema, Type } from './json-schema.ts';
import { makeCheck } from './json-schema-check.ts';
import * as managing from './managing-schemas.ts';
import * as me from './me-schemas.ts';
import { CreateFolder, compileCheck, SaveFileJson } from './schemas.ts';
import * as shares from './share-schemas.ts';
import * as webhooks from './webhook-schemas.ts';

/** By the names that are passed to `compileCheck`. */
const checked: Record<string, TSchema> = {
  AddAppPassword: me.AddAppPassword,
  AddApplication: managing.AddApplication,
  AddGroup: grants.AddGroup,
  AddCertificate: managing.AddCertificate,
  AddShare: shares.AddShare,
  AddUser: managing.AddUser,
  AddPasskey: me.AddPasskey,
  AddTotp: me.AddTotp,
  AddWebhook: webhooks.AddWebhook,
  BatchFields: BatchFile,
  ChangeApplication: managing.ChangeApplication,
  ChangeEntry,
  ChangeEntries,
  ChangeShare: shares.ChangeShare,
  ChangeSpace: managing.ChangeSpace,
  ChangeUser: managing.ChangeUser,
  ChangeGroup: grants.ChangeGroup,
  Grant: grants.Grant,
  ChangePassword: me.ChangePassword,
  ChangeWebhook: webhooks.ChangeWebhook,
  CommentVersion,
  CopyEntry,
  CreateFolder,
  LinkFile,
  PasswordProof: me.PasswordProof,
  NameSpace: managing.NameSpace,
  RestoreEntry,
  ReplayWebhook: webhooks.ReplayWebhook,
  RotateWebhook: webhooks.RotateWebhook,
  RotateSecret: managing.RotateSecret,
  SaveFileJson,
  SelectEntries,
};

describe('The builder builds what typebox builds:', () => {
  const both: Record<string, (type: typeof Type) => TSchema> = {
    'a string': (type) => type.String({ maxLength: 5, pattern: '^a', description: 'd' }),
    'a string without constraints': (type) => type.String(),
    'an integer': (type) => type.Integer({ default: 2, minimum: 1, maximum: 3 }),
    'a boolean': (type) => type.Boolean({ description: 'd' }),
    null: (type) => type.Null(),
    anything: (type) => type.Unknown(),
    'an enum': (type) => type.Enum(['a', 'b'], { default: 'a' }),
    'an array': (type) => type.Array(type.Integer(), { description: 'd' }),
    'an array with limits': (type) => type.Array(type.Integer(), { minItems: 1, maxItems: 3 }),
    'a union': (type) => type.Union([type.String(), type.Null()], { description: 'd' }),
    'an object': (type) => type.Object({ a: type.String(), b: type.Optional(type.Null()) }, { title: 't' }),
    'an object without required properties': (type) =>
      type.Object({ a: type.Optional(type.String({ description: 'd' })) }),
    'an object with the properties of another': (type) => {
      const { properties } = type.Object({ a: type.Optional(type.String()), b: type.String() });
      return type.Object({ ...properties, c: type.Boolean() }, { additionalProperties: false });
    },
    'a record': (type) => type.Record(type.String(), type.Unknown(), { title: 't', maxProperties: 9 }),
    'a record with a key pattern': (type) => type.Record(type.String({ pattern: '^a' }), type.String()),
  };
  for (const [what, build] of Object.entries(both)) {
    test(what, () => {
      assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox as unknown as typeof Type)));
    });
  }
});

test('the static type of a schema is the type of its values', () => {
  type IsSame<One, Other> =
    (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : 'they differ';
  const schema = Type.Object({
    text: Type.String(),
    choice: Type.Optional(Type.Enum(['a', 'b'])),
    list: Type.Array(Type.Union([Type.Integer(), Type.Null()])),
    any: Type.Unknown(),
    flags: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
  });
  type Expected = {
    text: string;
    list: (number | null)[];
    any: unknown;
    choice?: 'a' | 'b';
    flags?: Record<string, boolean>;
  };
  const isSame: IsSame<Static<typeof schema>, Expected> = true;
  assert.ok(isSame);
});

test('every schema that a request is validated with is compared with typebox below', () => {
  const folder = join(import.meta.dirname, '..');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const names = sources.flatMap((text) => [...text.matchAll(/compileCheck\((\w*)\)/g)].map(([, name]) => name));
  assert.deepEqual(names.sort(), Object.keys(checked).sort());
});

describe('For any value, the first problem is the one that typebox reports first:', () => {
  for (const [name, schema] of Object.entries(checked)) {
    test(name, () => {
      const [check, oracle] = [makeCheck(schema), Compile(schema)];
      const counts = { fitting: 0, wrong: 0 };
      const property = fc.property(nearly(schema), (value) => {
        const problem = check(value);
        counts[problem === null ? 'fitting' : 'wrong'] += 1;
        assert.equal(problem === null, oracle.Check(value));
        const [error] = oracle.Errors(value);
        assert.equal(problem?.path, error?.instancePath);
        // typebox does not say which values are allowed.
        const isOfEnum = error?.keyword === 'enum';
        if (isOfEnum) assert.match(String(problem?.message), /^must be one of ./);
        else assert.equal(problem?.message, error?.message);
      });
      fc.assert(property, { numRuns: 300 });
      assert.ok(counts.fitting > 15 && counts.wrong > 15, `the values are one-sided: ${JSON.stringify(counts)}`);
    });
  }
});

const oddKeys = ['__proto__', 'constructor', 'prototype', 'toString', 'a/b', 'a~b', 'a\nb', '', '🗄️'];

/** Values that match the schema, almost match it, or are something else. */
function nearly(schema: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schema) }, { weight: 1, arbitrary: fc.jsonValue() });
}

function fitting(schema: TSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...(schema.anyOf as TSchema[]).map(nearly));
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as string[]));
  if (schema.type === 'string') return nearlyString(schema as { maxLength?: number; pattern?: string });
  if (schema.type === 'integer') return nearlyInteger(schema as { minimum?: number; maximum?: number });
  if (schema.type === 'array') return nearlyArray(schema);
  if (schema.patternProperties !== undefined) return nearlyRecord(schema);
  if (schema.type === 'object') return nearlyObject(schema.properties as Record<string, TSchema>);
  return fc.constant(null);
}

/** Around the maximum length, with characters of one and of two code units. */
function nearlyString({ maxLength, pattern }: { maxLength?: number; pattern?: string }): fc.Arbitrary<string> {
  const some = pattern === undefined ? fc.string({ unit: anyCharacter }) : fc.stringMatching(new RegExp(pattern));
  if (maxLength === undefined) return some;
  const lengths = fc.constantFrom(maxLength - 1, maxLength, maxLength + 1, 2 * maxLength + 2);
  const long = fc.tuple(fc.constantFrom('a', '🗄', '\ud83d'), lengths).map(([unit, length]) => unit.repeat(length));
  const mixed = long.map((text) => `${text.slice(2)}🗄`);
  return fc.oneof({ weight: 4, arbitrary: some }, { weight: 1, arbitrary: fc.oneof(long, mixed) });
}

function nearlyInteger({ minimum = 0, maximum = 9 }: { minimum?: number; maximum?: number }): fc.Arbitrary<number> {
  const edges = fc.constantFrom(minimum - 1, minimum, minimum + 0.5, maximum, maximum + 1, -0, 1e300);
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: minimum, max: maximum }) },
    { weight: 1, arbitrary: edges },
  );
}

function nearlyArray({ items, maxItems }: TSchema): fc.Arbitrary<unknown> {
  const few = fc.array(nearly(items as TSchema), { maxLength: 4 });
  if (maxItems === undefined) return few;
  const many = fc
    .integer({ min: -1, max: 1 })
    .map((more) => Array.from({ length: (maxItems as number) + more }, String));
  return fc.oneof({ weight: 20, arbitrary: few }, { weight: 1, arbitrary: many });
}

function nearlyRecord({ patternProperties, maxProperties }: TSchema): fc.Arbitrary<unknown> {
  const [item] = Object.values(patternProperties as Record<string, TSchema>) as [TSchema];
  const key = fc.oneof(fc.string(), fc.constantFrom(...oddKeys));
  const few = fc.array(fc.tuple(key, nearly(item)), { maxLength: 4 }).map(Object.fromEntries);
  if (maxProperties === undefined) return few;
  const many = fc.integer({ min: -1, max: 1 }).map((more) => {
    const count = (maxProperties as number) + more;
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'v']));
  });
  return fc.oneof({ weight: 5, arbitrary: few }, { weight: 1, arbitrary: many });
}

/** Sometimes a property is missing, and sometimes there is an additional one. */
function nearlyObject(properties: Record<string, TSchema>): fc.Arbitrary<unknown> {
  const own = Object.entries(properties).map(([name, schema]) =>
    fc.option(
      nearly(schema).map((value) => [name, value] as const),
      { freq: 4 },
    ),
  );
  const other = fc.option(fc.tuple(fc.constantFrom(...oddKeys), fc.jsonValue()));
  return fc.tuple(...own, other).map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== null)));
}

test('lengths are counted in code points, and a lone surrogate is one', () => {
  const check = makeCheck(Type.String({ maxLength: 2 }));
  for (const valid of ['', 'ab', '🗄🗄', '\ud83d\ud83d']) assert.equal(check(valid), null);
  for (const long of ['abc', '🗄🗄🗄', '\udcc4\udcc4\ud83d\udcc4']) {
    assert.equal(check(long)?.message, 'must not have more than 2 characters');
  }
});

test('inherited properties do not count', () => {
  const check = makeCheck(Type.Object({ constructor: Type.String(), toString: Type.Optional(Type.String()) }));
  assert.deepEqual(check({})?.missing, ['constructor']);
  assert.deepEqual(check(Object.create({ constructor: 'a' }))?.missing, ['constructor']);
  assert.equal(check({ constructor: 'a' }), null);
  assert.equal(check(Object.assign(Object.create(null), { constructor: 'a', toString: 1 }))?.path, '/toString');
});

test('a field named __proto__ is checked like any other', () => {
  const check = makeCheck(Type.Record(Type.String(), Type.String()));
  assert.deepEqual(check(JSON.parse('{"a":"b","__proto__":{"c":"d"}}')), {
    path: '/__proto__',
    message: 'must be string',
  });
});

test('a schema with an unsupported keyword, at any depth, is rejected', () => {
  const unknown: TSchema = { type: 'string', minLength: 1 };
  const schemas: TSchema[] = [
    unknown,
    Type.Object({ a: Type.Optional(unknown) }),
    Type.Record(Type.String(), unknown),
    Type.Array(unknown),
    Type.Union([Type.Null(), unknown]),
    Type.Object({ a: Type.Null() }, { additionalProperties: false }),
    JSON.parse('{"__proto__":{}}') as TSchema,
  ];
  for (const schema of schemas) {
    assert.throws(() => compileCheck(schema), /has the keyword \w+, which is not known here/);
  }
  assert.throws(() => compileCheck({ type: 'number' }), /has the type number/);
});

test('a keyword that only informs readers is allowed', () => {
  const annotations = { title: 'A', description: 'b', default: 'c', examples: ['d'], format: 'uuid' };
  const check = makeCheck({
    type: 'string',
    ...annotations,
    contentMediaType: 'text/plain',
    contentEncoding: 'base64',
  });
  assert.equal(check('e'), null);
});

test('a refusal names the invalid field, and the path in it', () => {
  const refusals: [value: unknown, target: string, message: string][] = [
    [{}, 'Role', 'Role is missing.'],
    [{ Role: 'cook' }, 'Role', 'Role must be one of "viewer", "editor", "manager".'],
    [[], 'body', 'body must be an object.'],
  ];
  const check = compileCheck(managing.ChangeUser);
  for (const [value, target, message] of refusals) {
    assert.throws(() => check(value), new Refusal('InvalidField', message, { target }));
  }
  assert.throws(
    () => compileCheck(ChangeEntry)({ Properties: { 'a/b': 1 } }),
    new Refusal('InvalidField', 'Properties (at a~1b) must be a string.', { target: 'Properties' }),
  );
});
