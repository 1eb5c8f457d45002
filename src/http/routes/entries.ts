// `GET /entries/{id}`, and `GET /files?path=…`, which is the same for a file by its path.

import { Refusal } from '../../domain/refusal.ts';
import { type EntryView, showByPath, showEntry } from '../../operations/show-entry.ts';
import { type Answer, json } from '../answer.ts';
import { pathId, pathParameter } from '../openapi.ts';
import { readPath } from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { ShownEntry } from '../schemas.ts';
import { renderShownEntry } from '../wire.ts';

const responses = {
  200: { description: 'The entry, and where it is', content: { 'application/json': { schema: ShownEntry } } },
};

export const showEntryRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/entries/{id}',
  action: 'read',
  async handle({ cabinet }, { parameters }, caller) {
    return toAnswer(await showEntry(cabinet, caller, { id: parameters.id ?? '' }));
  },
  describe: { operationId: 'EntriesGet', summary: 'Show an entry', parameters: [pathId('The entry')], responses },
};

export const findFileRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files',
  action: 'read',
  async handle({ cabinet }, { query }, caller) {
    const missing = () => new Refusal('FileNotFound', 'There is no such file.', { target: 'path' });
    const found = await showByPath(cabinet, caller, { path: readPath(query()), missing });
    if (found.entry.kind !== 'file') throw missing();
    return toAnswer(found);
  },
  describe: {
    operationId: 'FilesFind',
    summary: 'Show a file by its path from the root',
    parameters: [pathParameter('/Invoices/a.pdf')],
    responses,
  },
};

function toAnswer(view: EntryView): Answer {
  return json(renderShownEntry(view), { ETag: view.etag });
}
