// The collections for Postman and Bruno: in step with the description, and the walk through the interface can be walked.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { listAsks, variables, walkFolder } from '../../examples/collections/asks.ts';
import { renderCollections } from '../../examples/collections/make.ts';
import { toDocument } from '../../src/rest/openapi/document.ts';
import { resolveParameters } from '../../src/rest/openapi/resolve-parameters.ts';
import { routes } from '../../src/rest/routes.ts';
import { type Caller, type Headers, send } from '../interface/client.ts';
import { type Document, openDescription } from '../interface/description.ts';
import { MULTIPART, multipart } from '../interface/multipart.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';

const folder = join(import.meta.dirname, '../../examples/collections');
const document = resolveParameters(toDocument(routes, 'http://127.0.0.1:8080')) as unknown as Document;
const description = await openDescription(document);

interface Pair {
  key: string;
  value: string;
  disabled?: boolean;
}
interface Item {
  name: string;
  request: {
    method: string;
    auth?: { type: 'basic' | 'noauth' };
    header: Pair[];
    url: { path: string[]; query?: Pair[]; variable?: Pair[] };
    body?: { mode: string; raw?: string; urlencoded?: Pair[]; formdata?: Pair[] };
  };
  event: { script: { exec: string[] } }[];
}
interface Collection {
  variable: Pair[];
  item: { name: string; item: Item[] }[];
}

const file = join(folder, 'cabinet.postman_collection.json');
const collection = JSON.parse(readFileSync(file, 'utf8')) as Collection;

function listFiles(): string[] {
  const bruno = readdirSync(join(folder, 'bruno'), { recursive: true, withFileTypes: true });
  const files = bruno.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return [file, ...files].map((path) => path.slice(folder.length + 1)).sort();
}

test('The collections are those that npm run collections writes', () => {
  const made = renderCollections();
  assert.deepEqual(listFiles(), [...made.keys()].sort(), 'run npm run collections');
  for (const [path, text] of made) {
    assert.equal(readFileSync(join(folder, path), 'utf8'), text, `${path} is out of step: run npm run collections`);
  }
});

test('Every operation that needs a token is in them, once besides the walk-through', () => {
  const needed = Object.values(document.paths)
    .flatMap((operations) => Object.entries(operations))
    .filter(([method]) => method !== 'head')
    .map(([, operation]) => operation)
    .filter((operation) => (operation as unknown as { security: object[] }).security.some((way) => 'token' in way));
  const ids = listAsks()
    .filter((ask) => ask.folder !== walkFolder)
    .map(({ operationId }) => operationId);
  for (const { operationId } of needed) assert.equal(ids.filter((id) => id === operationId).length, 1, operationId);
});

test('Every request of the Postman collection uses known variables and described parameters', () => {
  const known = new Set(collection.variable.map(({ key }) => key));
  assert.deepEqual(known, new Set(Object.keys(variables)));
  for (const [, name = ''] of JSON.stringify(collection).matchAll(/\{\{(\w+)\}\}/g)) assert.ok(known.has(name), name);
  for (const { request, name } of collection.item.flatMap(({ item }) => item)) {
    const path = `/${request.url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`;
    const operation = document.paths[path]?.[request.method.toLowerCase()] as unknown as Described;
    assert.ok(operation, `${name}: ${request.method} ${path}`);
    const places = new Set(operation.parameters?.map((parameter) => `${parameter.in} ${parameter.name}`));
    for (const { key } of request.header) {
      assert.ok(key === 'AppKey' || key === 'Content-Type' || places.has(`header ${key}`), `${name}: ${key}`);
    }
    for (const { key } of request.url.query ?? []) assert.ok(places.has(`query ${key}`), `${name}: ${key}`);
    for (const { key } of request.url.variable ?? []) assert.ok(places.has(`path ${key}`), `${name}: ${key}`);
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (request.body?.mode !== 'raw' || schema === undefined || !request.body.raw?.startsWith('{')) continue;
    description.checkValue(name, schema, JSON.parse(request.body.raw));
  }
});

interface Described {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
}

/** As much of what Postman does as the collection needs. */
class Runner {
  readonly #values: Map<string, string>;

  constructor(values: Record<string, string>) {
    this.#values = new Map(Object.entries(values));
  }

  #fill(text: string): string {
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => this.#values.get(name) ?? assert.fail(`no ${name}`));
  }

  async run({ request, event }: Item): Promise<void> {
    const { url, method } = request;
    const values = new Map(url.variable?.map(({ key, value }) => [key, this.#fill(value)]));
    const path = url.path.map((segment) => (segment[0] === ':' ? values.get(segment.slice(1)) : segment)).join('/');
    const query = (url.query ?? []).filter(({ disabled }) => disabled !== true);
    const target = `/${path}${query.length === 0 ? '' : `?${new URLSearchParams(query.map(({ key, value }) => [key, this.#fill(value)]))}`}`;
    const { type, body } = this.#toBody(request.body);
    const sent = request.header.filter(({ disabled }) => disabled !== true);
    const headers: Headers = {
      Authorization: this.#toAuthorization(request.auth?.type),
      ...Object.fromEntries(sent.map(({ key, value }) => [key, this.#fill(value)])),
      ...(type !== undefined && { 'Content-Type': type }),
    };
    const answer = await send(this.#fill('{{baseUrl}}'), target, { method, headers, ...(body && { body }) });
    description.check({ method, path: target }, answer);
    const response = {
      code: answer.status,
      json: () => JSON.parse(answer.body.toString()) as unknown,
      headers: { get: (name: string) => answer.headers[name] },
      to: { have: { status: (status: number) => assert.equal(answer.status, status, answer.body.toString()) } },
    };
    const pm = {
      response,
      test: (_name: string, check: () => void) => check(),
      collectionVariables: { set: (name: string, value: string) => this.#values.set(name, value) },
    };
    for (const { script } of event) runInNewContext(script.exec.join('\n'), { pm });
  }

  #toAuthorization(kind: 'basic' | 'noauth' | undefined): string | undefined {
    if (kind === 'noauth') return undefined;
    if (kind === undefined) return this.#fill('Bearer {{token}}');
    return `Basic ${Buffer.from(this.#fill('{{appKey}}:{{secret}}')).toString('base64')}`;
  }

  #toBody(body: Item['request']['body']): { type?: string; body?: string | Uint8Array } {
    if (body?.raw !== undefined) return { body: this.#fill(body.raw) };
    if (body?.urlencoded !== undefined) {
      const form = new URLSearchParams(body.urlencoded.map(({ key, value }) => [key, this.#fill(value)]));
      return { type: 'application/x-www-form-urlencoded', body: form.toString() };
    }
    if (body?.formdata === undefined) return {};
    const parts = body.formdata.map(({ key, value }) => ({ name: key, content: this.#fill(value) }));
    return { type: MULTIPART, body: multipart(parts) };
  }
}

const dataFolder = makeDataFolder();
let service: StartedHere;
let caller: Caller;

before(async () => {
  service = await startServiceHere(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'collections');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

test('The walk-through runs from top to bottom, twice', async () => {
  const { AppKey, Secret } = caller.application;
  const steps = collection.item.find(({ name }) => name === walkFolder)?.item ?? [];
  assert.ok(steps.length >= 15);
  for (let round = 0; round < 2; round += 1) {
    const runner = new Runner({ ...variables, baseUrl: service.production, appKey: AppKey, secret: Secret });
    for (const step of steps) {
      await runner.run(step).catch((error: Error) => {
        throw new Error(`${step.name}: ${error.message}`, { cause: error });
      });
    }
  }
});
