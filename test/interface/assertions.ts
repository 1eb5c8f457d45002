// What is true of every response to any request: the record's eleven fields, the envelope's two, the error's shape,
// the six statuses, the content type and the tracking id.

import assert from 'node:assert/strict';
import type { Answer } from './client.ts';

export type Entry = {
  Id: string;
  Name: string;
  Type: 'folder' | 'file';
  ObjectType: string;
  ContentType: string;
  CreatedAt: string;
  CreatedBy: string;
  ModifiedAt: string;
  ModifiedBy: string;
  Size: number;
  Properties: Record<string, string>;
};
export type Envelope = { Folder: Entry; Children: Entry[] };
export type ErrorBody = {
  Code: string;
  Message: string;
  RequestTrackingId: string;
  Target?: string;
  Hint?: string;
  Conflicts?: Entry[];
};

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RECORD_FIELDS = 'ContentType CreatedAt CreatedBy Id ModifiedAt ModifiedBy Name ObjectType Properties Size Type';
const ERROR_FIELDS = ['Code', 'Message', 'RequestTrackingId', 'Target', 'Hint', 'Conflicts'];
const STATUSES = [200, 400, 401, 403, 404, 500];

/** Returns the parsed body of an answer of the JSON interface. */
export function assertAnswer(answer: Answer): unknown {
  assert.ok(STATUSES.includes(answer.status), `${answer.status} is not one of the six statuses`);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.match(String(answer.headers.requesttrackingid), UUID);
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body));
}

export function assertEnvelope(answer: Answer): Envelope {
  const body = assertAnswer(answer) as Envelope;
  assert.equal(answer.status, 200, answer.body.toString());
  assert.deepEqual(Object.keys(body).sort(), ['Children', 'Folder']);
  assertRecord(body.Folder);
  assert.equal(body.Folder.Type, 'folder');
  for (const child of body.Children) assertRecord(child);
  return body;
}

export function assertRecord(entry: Entry): void {
  // Thousands of records are looked at: the dear way to compare is for the message alone.
  const fields = Object.keys(entry).sort();
  if (fields.join(' ') !== RECORD_FIELDS) assert.deepEqual(fields, RECORD_FIELDS.split(' '));
  assert.match(entry.Id, UUID_V7);
  assert.equal(typeof entry.Name, 'string');
  assert.ok(entry.Type === 'folder' || entry.Type === 'file', `Type is ${entry.Type}`);
  assert.match(entry.ObjectType, /^[A-Za-z0-9:._-]{1,128}$/);
  if (entry.Type === 'folder') assert.equal(entry.ContentType, 'inode/directory');
  else assert.match(entry.ContentType, /^[^\s/]+\/[^\s/;]+/);
  for (const time of [entry.CreatedAt, entry.ModifiedAt]) {
    assert.match(time, TIME);
    assert.equal(new Date(time).toISOString(), time);
  }
  assert.ok(entry.CreatedAt <= entry.ModifiedAt, 'modified before it was created');
  for (const by of [entry.CreatedBy, entry.ModifiedBy]) assert.match(by, /./);
  assert.ok(Number.isSafeInteger(entry.Size) && entry.Size >= 0, `Size is ${entry.Size}`);
  assert.equal(Object.prototype.toString.call(entry.Properties), '[object Object]');
  for (const value of Object.values(entry.Properties)) assert.equal(typeof value, 'string');
}

/** `code` may be a pattern where the contract gives the status and leaves the code open. */
export function assertRefusal(answer: Answer, status: number, code: string | RegExp): ErrorBody {
  const body = assertAnswer(answer) as { Error: ErrorBody };
  assert.deepEqual(Object.keys(body), ['Error']);
  const error = body.Error;
  if (typeof code === 'string') assert.equal(error.Code, code, answer.body.toString());
  else assert.match(error.Code, code);
  assert.equal(answer.status, status);
  assert.match(error.Code, /^[A-Z][A-Za-z]+$/);
  assert.match(error.Message, /\S/);
  assert.equal(error.RequestTrackingId, answer.headers.requesttrackingid);
  for (const field of Object.keys(error)) assert.ok(ERROR_FIELDS.includes(field), `unknown error field ${field}`);
  if (error.Target !== undefined) assert.equal(typeof error.Target, 'string');
  if (error.Hint !== undefined) assert.match(error.Hint, /\S/);
  for (const entry of error.Conflicts ?? []) assertRecord(entry);
  return error;
}

/** Tests that take a value out of a list say what they expected to find there. */
export function must<T>(value: T | null | undefined, what: string): T {
  assert.ok(value !== null && value !== undefined, `there is no ${what}`);
  return value;
}
