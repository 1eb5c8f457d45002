// Requests and responses of `POST /files/batch`.

import assert from 'node:assert/strict';
import { assertAnswer, assertRecord, type Entry, type ErrorBody } from './assertions.ts';
import { type Answer, type Caller, call, type Headers } from './client.ts';
import { filePart, MULTIPART, multipart, textPart } from './multipart.ts';

export type Shown = { Entry: Entry; Path: string; ETag: string; Sha256: string; Version: number };
/** Either `Entry` and what is beside it, or `Error`. */
export type Result = Partial<Shown> & { Error?: ErrorBody };
export type Sent = { name?: string; content: string | Uint8Array; type?: string };

export function postBatch(
  caller: Caller,
  sent: readonly Sent[],
  { files, headers = {} }: { files?: unknown; headers?: Headers } = {},
): Promise<Answer> {
  const parts = sent.map(({ name, content, type }) =>
    filePart(content, { ...(name !== undefined && { fileName: name }), ...(type !== undefined && { type }) }),
  );
  const fields =
    files === undefined ? [] : [textPart('Files', typeof files === 'string' ? files : JSON.stringify(files))];
  return call(caller, '/files/batch', {
    method: 'POST',
    headers: { 'Content-Type': MULTIPART, ...headers },
    body: multipart([...fields, ...parts]),
  });
}

export function toResults(answer: Answer): Result[] {
  assert.equal(answer.status, 200, answer.body.toString());
  const { Results, ...others } = assertAnswer(answer) as { Results: Result[] };
  assert.deepEqual(others, {});
  for (const result of Results) {
    if (result.Error === undefined) assertRecord(result.Entry as Entry);
    else assert.equal(result.Error.RequestTrackingId, answer.headers.requesttrackingid);
  }
  return Results;
}

const mostFiles = 250;

/** Makes a folder full: as many requests as it takes. */
export async function saveMany(caller: Caller, FolderId: string, sent: readonly Sent[]): Promise<void> {
  for (let at = 0; at < sent.length; at += mostFiles) {
    const answer = await postBatch(caller, sent.slice(at, at + mostFiles), { headers: { FolderId } });
    assert.ok(toResults(answer).every(({ Error: error }) => error === undefined));
  }
}

/** The code of each that failed, the path of each that was saved. */
export function toOutcomes(answer: Answer): (string | undefined)[] {
  return toResults(answer).map((result) => result.Error?.Code ?? result.Path);
}
