// Requests of the management API: JSON in, JSON out, and whole lists over all pages.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertAnswer } from './assertions.ts';
import { type Answer, type Caller, call, fetchToken, identity, send } from './client.ts';

export type Application = {
  AppKey: string;
  Name: string;
  Kind: string;
  State: string;
  Scopes: string[];
  CreatedAt: string;
  Secret?: string;
};
export type User = {
  Id: string;
  Name: string;
  State: string;
  Role?: string;
  CreatedAt: string;
  CreatedBy?: string | null;
  HasSignedIn?: boolean;
};
export type NewUser = User & { SetupUrl: string; SetupExpiresAt: string };
export type Event = {
  Position: number;
  At: string;
  By: string;
  Application?: string;
  Action: string;
  EntryId: string;
  RequestTrackingId: string;
  Details: Record<string, unknown>;
};

export function ask(caller: Caller, method: string, path: string, fields?: unknown, headers = {}): Promise<Answer> {
  if (fields === undefined) return call(caller, path, { method, headers });
  return call(caller, path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(fields),
  });
}

/** Expects success. */
export async function get<Result>(caller: Caller, path: string): Promise<Result> {
  return toResult<Result>(await call(caller, path));
}

export async function manage<Result>(caller: Caller, method: string, path: string, fields?: unknown): Promise<Result> {
  return toResult<Result>(await ask(caller, method, path, fields));
}

export function toResult<Result>(answer: Answer): Result {
  assert.equal(answer.status, 200, answer.body.toString());
  return assertAnswer(answer) as Result;
}

/** All items of a paged list, following its links. */
export async function getAll<Item>(caller: Caller, path: string, field: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let answer = await call(caller, path), pages = 0; ; pages += 1) {
    assert.ok(pages < 1000, 'the links never end');
    items.push(...(toResult<Record<string, Item[]>>(answer)[field] ?? []));
    const [, link] = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? '')) ?? [];
    if (link === undefined) return items;
    const { pathname, search } = new URL(link);
    answer = await send(caller.base, pathname + search, { headers: identity(caller) });
  }
}

export function newName(): string {
  return `managed-${randomUUID()}`;
}

/** Registers an application over HTTP and acts as it. */
export async function addApplication(caller: Caller, fields: object = {}): Promise<Caller> {
  const made = await manage<Application>(caller, 'POST', '/applications', { Name: newName(), ...fields });
  const { Space, RootFolderId } = caller.application;
  const application = { ...made, Secret: String(made.Secret), Space, RootFolderId };
  return { base: caller.base, application, token: await fetchToken(caller.base, application) };
}
