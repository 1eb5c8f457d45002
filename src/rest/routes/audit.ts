// `GET /audit`.

import { listAudit } from '../../operations/audit.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, query as queryParameter } from '../openapi/description.ts';
import { exampleIds } from '../openapi/examples.ts';
import { Type } from '../openapi/json-schema.ts';
import { exampleEvent } from '../openapi/managing-examples.ts';
import { Events } from '../openapi/managing-schemas.ts';
import { pageParameters, readPage, toFilteredName, toListName, toNextLink } from '../pages.ts';
import { readTime } from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { renderEvents } from '../wire-managing.ts';

const time = Type.String({ format: 'date-time' });

export const listAuditRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/audit',
  action: 'manage',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const filter = {
      since: readTimeOf(query, 'since'),
      until: readTimeOf(query, 'until'),
      by: query.get('by'),
      action: query.get('action'),
      entry: query.get('entry'),
    };
    const list = toFilteredName(toListName(caller, 'audit'), filter);
    const { limit, after } = readPage<[number]>(context, list, query);
    const before = after?.[0] ?? null;
    const { events, next } = await listAudit(context.cabinet, caller, { ...filter, before, limit });
    const cursor = next === null ? null : [next];
    return json(renderEvents(events), toNextLink(context, { path: '/audit', list, query }, cursor));
  },
  describe: {
    operationId: 'AuditGet',
    tag: 'Managing',
    summary: 'List who did what in the space, newest first',
    description:
      'As far back as the journal is kept in the catalog. A page examines a limited number of rows: with a filter it ' +
      'may be short, even empty, and still have a next one.',
    parameters: [
      headers.spaceId,
      queryParameter('since', 'Not before this time (RFC 3339)', time, '2026-01-01T00:00:00Z'),
      queryParameter('until', 'Not after this time (RFC 3339)', time, '2026-02-01T00:00:00Z'),
      queryParameter('by', 'Who did it, as `By` says', undefined, 'alice'),
      queryParameter('action', 'What was done, as `Action` says', undefined, 'file.saved'),
      queryParameter('entry', 'What it is about, as `EntryId` says', undefined, exampleIds.file),
      ...pageParameters(),
    ],
    responses: {
      200: jsonAnswer('A page of events', {
        schema: Events,
        example: { Events: [exampleEvent] },
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

function readTimeOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  return text === null ? null : readTime(text, name);
}
