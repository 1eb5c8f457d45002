// `GET /docs`: the page to read and try the API, and its files. They are in `src/rest/docs` as browsers run them, without a
// build. Browsers cache them, and revalidate each time.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../listener/answer.ts';
import { bytesAnswer, header, ids, pageAnswer } from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { type OpenRoute, type RouteExchange, routeNotFound } from '../route.ts';

const folder = join(import.meta.dirname, '../docs');

/** The content type of each file, by name. */
const files: Record<string, string> = {
  'dom.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'operation.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'request.js': 'text/javascript; charset=utf-8',
  'schema.js': 'text/javascript; charset=utf-8',
  'try.js': 'text/javascript; charset=utf-8',
};

/** Scripts and styles from our own origin only, none inline; no markup is made from text (Trusted Types). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const commonHeaders = {
  'Content-Security-Policy': policy,
  'Cache-Control': 'no-cache',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

interface File {
  text: string;
  etag: string;
}

/** Each file is read on its first request. */
const cache = new Map<string, File>();

function readFile(name: string): File {
  let file = cache.get(name);
  if (file === undefined) {
    const text = readFileSync(join(folder, name), 'utf8');
    file = { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
    cache.set(name, file);
  }
  return file;
}

function answerFile(name: string, { request }: RouteExchange): Answer {
  const type = Object.hasOwn(files, name) ? files[name] : undefined;
  if (type === undefined) throw routeNotFound();
  const { text, etag } = readFile(name);
  const headers = { ...commonHeaders, 'Content-Type': type, ETag: etag };
  const isCached = request.headers['if-none-match']?.includes(etag) ?? false;
  return isCached ? { status: 304, headers, body: '' } : { status: 200, headers, body: text };
}

const ifNoneMatch = header('If-None-Match', '304 if it is still the same', exampleETag);
const notModified = { 304: { description: 'It has not changed', headers: answerHeader('ETag') } };

export const docsRoute: OpenRoute = {
  method: 'GET',
  path: '/docs',
  action: null,
  async handle(_context, exchange) {
    return answerFile('page.html', exchange);
  },
  describe: {
    operationId: 'DocsPage',
    tag: 'Service',
    summary: 'A page to read and try the API',
    description: 'For people: shows this description, and sends requests with the reader’s own credentials.',
    parameters: [ifNoneMatch],
    responses: { 200: pageAnswer('The API reference', 'ETag'), ...notModified },
    refusals: [],
  },
};

export const docsFileRoute: OpenRoute = {
  method: 'GET',
  path: '/docs/{file}',
  action: null,
  async handle(_context, exchange) {
    return answerFile(exchange.parameters.file ?? '', exchange);
  },
  describe: {
    operationId: 'DocsFile',
    tag: 'Service',
    summary: 'A script, style or image of that page',
    description: 'The page loads nothing from elsewhere.',
    parameters: [ids.asset, ifNoneMatch],
    responses: { 200: bytesAnswer('The file of the API reference', '*/*', answerHeader('ETag')), ...notModified },
    refusals: ['RouteNotFound'],
  },
};
