// The lines of the matrix for resumable uploads: what an application has begun is its own, and nobody else sees it.

import assert from 'node:assert/strict';
import { type Caller, CONTENT, call } from '../interface/client.ts';
import type { ContentLine, Ids } from './matrix.ts';
import type { OpenLine } from './open-lines.ts';

/** An upload that waits for its bytes; returns its id. */
export async function makeUpload(caller: Caller): Promise<string> {
  const headers = { FileName: 'begun', 'Upload-Complete': '?0' };
  const answer = await call(caller, '/files', { method: 'POST', headers });
  assert.equal(answer.status, 201, answer.body.toString());
  return String(answer.headers.location).replace(/^.*\//, '');
}

const onUpload = (line: Pick<ContentLine, 'request' | 'success' | 'headSuccess'>): ContentLine => ({
  path: ({ upload }) => `/uploads/${upload}`,
  prepare: async (caller: Caller, ids: Ids) => ({ ...ids, upload: await makeUpload(caller) }),
  missing: 'UploadNotFound',
  isForMaker: true,
  ...line,
});

export const uploadLines: Record<string, ContentLine> = {
  [`POST ${CONTENT}/uploads`]: {
    path: () => '/uploads',
    request: ({ folder }) => ({
      headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': '5', FileName: 'begun', FolderId: folder },
    }),
    missing: 'FolderNotFound',
    success: 201,
  },
  [`GET ${CONTENT}/uploads/{id}`]: onUpload({ request: () => ({}), headSuccess: 204 }),
  [`PATCH ${CONTENT}/uploads/{id}`]: onUpload({
    request: () => ({
      headers: { 'Upload-Offset': '0', 'Upload-Complete': '?0', 'Content-Type': 'application/partial-upload' },
      body: 'matrix',
    }),
    success: 204,
  }),
  [`DELETE ${CONTENT}/uploads/{id}`]: onUpload({ request: () => ({}), success: 204 }),
};

const noContent = { status: 204, says: /^$/ };
const toEveryone: OpenLine = { plain: noContent, mutualTls: noContent };

/** OPTIONS needs no credentials in either standard. */
export const uploadOptions: Record<string, OpenLine> = {
  [`OPTIONS ${CONTENT}/files`]: toEveryone,
  [`OPTIONS ${CONTENT}/uploads`]: toEveryone,
  [`OPTIONS ${CONTENT}/uploads/{id}`]: toEveryone,
};
