// The ways in which each route of the content API can name an entry, for the tests of foreign ids.

import { randomBytes } from 'node:crypto';
import { CONTENT, type Request } from '../interface/client.ts';
import { filePart, MULTIPART, multipart } from '../interface/multipart.ts';
import { accountWays, accountWithoutIds } from './account-lines.ts';
import { grantsWithoutIds, grantWays } from './grant-lines.ts';
import { managingWays, managingWithoutIds } from './managing-ways.ts';
import { sharesWithoutIds, shareWays } from './share-lines.ts';

/** One way to name an entry; the code is what is said of one that does not exist. */
export interface Way {
  ask(id: string): { path: string } & Request;
  code: string | RegExp;
  /** It names an entry of the caller's too, which must be one that the caller may write to. */
  isForWriters?: true;
}

/** Either of two errors may come first, as long as it is the same for every id. */
const nameOrFolder = /^(InvalidName|FolderNotFound)$/;

const inFolder = (query: string, code: string): Way => ({
  ask: (id) => ({ path: `/folders/${encodeURIComponent(id)}${query}` }),
  code,
});
const inFile = (headers: Request['headers']): Way => ({
  ask: (id) => ({ path: `/files/${encodeURIComponent(id)}/content`, headers: { ...headers } }),
  code: 'FileNotFound',
});
const json = { 'Content-Type': 'application/json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const newFolder = (
  headers: Request['headers'],
  body: (id: string) => string,
  code: Way['code'] = 'FolderNotFound',
): Way => ({
  ask: (id) => ({ path: '/folders', method: 'POST', headers: { ...headers }, body: body(id) }),
  code,
});
const newFile = (
  headers: Request['headers'],
  body: string | Uint8Array = 'x',
  code: Way['code'] = 'FolderNotFound',
): Way => ({
  ask: (id) => ({ path: '/files', method: 'POST', headers: { FolderId: id, FileName: 'taken.txt', ...headers }, body }),
  code,
});
const newBatch = (headers: Request['headers']): Way => ({
  ask: (id) => ({
    path: '/files/batch',
    method: 'POST',
    headers: { FolderId: id, 'Content-Type': MULTIPART, ...headers },
    body: multipart([filePart('x', { fileName: 'taken.txt' })]),
  }),
  code: 'FolderNotFound',
});
const asJson = (more: object) => (id: string) => JSON.stringify({ ParentFolderId: id, FolderName: 'taken', ...more });

const endLinks: Way = {
  ask: (id) => ({ path: `/files/${encodeURIComponent(id)}/link`, method: 'DELETE', headers: {} }),
  code: 'FileNotFound',
};

const newLink = (fields: object): Way => ({
  ask: (id) => ({
    path: `/files/${encodeURIComponent(id)}/link`,
    method: 'POST',
    headers: { ...json },
    body: JSON.stringify(fields),
  }),
  code: 'FileNotFound',
});

const onEntry = (method: string, path: string, fields?: object, headers: Request['headers'] = {}): Way => ({
  ask: (id) => ({
    path: `/entries/${encodeURIComponent(id)}${path}`,
    method,
    headers: { ...(fields && json), ...headers },
    ...(fields && { body: JSON.stringify(fields) }),
  }),
  code: 'EntryNotFound',
});
/** One's own entry, moved, copied or restored into the folder. */
const asTarget = (method: string, path: () => string): Way => ({
  ask: (id) => ({ path: path(), method, headers: json, body: JSON.stringify({ ParentFolderId: id, Name: 'taken' }) }),
  code: 'FolderNotFound',
  isForWriters: true,
});
const put = (headers: Request['headers'], body = 'x'): Way => ({
  ask: (id) => ({ path: `/files/${encodeURIComponent(id)}/content`, method: 'PUT', headers: { ...headers }, body }),
  code: 'FileNotFound',
});
const onVersions = (method: string, path: string, fields?: object): Way => ({
  ask: (id) => ({
    path: `/files/${encodeURIComponent(id)}/versions${path}`,
    method,
    headers: { ...(fields && json) },
    ...(fields && { body: JSON.stringify(fields) }),
  }),
  code: 'FileNotFound',
});

const inSelection = (others: () => string[]): Way => ({
  ask: (id) => ({
    path: '/archive',
    method: 'POST',
    headers: json,
    body: JSON.stringify({ EntryIds: [...others(), id] }),
  }),
  code: 'EntryNotFound',
});

const tus = { 'Tus-Resumable': '1.0.0' };
const onUpload = (method: string, headers: Request['headers']): Way => ({
  ask: (id) => ({ path: `/uploads/${encodeURIComponent(id)}`, method, headers: { ...headers } }),
  code: 'UploadNotFound',
});

/** Entries of the callers themselves, known when the service runs. */
export const mine = { file: '', trashed: '' };

export const ways: Record<string, Record<string, Way>> = {
  [`GET ${CONTENT}/folders/{id}`]: {
    plainly: inFolder('', 'FolderNotFound'),
    'with a limit': inFolder('?limit=1', 'FolderNotFound'),
    'with a wrong limit': inFolder('?limit=0', 'InvalidField'),
    'with a wrong order': inFolder('?order=colour', 'InvalidField'),
    'with a wrong cursor': inFolder('?cursor=x', 'InvalidCursor'),
  },
  [`POST ${CONTENT}/folders`]: {
    'in JSON': newFolder(json, asJson({})),
    'in a payload': newFolder(json, (id) => `{"requestPayload":${asJson({})(id)}}`),
    'in a form': newFolder(form, (id) => new URLSearchParams({ ParentFolderId: id, FolderName: 'taken' }).toString()),
    'to get what exists': newFolder(json, asJson({ ConflictBehavior: 'Existing' })),
    'with a wrong name': newFolder(json, asJson({ FolderName: '..' }), nameOrFolder),
    'with a key': newFolder({ ...json, 'Idempotency-Key': 'foreign' }, asJson({})),
    'with the folders on the way': newFolder(json, (id) =>
      JSON.stringify({ ParentFolderId: id, RelativePath: 'on/the/way' }),
    ),
  },
  [`POST ${CONTENT}/files`]: {
    'with the bare bytes': newFile({}),
    'with parts': newFile({ 'Content-Type': MULTIPART }, multipart([filePart('x')])),
    'in JSON': newFile(json, '{"filename":"eA=="}'),
    'to get what exists': newFile({ ConflictBehavior: 'Existing' }),
    'unless it exists': newFile({ ConflictBehavior: 'Fail' }),
    'with a wrong name': newFile({ FileName: '..' }, 'x', nameOrFolder),
    'with a key': newFile({ 'Idempotency-Key': 'foreign' }),
  },
  [`POST ${CONTENT}/files/batch`]: {
    plainly: newBatch({}),
    'to get what exists': newBatch({ ConflictBehavior: 'Existing' }),
    'with a key': newBatch({ 'Idempotency-Key': 'foreign' }),
  },
  [`GET ${CONTENT}/entries/{id}`]: {
    plainly: { ask: (id) => ({ path: `/entries/${encodeURIComponent(id)}` }), code: 'EntryNotFound' },
  },
  [`GET ${CONTENT}/entries/{id}/locks`]: {
    plainly: { ask: (id) => ({ path: `/entries/${encodeURIComponent(id)}/locks` }), code: 'EntryNotFound' },
    'of what is in it': {
      ask: (id) => ({ path: `/entries/${encodeURIComponent(id)}/locks?of=children` }),
      code: 'EntryNotFound',
    },
  },
  [`GET ${CONTENT}/files/{id}/content`]: {
    plainly: inFile({}),
    'an older version': {
      ask: (id) => ({ path: `/files/${encodeURIComponent(id)}/content?version=1` }),
      code: 'FileNotFound',
    },
    'a range': inFile({ Range: 'bytes=0-0' }),
    'unless unchanged': inFile({ 'If-None-Match': '*' }),
  },
  [`PUT ${CONTENT}/files/{id}/content`]: {
    plainly: put({}),
    'if it matches': put({ 'If-Match': '"x"' }),
    'with a large body': put({}, 'x'.repeat(100_000)),
  },
  [`PATCH ${CONTENT}/entries/{id}`]: {
    plainly: onEntry('PATCH', '', { Name: 'taken' }),
    'if it matches': onEntry('PATCH', '', { Name: 'taken' }, { 'If-Match': '"x"' }),
    'with nothing to change': onEntry('PATCH', '', {}),
    'with a wrong name': { ...onEntry('PATCH', '', { Name: '..' }), code: /^(InvalidName|EntryNotFound)$/ },
    'as the target': asTarget('PATCH', () => `/entries/${mine.file}`),
  },
  [`POST ${CONTENT}/entries/{id}/copy`]: {
    'into the root': {
      ...onEntry('POST', '/copy', { ParentFolderId: '-root-' }),
      code: /^(EntryNotFound|SpaceMissing)$/,
    },
    'into what does not exist': {
      ...onEntry('POST', '/copy', { ParentFolderId: 'x' }),
      code: /^(Entry|Folder)NotFound$/,
    },
    'as the target': asTarget('POST', () => `/entries/${mine.file}/copy`),
  },
  [`DELETE ${CONTENT}/entries/{id}`]: {
    plainly: onEntry('DELETE', ''),
    'for good': onEntry('DELETE', '?permanent=true'),
    'if it matches': onEntry('DELETE', '', undefined, { 'If-Match': '"x"' }),
  },
  [`POST ${CONTENT}/entries/{id}/restore`]: {
    plainly: onEntry('POST', '/restore'),
    'under another name': onEntry('POST', '/restore', { Name: 'taken' }),
    'as the target': asTarget('POST', () => `/entries/${mine.trashed}/restore`),
  },
  [`GET ${CONTENT}/files/{id}/versions`]: {
    plainly: onVersions('GET', ''),
    'with a limit': onVersions('GET', '?limit=1'),
  },
  [`POST ${CONTENT}/files/{id}/versions/{version}/restore`]: {
    'one that is there': onVersions('POST', '/1/restore'),
    'one that is not': onVersions('POST', '/9/restore'),
  },
  [`DELETE ${CONTENT}/files/{id}/versions/{version}`]: {
    'the current one': onVersions('DELETE', '/1'),
    'one that is not there': onVersions('DELETE', '/9'),
  },
  [`PATCH ${CONTENT}/files/{id}/versions/{version}`]: { plainly: onVersions('PATCH', '/1', { Comment: 'x' }) },
  [`POST ${CONTENT}/archive`]: {
    plainly: inSelection(() => []),
    'beside an own entry': inSelection(() => [mine.file]),
  },
  [`GET ${CONTENT}/files/{id}/thumbnail`]: {
    plainly: { ask: (id) => ({ path: `/files/${encodeURIComponent(id)}/thumbnail` }), code: 'FileNotFound' },
  },
  [`GET ${CONTENT}/files/{id}/preview`]: {
    plainly: { ask: (id) => ({ path: `/files/${encodeURIComponent(id)}/preview` }), code: 'FileNotFound' },
  },
  [`GET ${CONTENT}/folders/{id}/archive`]: { plainly: inFolder('/archive', 'FolderNotFound') },
  [`POST ${CONTENT}/files/{id}/link`]: {
    plainly: newLink({}),
    'of an older version': newLink({ Version: 1 }),
    'with a wrong lifetime': newLink({ ExpiresInSeconds: 0 }),
  },
  [`DELETE ${CONTENT}/files/{id}/link`]: { plainly: endLinks },
  [`GET ${CONTENT}/jobs/{id}`]: {
    plainly: { ask: (id) => ({ path: `/jobs/${encodeURIComponent(id)}` }), code: 'JobNotFound' },
  },
  [`GET ${CONTENT}/search`]: {
    'beneath it': {
      ask: (id) => ({ path: `/search?q=taken&folder=${encodeURIComponent(id)}` }),
      code: 'FolderNotFound',
    },
  },
  [`POST ${CONTENT}/uploads`]: {
    'as the target': {
      ask: (id) => ({
        path: '/uploads',
        method: 'POST',
        headers: { ...tus, 'Upload-Length': '1', FolderId: id, FileName: 'taken.txt' },
      }),
      code: 'FolderNotFound',
    },
    'as a part': {
      ask: (id) => ({
        path: '/uploads',
        method: 'POST',
        headers: { ...tus, 'Upload-Concat': `final;/uploads/${encodeURIComponent(id)}`, FileName: 'taken.txt' },
      }),
      code: 'UploadNotFound',
    },
  },
  [`GET ${CONTENT}/uploads/{id}`]: { plainly: onUpload('GET', {}), 'by tus': onUpload('GET', tus) },
  [`PATCH ${CONTENT}/uploads/{id}`]: {
    plainly: onUpload('PATCH', {
      'Upload-Offset': '0',
      'Upload-Complete': '?1',
      'Content-Type': 'application/partial-upload',
    }),
    'by tus': onUpload('PATCH', { ...tus, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }),
  },
  [`DELETE ${CONTENT}/uploads/{id}`]: { plainly: onUpload('DELETE', {}), 'by tus': onUpload('DELETE', tus) },
  ...accountWays,
  ...grantWays,
  ...shareWays,
  ...managingWays,
};
export const withoutIds = [
  `GET ${CONTENT}/spaces`,
  `GET ${CONTENT}/folders`,
  `GET ${CONTENT}/files`,
  `GET ${CONTENT}/trash`,
  `DELETE ${CONTENT}/trash`,
  `GET ${CONTENT}/changes`,
  // Takes ids, and answers for each: test/interface/18-entries-batch.test.ts.
  `POST ${CONTENT}/entries/batch`,
  ...grantsWithoutIds,
  ...sharesWithoutIds,
  ...managingWithoutIds,
  ...accountWithoutIds,
];

/** Of the same form as ours (RFC 9562, version 7), a moment old. */
export function unknownId(): string {
  const hex = Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `7${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
