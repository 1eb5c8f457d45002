// The suite's client: requests with exactly the headers and bytes of the test, tokens, and the few operations that
// tests use to prepare and to look. It repairs nothing and adds only Host, Content-Length and the caller's two headers.
// Each response is compared with the service's description (`description.ts`) before a test sees it.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertEnvelope, type Entry, type Envelope } from './assertions.ts';
import { checkDescribed } from './description.ts';
import { Agent, request as httpRequest } from './http.ts';
import { type Application, type Applications, target } from './target.ts';

/** A list sends the header once for each value; `undefined` leaves out a header that would be sent otherwise. */
export type Headers = Record<string, string | readonly string[] | undefined>;
export type Request = { method?: string; headers?: Headers; body?: string | Uint8Array };
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };
export type Caller = { base: string; application: Application; token: string };
export type Saved = Envelope & { File: Entry; answer: Answer };

export const CONTENT = '/v1/contentmanagement';

const ANSWER_TIMEOUT_MS = 120_000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export async function send(base: string, path: string, request: Request = {}): Promise<Answer> {
  const answer = await exchange(base, path, request);
  await checkDescribed(base, [{ method: request.method ?? 'GET', path }], answer);
  return answer;
}

function exchange(base: string, path: string, request: Request): Promise<Answer> {
  const url = new URL(base);
  const { method = 'GET', headers = {}, body } = request;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const lines = headerLines({ Host: url.host, ...lengthOf(method, headers, bytes), ...headers });
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ agent, host: url.hostname, port: url.port, path, method, headers: lines.flat() });
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('error', reject);
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.end(bytes);
  });
}

export function headerLines(headers: Headers): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );
}

function lengthOf(method: string, headers: Headers, bytes: Uint8Array | undefined): Headers {
  const isFramed = Object.keys(headers).some((name) => /^(content-length|transfer-encoding)$/i.test(name));
  if (isFramed || (bytes === undefined && (method === 'GET' || method === 'HEAD'))) return {};
  return { 'Content-Length': String(bytes?.byteLength ?? 0) };
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

export function askToken(base: string, form: Record<string, string>, headers: Headers): Promise<Answer> {
  return send(base, '/oauth2/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

export async function fetchToken(base: string, application: Application, scope?: string): Promise<string> {
  const form = { grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) };
  const answer = await askToken(base, form, {
    Authorization: basicAuthorization(application.AppKey, application.Secret),
  });
  assert.equal(answer.status, 200, `token for ${application.Name}: ${answer.body.toString()}`);
  return (JSON.parse(answer.body.toString()) as { access_token: string }).access_token;
}

export async function signIn(who: Exclude<keyof Applications, 'Disabled'>, scope?: string): Promise<Caller> {
  const { Production, Test, Applications } = target();
  const base = who === 'Tester' ? Test : Production;
  const application = Applications[who];
  assert.ok(application, `the file given with --applications has no ${who}`);
  return { base, application, token: await fetchToken(base, application, scope) };
}

export function identity(caller: Caller): Headers {
  return { Authorization: `Bearer ${caller.token}`, AppKey: caller.application.AppKey };
}

/** A request to the content interface in the caller's name. */
export function call(caller: Caller, path: string, request: Request = {}): Promise<Answer> {
  return send(caller.base, CONTENT + path, { ...request, headers: { ...identity(caller), ...request.headers } });
}

export function postFolder(caller: Caller, fields: unknown, headers: Headers = {}): Promise<Answer> {
  return call(caller, '/folders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(fields),
  });
}

/** `headers` must name the folder and the file, where the test wants them named. */
export function postFile(caller: Caller, headers: Headers, body: string | Uint8Array): Promise<Answer> {
  return call(caller, '/files', { method: 'POST', headers, body });
}

export async function createFolder(caller: Caller, parentId: string, name: string, more: object = {}): Promise<Entry> {
  const answer = await postFolder(caller, { ParentFolderId: parentId, FolderName: name, ...more });
  return assertEnvelope(answer).Folder;
}

/** A folder of the test's own, so that tests neither see nor disturb each other. */
export function makeFolder(caller: Caller): Promise<Entry> {
  return createFolder(caller, caller.application.RootFolderId, `interface-test-${randomUUID()}`);
}

/** The folder that many levels beneath, with all that are on the way, by one request. */
export async function makeDeep(caller: Caller, parentId: string, levels: number): Promise<Entry> {
  const RelativePath = Array.from({ length: levels }, (_, level) => `level ${level + 1} down`).join('/');
  return assertEnvelope(await postFolder(caller, { ParentFolderId: parentId, RelativePath })).Folder;
}

export async function saveFile(
  caller: Caller,
  at: { FolderId: string; FileName: string } & Headers,
  bytes: string | Uint8Array,
): Promise<Saved> {
  const headers = { 'Content-Type': 'application/octet-stream', ...at, FileName: encodeURIComponent(at.FileName) };
  return toSaved(await postFile(caller, headers, bytes));
}

/** The success answer of a save, with the file it saved: the first of `Children` (docs/contract.md §3). */
export function toSaved(answer: Answer): Saved {
  const envelope = assertEnvelope(answer);
  const [file] = envelope.Children;
  assert.ok(file, 'a save answers with the saved file first');
  assert.equal(file.Type, 'file');
  assert.equal(answer.headers.entryid, file.Id);
  return { ...envelope, File: file, answer };
}

export async function readFolder(caller: Caller, id: string, query = ''): Promise<Envelope> {
  return assertEnvelope(await call(caller, `/folders/${id}${query}`));
}

/** Everything in the folder, over all pages. */
export async function listFolder(caller: Caller, id: string): Promise<Entry[]> {
  const first = await call(caller, `/folders/${id}?limit=1000`);
  return [...assertEnvelope(first).Children, ...(await followLinks(caller, first)).flat()];
}

/** The pages after this answer, as its Link leads to them. Only path and query are used: a proxy may own the address. */
export async function followLinks(caller: Caller, answer: Answer): Promise<Entry[][]> {
  const pages: Entry[][] = [];
  for (let next = nextPath(answer); next !== null; ) {
    assert.ok(pages.length < 1000, 'the links never end');
    const page = await send(caller.base, next, { headers: identity(caller) });
    pages.push(assertEnvelope(page).Children);
    next = nextPath(page);
  }
  return pages;
}

function nextPath(answer: Answer): string | null {
  const link = answer.headers.link;
  if (link === undefined) return null;
  const match = /^<(https?:\/\/[^>]+\/v1\/contentmanagement\/folders\/[^>?]+\?[^>]*cursor=[^>]+)>; rel="next"$/.exec(
    String(link),
  );
  assert.ok(match?.[1], `Link is not of the documented form: ${link}`);
  const url = new URL(match[1]);
  return url.pathname + url.search;
}

export async function download(caller: Caller, fileId: string): Promise<Buffer> {
  const answer = await call(caller, `/files/${fileId}/content`);
  assert.equal(answer.status, 200, answer.body.toString());
  return answer.body;
}

/** Nothing was written here: no entry, no bytes counted. */
export async function assertEmptyFolder(caller: Caller, folder: Entry): Promise<void> {
  assert.deepEqual(await readFolder(caller, folder.Id), { Folder: folder, Children: [] });
}

/** Until the clock says something later, so that times of before and after differ. */
export async function untilLater(): Promise<void> {
  for (const before = Date.now(); Date.now() <= before + 1; ) await sleep(1);
}

/** Until other requests were answered: what was sent before them has been received by then. */
export async function untilOthersAreAnswered(caller: Caller): Promise<void> {
  for (let count = 0; count < 3; count += 1) assert.equal((await call(caller, '/folders/-root-?limit=1')).status, 200);
}
