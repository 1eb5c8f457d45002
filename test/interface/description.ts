// Compares every response of the suite with the service's own description: `/openapi.json` of the address must declare the
// operation, the status, the content type, the error code and each field of the body, and no undeclared field may occur.
// Checks are counted for the report of `run.ts`. OAuth endpoints and MCP have protocols of their own.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Compile } from 'typebox/schema';
import type { Answer } from './client.ts';
import { request } from './http.ts';

type Json = Record<string, unknown>;
type Response = { headers?: Json; content?: Record<string, { schema: Json; example?: unknown; examples?: Json }> };
type Operation = { operationId: string; responses: Record<string, Response | { $ref: string }> };
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: Json & { responses: Record<string, Response>; headers: Json };
};
export type Requested = { method: string; path: string };

const FOREIGN = /^\/((oauth2|\.well-known)\/|mcp$)/;
/** Error codes where no operation was found, and for malformed HTTP. */
const UNFOUND = ['RouteNotFound', 'MethodNotAllowed', 'MalformedRequest', 'HeadersTooLarge', 'InvalidHeader'];

export class Description {
  readonly #document: Document;
  readonly #closed: Json;
  readonly #validators = new Map<object, ReturnType<typeof Compile>>();

  readonly #compile: typeof Compile;

  constructor(document: Document, compile: typeof Compile) {
    this.#document = document;
    this.#compile = compile;
    this.#closed = close(document.components) as Json;
  }

  get operations(): string[] {
    return Object.entries(this.#document.paths)
      .filter(([path]) => !FOREIGN.test(path))
      .flatMap(([, operations]) => Object.entries(operations))
      .filter(([method]) => method !== 'head')
      .map(([, { operationId }]) => operationId);
  }

  /** Fails when the answer is not as described; returns the id of the operation, null where there is none to be held to. */
  check(requested: Requested, answer: Answer): string | null {
    const path = toPath(requested.path);
    if (FOREIGN.test(path)) return null;
    const operation = this.#find(requested.method, path);
    if (operation === null) {
      this.#checkUnfound(requested, answer);
      return null;
    }
    const what = `${requested.method} ${path} (${operation.operationId}) ${answer.status}`;
    const response = this.#resolve(operation.responses[answer.status]);
    assert.ok(response, `${what}: the description has no such status: ${answer.body.toString('utf8', 0, 500)}`);
    this.#checkHeaders(what, response, answer);
    if (requested.method !== 'HEAD') this.#checkBody(what, response, answer);
    return operation.operationId.replace(/Head$/, '');
  }

  #resolve(response: Response | { $ref: string } | undefined): Response | undefined {
    if (response === undefined || !('$ref' in response)) return response;
    return this.#document.components.responses[response.$ref.replace('#/components/responses/', '')];
  }

  #find(method: string, path: string): Operation | null {
    const templates = Object.keys(this.#document.paths);
    const template = templates.includes(path) ? path : templates.find((known) => isMatch(known, path));
    return (template === undefined ? null : this.#document.paths[template]?.[method.toLowerCase()]) ?? null;
  }

  /** A header that is described anywhere must be described wherever it is sent. */
  #checkHeaders(what: string, { headers = {} }: Response, answer: Answer): void {
    const listed = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    for (const name of Object.keys(this.#document.components.headers).map((known) => known.toLowerCase())) {
      assert.ok(!(name in answer.headers) || listed.has(name), `${what}: the description has no header ${name}`);
    }
  }

  #checkUnfound({ method, path }: Requested, answer: Answer): void {
    // A preflight request of a browser.
    if (method === 'OPTIONS' && answer.status === 200) return;
    const what = `${method} ${path}, which the description does not have`;
    if (method === 'HEAD') return;
    this.#checkSchema(what, { $ref: '#/components/schemas/ErrorAnswer' }, answer);
    const { Code } = (JSON.parse(answer.body.toString()) as { Error: { Code: string } }).Error;
    assert.ok(UNFOUND.includes(Code), `${what}: ${answer.status} ${Code}`);
  }

  #checkBody(what: string, { content }: Response, answer: Answer): void {
    if (content === undefined) {
      assert.equal(answer.body.length, 0, `${what}: a body that is not described`);
      return;
    }
    const type = String(answer.headers['content-type'] ?? '').replace(/\s*;.*$/, '');
    const [family] = type.split('/');
    const media = content[type] ?? content[`${family}/*`] ?? content['*/*'];
    assert.ok(media, `${what}: the description has no ${type}`);
    if (content['application/json'] !== media) return;
    this.#checkSchema(what, media.schema, answer);
    if (answer.status < 400) return;
    const { Code } = (JSON.parse(answer.body.toString()) as { Error: { Code: string } }).Error;
    assert.ok(media.examples === undefined || Code in media.examples, `${what}: the description has no ${Code}`);
  }

  #checkSchema(what: string, schema: Json, answer: Answer): void {
    this.checkValue(what, schema, JSON.parse(answer.body.toString()));
  }

  checkValue(what: string, schema: Json, value: unknown): void {
    let validator = this.#validators.get(schema);
    if (validator === undefined) {
      validator = this.#compile({ ...(close(schema) as Json), components: this.#closed });
      this.#validators.set(schema, validator);
    }
    if (validator.Check(value)) return;
    const [, errors] = validator.Errors(value);
    const problems = errors.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    assert.fail(`${what} is not as described:\n${problems.join('\n')}\n${JSON.stringify(value).slice(0, 1000)}`);
  }
}

/** The path as the router sees it: without the query, and without the address of an absolute form. */
function toPath(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, '').replace(/\?.*$/s, '');
}

function isMatch(template: string, path: string): boolean {
  const [expected, actual] = [template.split('/'), path.split('/')];
  return (
    expected.length === actual.length &&
    expected.every((segment, index) => (segment.startsWith('{') ? actual[index] !== '' : segment === actual[index]))
  );
}

/** A copy in which objects have the fields that are declared, and no others. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  const isOpen = typeof closed.properties === 'object' && closed.additionalProperties === undefined;
  return isOpen && closed.type === 'object' ? { ...closed, additionalProperties: false } : closed;
}

const descriptions = new Map<string, Promise<Description>>();
let checked = 0;
const covered = new Set<string>();

/** Checks an answer of the service that the suite runs against; those of others, and answers outside the suite, pass. */
export async function checkDescribed(base: string, requests: readonly Requested[], answer: Answer): Promise<void> {
  if (process.env.CABINET_DESCRIBED === undefined || answer.status < 200) return;
  const known = descriptions.get(base) ?? fetchDescription(base);
  descriptions.set(base, known);
  const operation = checkAny(await known, requests, answer);
  checked += 1;
  if (operation !== null) covered.add(operation);
}

/** On a bare socket it is not always sure to which of several requests an answer belongs: one of them must fit. */
function checkAny(description: Description, requests: readonly Requested[], answer: Answer): string | null {
  const [first = { method: 'GET', path: 'nothing that was understood' }, ...others] = requests;
  try {
    return description.check(first, answer);
  } catch (error) {
    if (others.length === 0) throw error;
    return checkAny(description, others, answer);
  }
}

/** The validator is loaded only where answers are checked: other suites use the same client. */
export async function openDescription(document: Document): Promise<Description> {
  const { Compile: compile } = await import('typebox/schema');
  return new Description(document, compile);
}

export async function fetchDescription(base: string): Promise<Description> {
  const outgoing = request(`${base}/openapi.json`).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200, 'the service describes itself');
  const bytes = Buffer.concat(await answer.toArray());
  return await openDescription(JSON.parse(bytes.toString()) as Document);
}

process.on('exit', () => {
  const path = process.env.CABINET_DESCRIBED;
  if (path !== undefined && checked > 0) {
    appendFileSync(path, `${JSON.stringify({ checked, covered: [...covered] })}\n`);
  }
});

/** What all test files checked together. */
export function readChecked(path: string): { checked: number; covered: Set<string> } {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const all = lines.map((line) => JSON.parse(line) as { checked: number; covered: string[] });
  return {
    checked: all.reduce((sum, one) => sum + one.checked, 0),
    covered: new Set(all.flatMap((one) => one.covered)),
  };
}
