// The ways in which management routes name spaces, applications and people. Callers who do not manage get the same response
// for every id.

import { makeCa } from '../../src/certificates/certificates-for-tests.ts';
import { CONTENT } from '../interface/client.ts';
import { makeClient } from './company-ca.ts';
import type { Way } from './foreign-ways.ts';

const { pem } = await makeClient('CN=ways', await makeCa('CN=ways'));

const way = (method: string, toPath: (id: string) => string, code: string, fields?: object): Way => ({
  ask: (id) => ({
    path: toPath(encodeURIComponent(id)),
    method,
    ...(fields && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) }),
  }),
  code: new RegExp(`^(${code}|SpaceMissing|Forbidden|InsufficientScope)$`),
});
const onApplication = (method: string, path: string, fields?: object) =>
  way(method, (id) => `/applications/${id}${path}`, 'ApplicationNotFound', fields);

const onWebhook = (method: string, path: string, fields?: object) => ({
  plainly: way(method, (id) => `/webhooks/${id}${path}`, 'WebhookNotFound', fields),
});

export const managingWays: Record<string, Record<string, Way>> = {
  [`GET ${CONTENT}/spaces/{id}`]: { plainly: way('GET', (id) => `/spaces/${id}`, 'SpaceNotFound') },
  [`PATCH ${CONTENT}/spaces/{id}`]: {
    plainly: way('PATCH', (id) => `/spaces/${id}`, 'SpaceNotFound', { Name: 'taken' }),
    'with a wrong name': way('PATCH', (id) => `/spaces/${id}`, 'SpaceNotFound|InvalidField', { Name: '..' }),
  },
  [`GET ${CONTENT}/applications/{appKey}`]: { plainly: onApplication('GET', '') },
  [`PATCH ${CONTENT}/applications/{appKey}`]: {
    'to disable it': onApplication('PATCH', '', { State: 'disabled' }),
    'to enable it': onApplication('PATCH', '', { State: 'active' }),
  },
  [`DELETE ${CONTENT}/applications/{appKey}`]: { plainly: onApplication('DELETE', '') },
  [`POST ${CONTENT}/applications/{appKey}/rotate`]: { plainly: onApplication('POST', '/rotate', {}) },
  [`GET ${CONTENT}/applications/{appKey}/certificates`]: { plainly: onApplication('GET', '/certificates') },
  [`POST ${CONTENT}/applications/{appKey}/certificates`]: {
    plainly: onApplication('POST', '/certificates', { Certificate: pem }),
  },
  [`DELETE ${CONTENT}/applications/{appKey}/certificates/{thumbprint}`]: {
    plainly: onApplication('DELETE', '/certificates/x'),
  },
  // With a right role, someone of another space would be given it: their account is for all spaces.
  [`PATCH ${CONTENT}/users/{id}`]: {
    'with a wrong role': way('PATCH', (id) => `/users/${id}`, 'InvalidField', { Role: 'owner' }),
  },
  [`GET ${CONTENT}/users/{id}`]: { plainly: way('GET', (id) => `/users/${id}`, 'UserNotFound|InvalidField') },
  [`POST ${CONTENT}/users/{id}/setup`]: {
    plainly: way('POST', (id) => `/users/${id}/setup`, 'UserNotFound|InvalidField'),
  },
  [`GET ${CONTENT}/webhooks/{id}`]: onWebhook('GET', ''),
  [`PATCH ${CONTENT}/webhooks/{id}`]: onWebhook('PATCH', '', { State: 'paused' }),
  [`DELETE ${CONTENT}/webhooks/{id}`]: onWebhook('DELETE', ''),
  [`POST ${CONTENT}/webhooks/{id}/rotate`]: onWebhook('POST', '/rotate', {}),
  [`POST ${CONTENT}/webhooks/{id}/test`]: onWebhook('POST', '/test'),
  [`GET ${CONTENT}/webhooks/{id}/deliveries`]: onWebhook('GET', '/deliveries'),
  [`POST ${CONTENT}/webhooks/{id}/replay`]: onWebhook('POST', '/replay', { FromPosition: 1 }),
  [`DELETE ${CONTENT}/users/{id}`]: { plainly: way('DELETE', (id) => `/users/${id}`, 'UserNotFound') },
};

export const managingWithoutIds = [
  `POST ${CONTENT}/spaces`,
  `GET ${CONTENT}/applications`,
  `POST ${CONTENT}/applications`,
  `GET ${CONTENT}/users`,
  `POST ${CONTENT}/users`,
  `GET ${CONTENT}/webhooks`,
  `POST ${CONTENT}/webhooks`,
  `GET ${CONTENT}/audit`,
  `GET ${CONTENT}/usage`,
  `GET ${CONTENT}/limits`,
  `GET ${CONTENT}/settings`,
];
