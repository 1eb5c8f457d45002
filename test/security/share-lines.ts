// The lines of the matrix for links to entries, and the ways in which these routes name entries.

import { type Caller, CONTENT } from '../interface/client.ts';
import { manage } from '../interface/managing.ts';
import type { Way } from './foreign-ways.ts';
import type { ContentLine, Ids } from './matrix.ts';
import type { OpenLine } from './open-lines.ts';

const withJson = (fields: object) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(fields),
});
const plainly = () => ({});
const ofShare = ({ share }: Ids) => `/shares/${share}`;
const ofFile = ({ file }: Ids) => `/entries/${file}/shares`;

export async function makeShare(caller: Caller, entry: string): Promise<string> {
  type Made = { Share: { Id: string } };
  return (await manage<Made>(caller, 'POST', `/entries/${entry}/shares`, { Access: 'read' })).Share.Id;
}

async function withShare(caller: Caller, ids: Ids): Promise<Ids> {
  return { ...ids, share: await makeShare(caller, ids.file) };
}

export const shareLines: Record<string, ContentLine> = {
  [`POST ${CONTENT}/entries/{id}/shares`]: {
    path: ofFile,
    request: () => withJson({ Access: 'read' }),
    missing: 'EntryNotFound',
  },
  [`GET ${CONTENT}/entries/{id}/shares`]: { path: ofFile, request: plainly, missing: 'EntryNotFound' },
  [`GET ${CONTENT}/shares`]: { path: () => '/shares', request: plainly, missing: null },
  [`GET ${CONTENT}/shares/{id}`]: { path: ofShare, request: plainly, missing: 'ShareNotFound' },
  [`PATCH ${CONTENT}/shares/{id}`]: {
    path: ofShare,
    request: () => withJson({ Note: 'changed' }),
    missing: 'ShareNotFound',
    isForMakerAndManagers: true,
  },
  [`DELETE ${CONTENT}/shares/{id}`]: {
    path: ofShare,
    request: plainly,
    prepare: withShare,
    missing: 'ShareNotFound',
    isForMakerAndManagers: true,
  },
};

const onShare = (method: string, fields?: object): Way => ({
  ask: (id) => ({ path: `/shares/${encodeURIComponent(id)}`, method, ...(fields && withJson(fields)) }),
  code: 'ShareNotFound',
});
const onEntry = (fields: object): Way => ({
  ask: (id) => ({ path: `/entries/${encodeURIComponent(id)}/shares`, method: 'POST', ...withJson(fields) }),
  code: 'EntryNotFound',
});

export const shareWays: Record<string, Record<string, Way>> = {
  [`POST ${CONTENT}/entries/{id}/shares`]: {
    plainly: onEntry({ Access: 'read' }),
    'for uploads': onEntry({ Access: 'upload' }),
    'with a wrong access': onEntry({ Access: 'all' }),
  },
  [`GET ${CONTENT}/entries/{id}/shares`]: {
    plainly: { ask: (id) => ({ path: `/entries/${encodeURIComponent(id)}/shares` }), code: 'EntryNotFound' },
  },
  [`GET ${CONTENT}/shares/{id}`]: { plainly: onShare('GET') },
  [`PATCH ${CONTENT}/shares/{id}`]: { plainly: onShare('PATCH', { Note: 'x' }) },
  [`DELETE ${CONTENT}/shares/{id}`]: { plainly: onShare('DELETE') },
};

export const sharesWithoutIds = [`GET ${CONTENT}/shares`];

/** Links need no token, and are not served on the mutual-TLS address. */
const unknownLink: OpenLine = {
  plain: { status: 404, says: /"Code":"ShareNotFound"/ },
  mutualTls: { status: 404, says: /"Code":"RouteNotFound"/ },
};

const noPage: OpenLine = { ...unknownLink, plain: { status: 404, says: /This link does not work/ } };

export const sharedLines: Record<string, OpenLine> = {
  [`GET ${CONTENT}/shared/{secret}`]: unknownLink,
  [`GET ${CONTENT}/shared/{secret}/folders/{id}`]: unknownLink,
  [`GET ${CONTENT}/shared/{secret}/files/{id}/content`]: unknownLink,
  [`GET ${CONTENT}/shared/{secret}/archive`]: unknownLink,
  [`POST ${CONTENT}/shared/{secret}/files`]: unknownLink,
  [`POST ${CONTENT}/shared/{secret}/uploads`]: unknownLink,
  [`GET ${CONTENT}/shared/{secret}/uploads/{id}`]: unknownLink,
  [`PATCH ${CONTENT}/shared/{secret}/uploads/{id}`]: unknownLink,
  [`DELETE ${CONTENT}/shared/{secret}/uploads/{id}`]: unknownLink,
  'GET /s/{secret}': noPage,
  'POST /s/{secret}': noPage,
  'GET /s/{secret}/folders/{id}': noPage,
  'GET /s/{secret}/files/{id}': noPage,
  // The name in braces is none of its files.
  'GET /s-files/{file}': { plain: { status: 404, says: /"Code":"RouteNotFound"/ }, mutualTls: noPage.mutualTls },
};
