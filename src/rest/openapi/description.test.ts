import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { type Document, openDescription } from '../../../test/interface/description.ts';
import { routes } from '../routes.ts';
import { type MediaType, tags } from './description.ts';
import { toDocument } from './document.ts';
import { refusalMeanings } from './refusal-meanings.ts';
import { listRefusals } from './responses.ts';

type Operation = {
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, MediaType> }>;
};

type Described = { headers?: object; example?: unknown; schema: Record<string, unknown> };

const address = 'http://127.0.0.1:8080';
const document = JSON.parse(JSON.stringify(toDocument(routes, address))) as Document;
const description = await openDescription(document);

describe('Every route is described:', () => {
  for (const route of routes) {
    test(`${route.method} ${route.path}`, () => {
      const { operationId, tag, summary, description: text, parameters = [], responses, refusals } = route.describe;
      assert.match(operationId, /^[A-Z][A-Za-z]+$/);
      assert.ok(tag in tags, `tag: one of ${Object.keys(tags).join(', ')}`);
      assert.match(summary, /^[A-Z].{4,79}[^.]$/, 'summary: one line, without a full stop');
      assert.match(text, /\S/, 'description: what else a caller should know');
      assert.ok(Array.isArray(refusals), 'refusals: the codes that it can give');
      assert.ok(listRefusals(route).length > 0);
      const successes = Object.keys(responses).filter((status) => Number(status) < 400);
      assert.ok(successes.length > 0, 'responses: a success');
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual(declared.sort(), inPath.sort(), 'parameters: those of the path');
      for (const { name, description: meaning } of parameters) assert.match(meaning, /\S/, `${name}: a description`);
      checkContents(toOperation(route.method, route.path));
    });
  }
});

function toOperation(method: string, path: string): Operation {
  return document.paths[path]?.[method.toLowerCase()] as unknown as Operation;
}

function checkContents({ requestBody, responses }: Operation): void {
  if (requestBody !== undefined) checkMedia('requestBody', requestBody.content);
  for (const [status, { content = {} }] of Object.entries(responses)) {
    if (Number(status) < 400) checkMedia(status, content);
  }
}

/** JSON and forms have a schema that is a component, and an example that matches it. */
function checkMedia(where: string, content: Record<string, MediaType>): void {
  for (const [type, { schema, example, examples }] of Object.entries(content)) {
    if (!/json|form/.test(type)) continue;
    const isNamed = '$ref' in schema || 'anyOf' in schema;
    assert.ok(isNamed, `${where} ${type}: the schema has a title`);
    const shown =
      examples === undefined
        ? [example]
        : Object.values(examples).map((shown) => ('value' in shown ? shown.value : undefined));
    for (const value of shown) {
      assert.ok(value !== undefined, `${where} ${type}: an example`);
      description.checkValue(`the example of ${where} ${type}`, schema as Record<string, unknown>, value);
    }
  }
}

test('operationIds are unique', () => {
  const ids = routes.map(({ describe: { operationId } }) => operationId);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
});

test('every tag has operations', () => {
  const used = new Set(routes.map(({ describe: { tag } }) => tag));
  assert.deepEqual(
    Object.keys(tags).filter((tag) => !used.has(tag as keyof typeof tags)),
    [],
  );
});

test('no schema has a name that a generated client needs for something else', () => {
  const names = Object.keys(document.components.schemas as object);
  // In Go, NewX makes an X.
  assert.deepEqual(
    names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New')),
    [],
  );
  const builtIn = ['Error', 'Object', 'Array', 'String', 'Map', 'Set', 'Date', 'File', 'Blob', 'Request', 'Response'];
  assert.deepEqual(
    names.filter((name) => builtIn.includes(name)),
    [],
  );
});

test('no two enums that are components have a value in common', () => {
  const enums = Object.values(document.components.schemas as Record<string, { enum?: string[] }>);
  const values = enums.flatMap((schema) => schema.enum ?? []).map((value) => value.toLowerCase());
  // In Go, each value is a constant without a prefix.
  assert.deepEqual(
    values.filter((value, index) => values.indexOf(value) !== index),
    [],
  );
});

test('no request body has a wildcard as its content type, and bytes are binary', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const { requestBody } = operation as unknown as Operation;
      for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
        assert.ok(!type.includes('*'), `${method} ${path}: ${type}`);
        if (/octet-stream|partial-upload/.test(type)) assert.deepEqual(schema, { type: 'string', format: 'binary' });
      }
    }
  }
});

test('every GET has a HEAD, whose answers have no bodies', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    assert.equal('head' in operations, 'get' in operations, path);
    for (const answer of Object.values(operations.head?.responses ?? {})) {
      const [, name = ''] = /responses\/(.+)$/.exec((answer as { $ref: string }).$ref) ?? [];
      const { description: text, content } = document.components.responses[name] as {
        description: string;
        content?: object;
      };
      assert.equal(content, undefined, `HEAD ${path}: ${text}`);
    }
  }
});

test('every schema, and every field of one, is described', () => {
  const components = document.components.schemas as Record<string, Record<string, unknown>>;
  const missing = Object.entries(components).flatMap(([name, schema]) => [
    ...(schema.description === undefined ? [name] : []),
    ...listUndescribed(name, schema),
  ]);
  assert.deepEqual(missing, []);
});

test('no description says what another one says already', () => {
  const seen = new Map<string, string>();
  const repeated = listTexts('', document).flatMap(([where, text]) => {
    const first = seen.get(text);
    seen.set(text, first ?? where);
    return first === undefined ? [] : [`${where} repeats ${first}: ${text}`];
  });
  assert.deepEqual(repeated, []);
});

/** The descriptions and summaries, each with its place; those within examples are data. */
function listTexts(where: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]): [string, string][] => {
    if (/^(description|summary)$/.test(key) && typeof item === 'string') return [[`${where}/${key}`, item]];
    const isData = /^(example|value|default|enum)$/.test(key) || (key === 'examples' && where !== '/components');
    return isData ? [] : listTexts(`${where}/${key}`, item);
  });
}

test('the description of a HEAD names the headers that a success carries', () => {
  const { head } = document.paths['/v1/contentmanagement/files/{id}/content'] as unknown as {
    head?: { description: string };
  };
  assert.match(head?.description ?? '', /`ETag`.*`Repr-Digest`/);
});

test('the examples of refusals are described as docs/contract.md §7.4 has them', () => {
  const contract = readFileSync(join(import.meta.dirname, '../../../docs/contract.md'), 'utf8');
  const rows = [...contract.matchAll(/^\| `(\w+)` \| [\d, ]+ \| (.+) \|$/gm)];
  const sentences = new Map(rows.map(([, code = '', text = '']) => [code, text.replaceAll(/ \(§[\d.]+\)/g, '')]));
  for (const [code, meaning] of Object.entries(refusalMeanings)) {
    const text = sentences.get(code) ?? '';
    if (!/^see §/.test(text)) assert.equal(meaning, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, code);
  }
});

test('a length that the description of a field names is also in its schema', () => {
  const limits = listFields('', document.components.schemas).flatMap(([where, field]) => {
    const [, most] = /\b(?:at most|to) (\d+) characters/.exec(field.description ?? '') ?? [];
    return most === undefined ? [] : [{ where, most: Number(most), text: JSON.stringify(field) }];
  });
  assert.ok(limits.length >= 8);
  for (const { where, most, text } of limits) assert.ok(text.includes(`"maxLength":${most}`), `${where}: ${text}`);
});

function listFields(where: string, schema: unknown): [string, { description?: string }][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
  const own = Object.entries(properties).map(([name, field]): [string, object] => [`${where}.${name}`, field]);
  return [...own, ...Object.entries(schema).flatMap(([key, inner]) => listFields(`${where}/${key}`, inner))];
}

/** Fields that refer to a component have its description. */
function listUndescribed(where: string, schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema as Record<string, object | undefined>;
  const fields = Object.entries(properties).flatMap(([name, field]: [string, object]) => [
    ...('description' in field || '$ref' in field ? [] : [`${where}.${name}`]),
    ...listUndescribed(`${where}.${name}`, field),
  ]);
  const within = [items, additionalProperties, ...Object.values(anyOf)];
  return [...fields, ...within.flatMap((inner) => listUndescribed(where, inner))];
}

test('every parameter has an example that its schema allows, or a list of values', () => {
  const components = document.components as unknown as { parameters: Record<string, Described> };
  for (const [name, { example, schema }] of Object.entries(components.parameters)) {
    if (example === undefined) assert.ok('enum' in schema, name);
    else description.checkValue(`the example of ${name}`, schema, example);
  }
});

test('answers list the headers that their statuses need', () => {
  for (const [name, { headers = {} }] of listAnswers()) {
    if (/ (201|303)$/.test(name)) assert.ok('Location' in headers, name);
    if (/ 429$/.test(name)) assert.ok('Retry-After' in headers, name);
    if (/ 401$/.test(name)) assert.ok('WWW-Authenticate' in headers, name);
    if (/ (206|416)$/.test(name)) assert.ok('Content-Range' in headers, name);
  }
});

function listAnswers(): [string, { headers?: object }][] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses ?? {}).map(([status, answer]): [string, { headers?: object }] => {
        const [, name = ''] = /responses\/(.+)$/.exec((answer as { $ref?: string }).$ref ?? '') ?? [];
        return [`${method} ${path} ${status}`, document.components.responses[name] ?? (answer as Described)];
      }),
    ),
  );
}

test('every reference can be resolved', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string);
  assert.ok(references.length > 100);
  for (const path of new Set(references)) {
    const found = path.split('/').reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], document);
    assert.ok(found !== undefined, path);
  }
});

test('an answer with a wrong type, a missing field or an unknown field is detected', () => {
  const request = { method: 'GET', path: '/v1/contentmanagement/spaces' };
  const check = (status: number, body: unknown) =>
    description.check(request, {
      status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    });
  const space = { Id: 'a', Name: 'b', RootFolderId: 'c' };
  const error = { Message: 'No.', RequestTrackingId: '6f1c2f0e-9d84-4c55-8a3b-2f7e1d0c9b8a' };
  assert.equal(check(200, { Spaces: [space] }), 'SpacesGet');
  assert.equal(check(401, { Error: { Code: 'TokenMissing', ...error } }), 'SpacesGet');
  assert.throws(() => check(200, { Spaces: [{ ...space, Name: 1 }] }), /Name must be string/);
  assert.throws(() => check(200, { Spaces: [{ Id: 'a', Name: 'b' }] }), /RootFolderId/);
  assert.throws(() => check(200, { Spaces: [{ ...space, Colour: 'red' }] }), /Colour/);
  assert.throws(() => check(201, { Spaces: [] }), /no such status/);
  assert.throws(() => check(400, { Error: { Code: 'InvalidMove', ...error } }), /no InvalidMove/);
  assert.throws(() => check(401, { Error: { Code: 'Nonsense', ...error } }), /Code/);
});

test('redocly reports no errors and no warnings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-openapi-'));
  try {
    const path = join(folder, 'openapi.json');
    writeFileSync(path, JSON.stringify(document, null, 2));
    const root = resolve(import.meta.dirname, '../../..');
    const words = ['lint', '--format', 'json', '--config', join(root, 'redocly.yaml'), path];
    const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout, stderr } = spawnSync(process.execPath, [redocly, ...words], { encoding: 'utf8', cwd: folder, env });
    const { totals, problems } = JSON.parse(stdout || '{}') as { totals?: object; problems?: object[] };
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 }, `${JSON.stringify(problems, null, 2)}${stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
