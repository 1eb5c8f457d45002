// Requests for the tests of docs/contract.md §10: show, change, copy, trash, restore, versions. `askX` returns the response; the
// others expect success and return its content.

import assert from 'node:assert/strict';
import { assertAnswer, assertEnvelope, assertRecord, type Entry, type Envelope } from './assertions.ts';
import { type Answer, type Caller, call, type Headers, identity, send } from './client.ts';

export type Shown = { Entry: Entry; Path: string; ETag: string; Sha256?: string; Version?: number };
export type Version = {
  Version: number;
  Size: number;
  ContentType: string;
  Sha256: string;
  CreatedAt: string;
  CreatedBy: string;
  Comment: string | null;
};
export type Trashed = { Entry: Entry; Path: string; TrashedAt: string; TrashedBy: string };

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const json = { 'Content-Type': 'application/json' };

export function assertShown(answer: Answer): Shown {
  assert.equal(answer.status, 200, answer.body.toString());
  const shown = assertAnswer(answer) as Shown;
  assertRecord(shown.Entry);
  assert.match(shown.ETag, /^"[\x21\x23-\x7e]+"$/);
  assert.equal(answer.headers.etag, shown.ETag);
  return shown;
}

export async function show(caller: Caller, id: string): Promise<Shown> {
  return assertShown(await call(caller, `/entries/${id}`));
}

export function askChange(caller: Caller, id: string, fields: unknown, headers: Headers = {}): Promise<Answer> {
  return call(caller, `/entries/${id}`, {
    method: 'PATCH',
    headers: { ...json, ...headers },
    body: JSON.stringify(fields),
  });
}

export async function change(caller: Caller, id: string, fields: unknown, headers: Headers = {}): Promise<Shown> {
  return assertShown(await askChange(caller, id, fields, headers));
}

export function askCopy(caller: Caller, id: string, fields: unknown, headers: Headers = {}): Promise<Answer> {
  return call(caller, `/entries/${id}/copy`, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(fields),
  });
}

export async function copy(caller: Caller, id: string, fields: unknown, headers: Headers = {}): Promise<Shown> {
  return assertShown(await askCopy(caller, id, fields, headers));
}

export function askTrash(caller: Caller, id: string, headers: Headers = {}): Promise<Answer> {
  return call(caller, `/entries/${id}`, { method: 'DELETE', headers });
}

export async function trash(caller: Caller, id: string, headers: Headers = {}): Promise<Shown> {
  return assertShown(await askTrash(caller, id, headers));
}

export function askRemove(caller: Caller, id: string, headers: Headers = {}): Promise<Answer> {
  return call(caller, `/entries/${id}?permanent=true`, { method: 'DELETE', headers });
}

export async function remove(caller: Caller, id: string): Promise<Shown> {
  return assertShown(await askRemove(caller, id));
}

/** Without fields there is no body at all. */
export function askRestore(caller: Caller, id: string, fields?: unknown, headers: Headers = {}): Promise<Answer> {
  const sent = fields === undefined ? { headers } : { headers: { ...json, ...headers }, body: JSON.stringify(fields) };
  return call(caller, `/entries/${id}/restore`, { method: 'POST', ...sent });
}

export async function restore(caller: Caller, id: string, fields?: unknown, headers: Headers = {}): Promise<Shown> {
  return assertShown(await askRestore(caller, id, fields, headers));
}

export async function emptyTrash(caller: Caller): Promise<number> {
  const answer = await call(caller, '/trash', { method: 'DELETE' });
  assert.equal(answer.status, 200, answer.body.toString());
  return (assertAnswer(answer) as { Removed: number }).Removed;
}

export function askPut(caller: Caller, id: string, bytes: string | Uint8Array, headers: Headers = {}): Promise<Answer> {
  return call(caller, `/files/${id}/content`, { method: 'PUT', headers, body: bytes });
}

/** A new version answers like a save and like showing the entry. */
export async function put(
  caller: Caller,
  id: string,
  bytes: string | Uint8Array,
  headers: Headers = {},
): Promise<Shown & Envelope> {
  const answer = await askPut(caller, id, bytes, headers);
  const { Entry, Path, ETag, Sha256, Version, ...envelope } = assertAnswer(answer) as Shown & Envelope;
  assertEnvelope({ ...answer, body: Buffer.from(JSON.stringify(envelope)) });
  assert.equal(answer.headers.entryid, id);
  assertRecord(Entry);
  assert.deepEqual(envelope.Children[0], Entry);
  assert.ok(Sha256 !== undefined && Version !== undefined, 'a file has a digest and a version');
  return { Entry, Path, ETag, Sha256, Version, ...envelope };
}

/** Everything of a paged list, over all pages. */
export async function listAll<Item>(caller: Caller, path: string, field: string): Promise<Item[]> {
  return (await listPages<Item>(caller, path, field)).flat();
}

export async function listPages<Item>(caller: Caller, path: string, field: string): Promise<Item[][]> {
  const pages: Item[][] = [];
  let answer = await call(caller, path);
  for (;;) {
    assert.ok(pages.length < 1000, 'the links never end');
    assert.equal(answer.status, 200, answer.body.toString());
    pages.push((assertAnswer(answer) as Record<string, Item[]>)[field] as Item[]);
    const next = readNext(answer);
    if (next === null) return pages;
    answer = await send(caller.base, next, { headers: identity(caller) });
  }
}

/** Path and query of the next page: a proxy may own the address. */
export function readNext(answer: Answer): string | null {
  const { link } = answer.headers;
  if (link === undefined) return null;
  const match = /^<(https?:\/\/[^>]+\/v1\/contentmanagement\/[^>?]+\?[^>]*cursor=[^>]+)>; rel="next"$/.exec(
    String(link),
  );
  assert.ok(match?.[1], `Link is not of the documented form: ${link}`);
  const url = new URL(match[1]);
  return url.pathname + url.search;
}

export async function listTrash(caller: Caller): Promise<Trashed[]> {
  const all = await listAll<Trashed>(caller, '/trash?limit=1000', 'Entries');
  for (const item of all) {
    assert.deepEqual(Object.keys(item).sort(), ['Entry', 'Path', 'TrashedAt', 'TrashedBy']);
    assertRecord(item.Entry);
    assert.match(item.TrashedAt, TIME);
  }
  return all;
}

export async function listVersions(caller: Caller, id: string, query = ''): Promise<Version[]> {
  const all = await listAll<Version>(caller, `/files/${id}/versions${query}`, 'Versions');
  for (const item of all) {
    const fields = Object.keys(item).filter((field) => field !== 'Comment');
    assert.deepEqual(fields.sort(), ['ContentType', 'CreatedAt', 'CreatedBy', 'Sha256', 'Size', 'Version']);
    assert.match(item.CreatedAt, TIME);
    assert.match(item.Sha256, /^[0-9a-f]{64}$/);
  }
  return all;
}

export function askVersion(
  caller: Caller,
  id: string,
  version: number | string,
  how: 'restore' | 'DELETE' | { Comment: unknown },
): Promise<Answer> {
  const path = `/files/${id}/versions/${version}`;
  if (how === 'restore') return call(caller, `${path}/restore`, { method: 'POST' });
  if (how === 'DELETE') return call(caller, path, { method: 'DELETE' });
  return call(caller, path, { method: 'PATCH', headers: json, body: JSON.stringify(how) });
}

/** Everything beneath the folder, by its path from there: records as they are listed. */
export async function readTree(caller: Caller, id: string, path = ''): Promise<Map<string, Entry>> {
  const tree = new Map<string, Entry>();
  for (const entry of await listAll<Entry>(caller, `/folders/${id}?limit=1000`, 'Children')) {
    tree.set(`${path}/${entry.Name}`, entry);
    if (entry.Type === 'folder') {
      for (const [at, inner] of await readTree(caller, entry.Id, `${path}/${entry.Name}`)) tree.set(at, inner);
    }
  }
  return tree;
}
