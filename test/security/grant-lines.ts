// The lines of the matrix for grants and groups, and the ways in which these routes name entries.

import { randomUUID } from 'node:crypto';
import { type Caller, CONTENT } from '../interface/client.ts';
import { manage } from '../interface/managing.ts';
import type { Way } from './foreign-ways.ts';
import type { ContentLine, Ids } from './matrix.ts';

const withJson = (fields: object) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(fields),
});
const plainly = () => ({});
const ofPerson = ({ file, managed }: Ids) => `/entries/${file}/access/${encodeURIComponent(`user:${managed.user}`)}`;
const ofGroup = ({ managed }: Ids) => `/groups/${managed.group}`;

async function withGroup(_: Caller, ids: Ids): Promise<Ids> {
  const group = `matrix-${randomUUID()}`;
  await manage(ids.managed.administrator, 'POST', '/groups', { Name: group });
  return { ...ids, managed: { ...ids.managed, group } };
}

export const grantLines: Record<string, ContentLine> = {
  [`GET ${CONTENT}/entries/{id}/access`]: {
    path: ({ file }) => `/entries/${file}/access`,
    request: plainly,
    missing: 'EntryNotFound',
  },
  [`PUT ${CONTENT}/entries/{id}/access/{principal}`]: {
    path: ofPerson,
    request: () => withJson({ Role: 'viewer' }),
    missing: 'EntryNotFound',
  },
  [`DELETE ${CONTENT}/entries/{id}/access/{principal}`]: { path: ofPerson, request: plainly, missing: 'EntryNotFound' },
  [`GET ${CONTENT}/shared-with-me`]: {
    path: () => '/shared-with-me',
    request: plainly,
    missing: null,
    isForEveryRole: true,
  },
  [`GET ${CONTENT}/groups`]: { path: () => '/groups', request: plainly, missing: null },
  [`POST ${CONTENT}/groups`]: {
    path: () => '/groups',
    request: () => withJson({ Name: `matrix-${randomUUID()}` }),
    missing: null,
  },
  [`PATCH ${CONTENT}/groups/{name}`]: {
    path: ofGroup,
    request: ({ managed }) => withJson({ Add: [managed.user], Remove: [managed.guest] }),
    prepare: withGroup,
    missing: 'GroupNotFound',
  },
  [`DELETE ${CONTENT}/groups/{name}`]: {
    path: ofGroup,
    request: plainly,
    prepare: withGroup,
    missing: 'GroupNotFound',
  },
};

const way = (method: string, toPath: (id: string) => string, code: string, fields?: object): Way => ({
  ask: (id) => ({
    path: toPath(encodeURIComponent(id)),
    method,
    ...(fields && withJson(fields)),
  }),
  code: new RegExp(`^(${code}|SpaceMissing|Forbidden|InsufficientScope)$`),
});

export const grantWays: Record<string, Record<string, Way>> = {
  [`GET ${CONTENT}/entries/{id}/access`]: {
    plainly: { ask: (id) => ({ path: `/entries/${encodeURIComponent(id)}/access` }), code: 'EntryNotFound' },
  },
  [`PUT ${CONTENT}/entries/{id}/access/{principal}`]: {
    plainly: way('PUT', (id) => `/entries/${id}/access/user:nobody`, 'EntryNotFound', { Role: 'viewer' }),
    'with a wrong role': way('PUT', (id) => `/entries/${id}/access/user:nobody`, 'EntryNotFound', { Role: 'owner' }),
    'to nobody': way('PUT', (id) => `/entries/${id}/access/nobody`, 'InvalidField', { Role: 'viewer' }),
  },
  [`DELETE ${CONTENT}/entries/{id}/access/{principal}`]: {
    plainly: way('DELETE', (id) => `/entries/${id}/access/user:nobody`, 'EntryNotFound'),
  },
  [`PATCH ${CONTENT}/groups/{name}`]: {
    plainly: way('PATCH', (id) => `/groups/${id}`, 'GroupNotFound', { Add: [] }),
  },
  [`DELETE ${CONTENT}/groups/{name}`]: { plainly: way('DELETE', (id) => `/groups/${id}`, 'GroupNotFound') },
};

export const grantsWithoutIds = [`GET ${CONTENT}/shared-with-me`, `GET ${CONTENT}/groups`, `POST ${CONTENT}/groups`];
