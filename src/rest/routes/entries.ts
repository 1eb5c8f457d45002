// `GET /entries/{id}`, and `GET /files?path=…`, which shows a file by its path.

import { type Caller, toFolderId } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { type EntryView, showByPath, showEntry } from '../../operations/show-entry.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, ids, jsonAnswer, pathParameter } from '../openapi/description.ts';
import { exampleShownFile } from '../openapi/examples.ts';
import { ShownEntry } from '../openapi/schemas.ts';
import { readPath } from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { renderShownEntry } from '../wire.ts';

/** `-root-` stands for the root. */
export function readEntryId({ id = '' }: Record<string, string>, caller: Caller): string {
  return toFolderId(caller, id);
}

/** The answer of every route that shows one entry. */
export function shownResponses(description: string) {
  return {
    200: jsonAnswer(description, { schema: ShownEntry, example: exampleShownFile, headers: answerHeaders.etag }),
  };
}

export const showEntryRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/entries/{id}',
  action: 'read',
  async handle({ cabinet }, { parameters }, caller) {
    return toEntryAnswer(await showEntry(cabinet, caller, { id: readEntryId(parameters, caller) }));
  },
  describe: {
    operationId: 'EntriesGet',
    tag: 'Entries',
    summary: 'Show an entry',
    description: 'A folder or a file by its id; `-root-` is the root. Files have `Sha256` and `Version`.',
    parameters: [ids.entry],
    responses: shownResponses('The entry, and where it is'),
    refusals: ['EntryNotFound'],
  },
};

export const findFileRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files',
  action: 'read',
  async handle({ cabinet }, { query }, caller) {
    const missing = () => new Refusal('FileNotFound', 'There is no such file.', { target: 'path' });
    const found = await showByPath(cabinet, caller, { path: readPath(query()), missing });
    if (found.entry.kind !== 'file') throw missing();
    return toEntryAnswer(found);
  },
  describe: {
    operationId: 'FilesFind',
    tag: 'Files',
    summary: 'Show a file by its path from the root',
    description: 'The same as `GET /entries/{id}`, by path.',
    parameters: [pathParameter('The path of the file, from the root', '/Invoices/a.pdf'), headers.spaceId],
    responses: shownResponses('The file that has this path'),
    refusals: ['FileNotFound'],
  },
};

export function toEntryAnswer(view: EntryView): Answer {
  return json(renderShownEntry(view), { ETag: view.etag });
}
