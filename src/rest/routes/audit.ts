// `GET /audit`.

import { Refusal } from '../../domain/refusal.ts';
import { listAudit } from '../../operations/audit.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, query as queryParameter } from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import { exampleEvent } from '../openapi/managing-examples.ts';
import { Events } from '../openapi/managing-schemas.ts';
import { pageParameters, readPage, toFilteredName, toListName, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderEvents } from '../wire-managing.ts';

export const listAuditRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/audit',
  action: 'manage',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const filter = {
      since: readTime(query, 'since'),
      until: readTime(query, 'until'),
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
    summary: 'Who did what in the space, newest first',
    description:
      'As far back as the journal is kept at hand. A page looks at a bounded number of rows: with a filter it may be short, even empty, and still have a next one.',
    parameters: [
      headers.spaceId,
      queryParameter('since', 'Not before this time (RFC 3339)', Type.String({ format: 'date-time' })),
      queryParameter('until', 'Not after this time (RFC 3339)', Type.String({ format: 'date-time' })),
      queryParameter('by', 'Who did it, as `By` says'),
      queryParameter('action', 'What was done, as `Action` says'),
      queryParameter('entry', 'What it is about, as `EntryId` says'),
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

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

function readTime(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new Refusal('InvalidField', `${name} must be a time such as 2026-01-15T09:30:00Z.`, { target: name });
}
