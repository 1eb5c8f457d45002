// The lines of the matrix for the management API: the request of each route.

import { randomUUID } from 'node:crypto';
import { makeCa } from '../../src/certificates/certificates-for-tests.ts';
import { type Caller, CONTENT } from '../interface/client.ts';
import { addApplication, get, manage } from '../interface/managing.ts';
import { makeClient } from './company-ca.ts';
import type { ContentLine, Ids } from './matrix.ts';

/** What is managed in a space. */
export interface Managed {
  /** Has content.admin there. */
  administrator: Caller;
  space: string;
  /** AppKeys, of each kind. */
  application: string;
  server: string;
  user: string;
  guest: string;
  /** The name of a group. */
  group: string;
  /** A certificate that nobody has yet, and one that the server has. */
  pem: string;
  thumbprint: string;
  webhook: string;
}

const issuer = await makeCa('CN=matrix');

export async function makeManaged(administrator: Caller): Promise<Managed> {
  const { Spaces } = await get<{ Spaces: [{ Id: string }] }>(administrator, '/spaces');
  const server = await manage<{ AppKey: string }>(administrator, 'POST', '/applications', {
    Name: newName(administrator),
    Kind: 'server',
  });
  const [user, guest] = [`corp:${randomUUID()}`, `corp:${randomUUID()}`];
  for (const person of [user, guest]) await giveRole(administrator, person);
  const application = await addApplication(administrator, { Name: newName(administrator) });
  return {
    administrator,
    space: Spaces[0].Id,
    application: application.application.AppKey,
    server: server.AppKey,
    user,
    guest,
    group: 'none',
    pem: await newPem(),
    thumbprint: 'none',
    webhook: await newWebhook(administrator),
  };
}

/** Nobody listens there. */
const webhook = { Url: 'https://[2606:4700::1]:1/', Events: ['user.role'] };

async function newWebhook(administrator: Caller): Promise<string> {
  return (await manage<{ Webhook: { Id: string } }>(administrator, 'POST', '/webhooks', webhook)).Webhook.Id;
}

async function withWebhook(_: Caller, ids: Ids): Promise<Ids> {
  return { ...ids, managed: { ...ids.managed, webhook: await newWebhook(ids.managed.administrator) } };
}

function newName({ application }: Caller): string {
  return `${application.Space}-${randomUUID().slice(0, 8)}`;
}

function giveRole(administrator: Caller, user: string): Promise<unknown> {
  return manage(administrator, 'PATCH', `/users/${encodeURIComponent(user)}`, { Role: 'viewer' });
}

async function newPem(): Promise<string> {
  return (await makeClient(`CN=${randomUUID()}`, issuer)).pem;
}

const withJson = (fields: object) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(fields),
});
const plainly = () => ({});
const ofApplication = ({ managed }: Ids) => `/applications/${managed.application}`;
const ofServer = ({ managed }: Ids) => `/applications/${managed.server}/certificates`;
const ofWebhook = ({ managed }: Ids) => `/webhooks/${managed.webhook}`;
const ofUser = ({ managed }: Ids) => `/users/${encodeURIComponent(managed.user)}`;

async function withApplication(_: Caller, ids: Ids): Promise<Ids> {
  const { administrator } = ids.managed;
  const { application } = await addApplication(administrator, { Name: newName(administrator) });
  return { ...ids, managed: { ...ids.managed, application: application.AppKey } };
}

async function withUser(_: Caller, ids: Ids): Promise<Ids> {
  await giveRole(ids.managed.administrator, ids.managed.user);
  return ids;
}

async function withPem(_: Caller, ids: Ids): Promise<Ids> {
  return { ...ids, managed: { ...ids.managed, pem: await newPem() } };
}

async function withCertificate(_: Caller, ids: Ids): Promise<Ids> {
  const { administrator } = ids.managed;
  const added = await manage<{ Thumbprint: string }>(administrator, 'POST', ofServer(ids), {
    Certificate: await newPem(),
  });
  return { ...ids, managed: { ...ids.managed, thumbprint: added.Thumbprint } };
}

export const managingLines: Record<string, ContentLine> = {
  [`GET ${CONTENT}/spaces`]: { path: () => '/spaces', request: plainly, missing: null },
  [`GET ${CONTENT}/spaces/{id}`]: {
    path: ({ managed }) => `/spaces/${managed.space}`,
    request: plainly,
    missing: 'SpaceNotFound',
  },
  [`POST ${CONTENT}/spaces`]: {
    path: () => '/spaces',
    request: () => withJson({ Name: randomUUID() }),
    missing: null,
    isForPeople: true,
  },
  [`PATCH ${CONTENT}/spaces/{id}`]: {
    path: ({ managed }) => `/spaces/${managed.space}`,
    request: ({ managed }) => withJson({ Name: managed.administrator.application.Space }),
    missing: 'SpaceNotFound',
  },
  [`GET ${CONTENT}/applications`]: { path: () => '/applications', request: plainly, missing: null },
  [`POST ${CONTENT}/applications`]: {
    path: () => '/applications',
    request: () => withJson({ Name: randomUUID() }),
    missing: null,
  },
  [`GET ${CONTENT}/applications/{appKey}`]: {
    path: ofApplication,
    request: plainly,
    missing: 'ApplicationNotFound',
  },
  [`PATCH ${CONTENT}/applications/{appKey}`]: {
    path: ofApplication,
    request: () => withJson({ State: 'active' }),
    missing: 'ApplicationNotFound',
  },
  [`DELETE ${CONTENT}/applications/{appKey}`]: {
    path: ofApplication,
    request: plainly,
    prepare: withApplication,
    missing: 'ApplicationNotFound',
  },
  [`POST ${CONTENT}/applications/{appKey}/rotate`]: {
    path: (ids) => `${ofApplication(ids)}/rotate`,
    request: () => withJson({ OverlapSeconds: 5 }),
    missing: 'ApplicationNotFound',
  },
  [`GET ${CONTENT}/applications/{appKey}/certificates`]: {
    path: ofServer,
    request: plainly,
    missing: 'ApplicationNotFound',
  },
  [`POST ${CONTENT}/applications/{appKey}/certificates`]: {
    path: ofServer,
    request: ({ managed }) => withJson({ Certificate: managed.pem }),
    prepare: withPem,
    missing: 'ApplicationNotFound',
  },
  [`DELETE ${CONTENT}/applications/{appKey}/certificates/{thumbprint}`]: {
    path: (ids) => `${ofServer(ids)}/${ids.managed.thumbprint}`,
    request: plainly,
    prepare: withCertificate,
    missing: 'ApplicationNotFound',
  },
  [`GET ${CONTENT}/users`]: { path: () => '/users', request: plainly, missing: null },
  [`POST ${CONTENT}/users`]: {
    path: () => '/users',
    request: () => withJson({ Id: randomUUID(), Role: 'viewer' }),
    missing: null,
  },
  [`GET ${CONTENT}/users/{id}`]: { path: ofUser, request: plainly, missing: 'UserNotFound' },
  // People of outside issuers have no password to set up; `setup.test.ts` has the others.
  [`POST ${CONTENT}/users/{id}/setup`]: {
    path: (ids) => `${ofUser(ids)}/setup`,
    request: plainly,
    missing: 'UserNotFound',
    refusal: { status: 403, code: 'Forbidden' },
  },
  // Whoever has an account can be given a role here, also someone of another space.
  [`PATCH ${CONTENT}/users/{id}`]: {
    path: ({ managed }) => `/users/${encodeURIComponent(managed.guest)}`,
    request: () => withJson({ Role: 'viewer' }),
    missing: null,
  },
  [`DELETE ${CONTENT}/users/{id}`]: {
    path: ofUser,
    request: plainly,
    prepare: withUser,
    missing: 'UserNotFound',
  },
  [`GET ${CONTENT}/webhooks`]: { path: () => '/webhooks', request: plainly, missing: null },
  [`POST ${CONTENT}/webhooks`]: { path: () => '/webhooks', request: () => withJson(webhook), missing: null },
  [`GET ${CONTENT}/webhooks/{id}`]: { path: ofWebhook, request: plainly, missing: 'WebhookNotFound' },
  [`PATCH ${CONTENT}/webhooks/{id}`]: {
    path: ofWebhook,
    request: () => withJson({ Description: 'matrix' }),
    missing: 'WebhookNotFound',
  },
  [`DELETE ${CONTENT}/webhooks/{id}`]: {
    path: ofWebhook,
    request: plainly,
    prepare: withWebhook,
    missing: 'WebhookNotFound',
  },
  [`POST ${CONTENT}/webhooks/{id}/rotate`]: {
    path: (ids) => `${ofWebhook(ids)}/rotate`,
    request: () => withJson({ OverlapSeconds: 5 }),
    missing: 'WebhookNotFound',
  },
  [`POST ${CONTENT}/webhooks/{id}/test`]: {
    path: (ids) => `${ofWebhook(ids)}/test`,
    request: plainly,
    missing: 'WebhookNotFound',
  },
  [`GET ${CONTENT}/webhooks/{id}/deliveries`]: {
    path: (ids) => `${ofWebhook(ids)}/deliveries`,
    request: plainly,
    missing: 'WebhookNotFound',
  },
  [`POST ${CONTENT}/webhooks/{id}/replay`]: {
    path: (ids) => `${ofWebhook(ids)}/replay`,
    request: () => withJson({ FromPosition: 1 }),
    missing: 'WebhookNotFound',
  },
  [`GET ${CONTENT}/audit`]: { path: () => '/audit', request: plainly, missing: null },
  [`GET ${CONTENT}/usage`]: { path: () => '/usage', request: plainly, missing: null },
  [`GET ${CONTENT}/limits`]: { path: () => '/limits', request: plainly, missing: null },
  [`GET ${CONTENT}/settings`]: { path: () => '/settings', request: plainly, missing: null },
};
