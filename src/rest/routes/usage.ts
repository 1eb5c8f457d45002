// `GET /usage` and `GET /limits`.

import { showLimits, showUsage } from '../../operations/show-usage.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer } from '../openapi/description.ts';
import { exampleLimits, exampleUsage } from '../openapi/managing-examples.ts';
import { ServiceLimits, Usage } from '../openapi/managing-schemas.ts';
import { pageParameters, readPage, toListName, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderLimits, renderUsage } from '../wire-managing.ts';

export const showUsageRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/usage',
  action: 'read',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const list = toListName(caller, 'usage');
    const { limit, after } = readPage<[string]>(context, list, query);
    const usage = await showUsage(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    const cursor = usage.next === null ? null : [usage.next];
    return json(renderUsage(usage), toNextLink(context, { path: '/usage', list, query }, cursor));
  },
  describe: {
    operationId: 'UsageGet',
    tag: 'Managing',
    summary: 'Show the usage of the space, by author',
    description: 'Exact. `By` is paged, by actor. `Quota` has what is limited; operators set it.',
    parameters: [headers.spaceId, ...pageParameters()],
    responses: {
      200: jsonAnswer('What it holds', { schema: Usage, example: exampleUsage, headers: answerHeaders.link }),
    },
    refusals: [],
  },
};

export const showLimitsRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/limits',
  action: 'read',
  async handle({ cabinet }, _exchange, caller) {
    return json(renderLimits(await showLimits(cabinet, caller)));
  },
  describe: {
    operationId: 'LimitsGet',
    tag: 'Service',
    summary: 'Show the limits of the service',
    description: 'Sizes are in bytes. `Space` and `Caller` have the limits of the space, and of the caller in it.',
    parameters: [headers.spaceId],
    responses: { 200: jsonAnswer('The limits', { schema: ServiceLimits, example: exampleLimits }) },
    refusals: [],
  },
};
