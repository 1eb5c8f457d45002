// `GET /trash`, `DELETE /trash`, `POST /entries/{id}/restore`.

import { admitTrashed } from '../../operations/admit-entry.ts';
import { emptyTrash, listTrash, restoreEntry } from '../../operations/trash.ts';
import { json } from '../answer.ts';
import { checkConflictAmong, readConflictHeader, readJsonBody } from '../bodies/json-body.ts';
import { answerHeaders, headers, jsonAnswer, jsonBody, pathId, preconditionHeaders } from '../openapi/description.ts';
import { EmptiedTrash, RestoreEntry, TrashPage } from '../openapi/entry-schemas.ts';
import { exampleFile } from '../openapi/examples.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toListName, toNextLink } from '../pages.ts';
import { readPrecondition } from '../preconditions.ts';
import type { CallerRoute } from '../route.ts';
import { renderEmptied, renderTrash } from '../wire.ts';
import { freeNames } from './change-entries.ts';
import { shownResponses, toEntryAnswer } from './entries.ts';

const path = '/trash';

export const listTrashRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/trash',
  action: 'read',
  async handle(context, { query: readQuery }, caller) {
    const query = readQuery();
    const list = toListName(caller, path);
    const page = readPage<readonly [trashedAt: number, entry: number]>(context, list, query);
    const { entries, next } = await listTrash(context.cabinet, caller, page);
    return json(renderTrash(entries), toNextLink(context, { path, list, query }, next));
  },
  describe: {
    operationId: 'TrashGet',
    tag: 'Trash',
    summary: 'List the trash',
    description: 'Newest first. A deleted folder is one entry; everything beneath it comes back with it.',
    parameters: [...pageParameters(), headers.spaceId],
    responses: {
      200: jsonAnswer('A page of what was deleted', {
        schema: TrashPage,
        example: {
          Entries: [
            {
              Entry: exampleFile,
              Path: '/Invoices/a.pdf',
              TrashedAt: '2026-03-01T08:00:00.000Z',
              TrashedBy: 'app:backoffice',
            },
          ],
        },
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

export const emptyTrashRoute: CallerRoute = {
  method: 'DELETE',
  path: '/v1/contentmanagement/trash',
  action: 'write',
  async handle({ cabinet }, _exchange, caller) {
    return json(renderEmptied(await emptyTrash(cabinet, caller)));
  },
  describe: {
    operationId: 'TrashEmpty',
    tag: 'Trash',
    summary: 'Empty the trash',
    description: 'Nothing of it can be restored. Its storage is freed in the background.',
    parameters: [headers.spaceId],
    responses: {
      200: jsonAnswer('How much was removed', { schema: EmptiedTrash, example: { Removed: 3 } }),
    },
    refusals: [],
  },
};

const checkRestore = compileCheck(RestoreEntry);

export const restoreEntryRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/entries/{id}/restore',
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    const id = exchange.parameters.id ?? '';
    const behavior = readConflictHeader(exchange, freeNames);
    const precondition = readPrecondition(exchange.request);
    await admitTrashed(cabinet, caller, { id, precondition });
    const example = '{"ParentFolderId": "-root-"}, or nothing';
    const fields = checkRestore(await readJsonBody(exchange, { example, isOptional: true }));
    const { ParentFolderId, Name, ConflictBehavior } = fields;
    const restored = await restoreEntry(cabinet, await exchange.renewCaller(), {
      id,
      parentFolderId: ParentFolderId ?? null,
      name: Name ?? null,
      conflict: behavior ?? checkConflictAmong(freeNames, ConflictBehavior),
      precondition,
    });
    return toEntryAnswer(restored);
  },
  describe: {
    operationId: 'EntriesRestore',
    tag: 'Trash',
    summary: 'Restore an entry from the trash',
    description:
      'With everything beneath it, to where it was or to another folder. If its folder is gone or in the trash ' +
      'itself, name another.',
    parameters: [
      pathId('The id of an entry that `GET /trash` lists'),
      ...preconditionHeaders,
      headers.conflictBehavior('Fail', 'Rename'),
    ],
    requestBody: {
      ...jsonBody('Where to, if not where it was', RestoreEntry, { ParentFolderId: '-root-', Name: 'a.pdf' }),
      required: false,
    },
    responses: shownResponses('The restored entry, and where it is now'),
    refusals: [
      'EntryNotFound',
      'FolderNotFound',
      'InvalidBody',
      'InvalidField',
      'InvalidName',
      'NameAlreadyExists',
      'NotAFolder',
      'Locked',
      'PreconditionFailed',
      'TooDeep',
    ],
  },
};
