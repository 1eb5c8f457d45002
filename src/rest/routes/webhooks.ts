// `/webhooks`: receivers of the events of the caller's space.

import { Refusal } from '../../domain/refusal.ts';
import { requireSpace } from '../../operations/access.ts';
import * as webhooks from '../../operations/webhooks.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { Nothing } from '../openapi/me-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import * as schemas from '../openapi/webhook-schemas.ts';
import { AddWebhook, ChangeWebhook, ReplayWebhook, RotateWebhook } from '../openapi/webhook-schemas.ts';
import { pageParameters, readPage, toListName, toNextLink } from '../pages.ts';
import { readTime } from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import * as wire from '../wire-webhooks.ts';
import { readManageBody } from './manage-body.ts';

const path = '/v1/contentmanagement/webhooks';
const parameters = [pathId('The id of the webhook'), headers.spaceId];
const shown = (description: string) => ({
  200: jsonAnswer(description, { schema: schemas.WebhookAnswer, example: { Webhook: schemas.exampleWebhook } }),
});
const withSecret = (description: string) => ({
  200: jsonAnswer(description, {
    schema: schemas.WebhookWithSecret,
    example: { Webhook: schemas.exampleWebhook, Secret: 'whsec_1nP0…' },
  }),
});

const listRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'manage',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const list = toListName(caller, 'webhooks');
    const { limit, after } = readPage<[string]>(context, list, query);
    const { items, next } = await webhooks.listWebhooks(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    const cursor = next === null ? null : [next];
    return json(wire.renderWebhooks(items), toNextLink(context, { path: '/webhooks', list, query }, cursor));
  },
  describe: {
    operationId: 'WebhooksGet',
    tag: 'Webhooks',
    summary: 'List the webhooks of the space',
    description: 'Oldest first. Secrets are never shown.',
    parameters: [headers.spaceId, ...pageParameters()],
    responses: {
      200: jsonAnswer('The webhooks', {
        schema: schemas.Webhooks,
        example: { Webhooks: [schemas.exampleWebhook] },
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

const showRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/{id}`,
  action: 'manage',
  async handle({ cabinet }, { parameters }, caller) {
    return json(wire.renderWebhook(await webhooks.showWebhook(cabinet, caller, parameters.id ?? '')));
  },
  describe: {
    operationId: 'WebhooksShow',
    tag: 'Webhooks',
    summary: 'Show a webhook',
    description: 'With its state, its position in the journal and the newest attempt.',
    parameters,
    responses: shown('The webhook, its state and its last delivery'),
    refusals: ['WebhookNotFound'],
  },
};

const checkAdd = compileCheck(AddWebhook);
const addExample = { Url: 'https://example.com/hooks/cabinet', Events: ['file.*', 'folder.created'] };

const addRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const example = JSON.stringify(addExample);
    const { fields, current } = await readManageBody(exchange, caller, { check: checkAdd, example });
    const { Url: url, Events: events, FolderId: folderId = null, Description: description = '' } = fields;
    const added = await webhooks.addWebhook(cabinet, current, { url, events, folderId, description });
    return json(wire.renderWebhookWithSecret(added));
  },
  describe: {
    operationId: 'WebhooksAdd',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'From now on the events of the space are sent to it in order, each at least once, signed by Standard Webhooks. ' +
      'The secret is shown once. The webhook belongs to the space and stays when its creator leaves.',
    parameters: [headers.spaceId],
    requestBody: jsonBody('Where events go, and which', AddWebhook, addExample),
    responses: withSecret('The new webhook, with its secret'),
    refusals: ['FolderNotFound', 'NotAFolder', 'TooManyWebhooks'],
  },
};

const checkChange = compileCheck(ChangeWebhook);

const changeRoute: CallerRoute = {
  method: 'PATCH',
  path: `${path}/{id}`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const id = exchange.parameters.id ?? '';
    await webhooks.showWebhook(cabinet, caller, id);
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkChange,
      example: '{"State": "paused"}',
    });
    const { Url: url, Events: events, FolderId: folderId, Description: description, State: state } = fields;
    const change = { id, url, events, folderId, description, state };
    return json(wire.renderWebhook(await webhooks.changeWebhook(cabinet, current, change)));
  },
  describe: {
    operationId: 'WebhooksChange',
    tag: 'Webhooks',
    summary: 'Change, pause or activate a webhook',
    description: 'When it is set to `active`, it continues at its position: nothing is skipped.',
    parameters,
    requestBody: jsonBody('What to change of the webhook', ChangeWebhook, { State: 'paused' }),
    responses: shown('The webhook as it is now'),
    refusals: ['CursorExpired', 'FolderNotFound', 'NotAFolder', 'WebhookNotFound'],
  },
};

const removeRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{id}`,
  action: 'manage',
  async handle({ cabinet }, { parameters }, caller) {
    await webhooks.removeWebhook(cabinet, caller, parameters.id ?? '');
    return json('{}');
  },
  describe: {
    operationId: 'WebhooksRemove',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    description: 'With the log of its deliveries.',
    parameters,
    responses: { 200: jsonAnswer('The webhook is removed, with its log', { schema: Nothing, example: {} }) },
    refusals: ['WebhookNotFound'],
  },
};

const checkRotate = compileCheck(RotateWebhook);

const rotateRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/{id}/rotate`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const id = exchange.parameters.id ?? '';
    await webhooks.showWebhook(cabinet, caller, id);
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkRotate,
      example: '{"OverlapSeconds": 3600}',
      isOptional: true,
    });
    const overlapSeconds = fields.OverlapSeconds ?? webhooks.defaultOverlapSeconds;
    return json(wire.renderWebhookWithSecret(await webhooks.rotateWebhook(cabinet, current, { id, overlapSeconds })));
  },
  describe: {
    operationId: 'WebhooksRotate',
    tag: 'Webhooks',
    summary: 'Give a webhook a new secret',
    description: 'The secret is shown once. Meanwhile both secrets sign every event.',
    parameters,
    requestBody: {
      ...jsonBody('How long the old secret signs too', RotateWebhook, { OverlapSeconds: 3600 }),
      required: false,
    },
    responses: withSecret('The webhook, with its new secret'),
    refusals: ['WebhookNotFound'],
  },
};

const testRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/{id}/test`,
  action: 'manage',
  async handle({ cabinet, publicUrl }, { parameters }, caller) {
    const delivery = await webhooks.testWebhook(cabinet, caller, {
      id: parameters.id ?? '',
      render: (event) => wire.renderWebhookEvent(publicUrl, event),
    });
    return json(wire.renderDelivery(delivery));
  },
  describe: {
    operationId: 'WebhooksTest',
    tag: 'Webhooks',
    summary: 'Send a test event now',
    description: '`cabinet.webhook.test`. It is not repeated, is logged, and changes neither state nor position.',
    parameters,
    responses: {
      200: jsonAnswer('What became of it', {
        schema: schemas.DeliveryAnswer,
        example: {
          Delivery: {
            ...schemas.exampleDelivery,
            EventId: 'test:3f0c8f5e-9d6a-4a53-9a0c-1b7be3f5d2aa',
            Type: 'cabinet.webhook.test',
          },
        },
      }),
    },
    refusals: ['WebhookNotFound'],
  },
};

const deliveriesRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  action: 'manage',
  async handle(context, exchange, caller) {
    const id = exchange.parameters.id ?? '';
    requireSpace(caller, 'manage');
    const query = exchange.query();
    const list = toListName(caller, `deliveries ${id}`);
    const { limit, after } = readPage<[string]>(context, list, query);
    const request = { id, after: after?.[0] ?? null, limit };
    const { items, next } = await webhooks.listDeliveries(context.cabinet, caller, request);
    const cursor = next === null ? null : [next];
    const link = { path: `/webhooks/${encodeURIComponent(id)}/deliveries`, list, query };
    return json(wire.renderDeliveries(items), toNextLink(context, link, cursor));
  },
  describe: {
    operationId: 'WebhooksDeliveries',
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook',
    description: 'Every attempt of the last 30 days, at most 10,000 of them, newest first.',
    parameters: [...parameters, ...pageParameters()],
    responses: {
      200: jsonAnswer('A page of attempts', {
        schema: schemas.Deliveries,
        example: { Deliveries: [schemas.exampleDelivery] },
        headers: answerHeaders.link,
      }),
    },
    refusals: ['WebhookNotFound'],
  },
};

const checkReplay = compileCheck(ReplayWebhook);

const replayRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/{id}/replay`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const id = exchange.parameters.id ?? '';
    await webhooks.showWebhook(cabinet, caller, id);
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkReplay,
      example: '{"FromPosition": 4711}',
    });
    const from = readStart(fields);
    return json(wire.renderWebhook(await webhooks.replayWebhook(cabinet, current, { id, from })));
  },
  describe: {
    operationId: 'WebhooksReplay',
    tag: 'Webhooks',
    summary: 'Send events again',
    description:
      'All events from a position or a time on, inclusive, in order, and new events after them. It may begin before ' +
      'the webhook was created.',
    parameters,
    requestBody: jsonBody('Where to begin', ReplayWebhook, { FromPosition: 4711 }),
    responses: shown('The webhook, set back to that position'),
    refusals: ['CursorExpired', 'WebhookNotFound'],
  },
};

function readStart({ FromPosition, Since }: { FromPosition?: number; Since?: string }) {
  if (FromPosition !== undefined && Since === undefined) return { position: Math.max(FromPosition, 1) };
  if (FromPosition === undefined && Since !== undefined) return { since: readTime(Since, 'Since') };
  throw new Refusal('InvalidField', 'Send either FromPosition or Since.', { target: 'FromPosition' });
}

export const webhookRoutes: readonly CallerRoute[] = [
  ...[listRoute, addRoute, showRoute, changeRoute, removeRoute],
  ...[rotateRoute, testRoute, deliveriesRoute, replayRoute],
];
