// What tests of links need: making them, and using them without credentials.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { readZip } from '../../src/archive/zip-reader-for-tests.ts';
import type { Answer, Caller, Request } from './client.ts';
import { CONTENT, send } from './client.ts';
import { get, manage } from './managing.ts';

export interface Share {
  Id: string;
  EntryId: string;
  Access: 'read' | 'upload';
  Name: string;
  Note: string | null;
  Url: string | null;
  HasPassword: boolean;
  ExpiresAt: string;
  MaxDownloads: number | null;
  Downloads: number;
  Uploads: number;
  CreatedAt: string;
  CreatedBy: string;
  LastUsedAt: string | null;
  State: 'active' | 'expired' | 'exhausted' | 'suspended' | 'revoked';
}

export const dayMs = 24 * 60 * 60 * 1000;

export async function makeShare(caller: Caller, entry: string, fields: object = {}): Promise<Share> {
  const path = `/entries/${entry}/shares`;
  return (await manage<{ Share: Share }>(caller, 'POST', path, { Access: 'read', ...fields })).Share;
}

export async function showShare(caller: Caller, { Id }: Share): Promise<Share> {
  return (await get<{ Share: Share }>(caller, `/shares/${Id}`)).Share;
}

export async function changeShare(caller: Caller, { Id }: Share, fields: object): Promise<Share> {
  return (await manage<{ Share: Share }>(caller, 'PATCH', `/shares/${Id}`, fields)).Share;
}

export function secretOf({ Url }: Share): string {
  const [, secret] = /\/s\/([\w-]{43})$/.exec(String(Url)) ?? [];
  assert.ok(secret, `${Url} has no secret`);
  return secret;
}

/** A request to the link, without credentials. */
export function use(caller: Caller, secret: string, path = '', request: Request = {}): Promise<Answer> {
  return send(caller.base, `${CONTENT}/shared/${secret}${path}`, request);
}

/** Names and texts. */
export async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const zip = await readZip(Readable.from([bytes]), ({ name }, piece) => {
    texts.set(name, (texts.get(name) ?? '') + piece.toString('latin1'));
  });
  return new Map(zip.entries.map(({ name }) => [name, texts.get(name) ?? '']));
}
