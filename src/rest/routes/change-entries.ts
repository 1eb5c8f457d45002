// `PATCH /entries/{id}`, `POST /entries/{id}/copy`, `DELETE /entries/{id}`.

import { checkObjectType, checkPropertyChanges } from '../../domain/properties.ts';
import { Refusal } from '../../domain/refusal.ts';
import { admitEntry } from '../../operations/admit-entry.ts';
import { changeEntry } from '../../operations/change-entry.ts';
import { copyEntry } from '../../operations/copy-entry.ts';
import { deleteEntry } from '../../operations/trash.ts';
import { checkConflictAmong, readConflictHeader, readJsonBody } from '../bodies/json-body.ts';
import { headers, ids, jsonBody, preconditionHeaders, query } from '../openapi/description.ts';
import { ChangeEntry, CopyEntry } from '../openapi/entry-schemas.ts';
import { exampleIds } from '../openapi/examples.ts';
import { Type } from '../openapi/json-schema.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { readPrecondition } from '../preconditions.ts';
import type { CallerRoute } from '../route.ts';
import { readEntryId, shownResponses, toEntryAnswer } from './entries.ts';

export const freeNames = ['Fail', 'Rename'] as const;

const checkChange = compileCheck(ChangeEntry);
const checkCopy = compileCheck(CopyEntry);

export const changeEntryRoute: CallerRoute = {
  method: 'PATCH',
  path: '/v1/contentmanagement/entries/{id}',
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    const id = readEntryId(exchange.parameters, caller);
    const precondition = readPrecondition(exchange.request);
    const behavior = readConflictHeader(exchange, freeNames);
    await admitEntry(cabinet, caller, { id, precondition });
    const example = '{"Name": "new.txt", "Properties": {"Customer": "42", "Draft": null}}';
    const fields = checkChange(await readJsonBody(exchange, { example }));
    const { Name, ParentFolderId, Properties, ObjectType, ConflictBehavior } = fields;
    const changed = await changeEntry(cabinet, await exchange.renewCaller(), {
      id,
      name: Name ?? null,
      parentFolderId: ParentFolderId ?? null,
      properties: Properties === undefined ? null : checkPropertyChanges(Properties),
      objectType: ObjectType === undefined ? null : checkObjectType(ObjectType),
      precondition,
      conflict: behavior ?? checkConflictAmong(freeNames, ConflictBehavior),
    });
    return toEntryAnswer(changed);
  },
  describe: {
    operationId: 'EntriesChange',
    tag: 'Entries',
    summary: 'Rename, move or edit an entry',
    description:
      'Fields that are not sent stay as they are. A folder moves with everything beneath it. No-op updates keep ' +
      '`ModifiedAt`.',
    parameters: [ids.entry, ...preconditionHeaders, headers.conflictBehavior('Fail', 'Rename')],
    requestBody: jsonBody('Any of these', ChangeEntry, {
      Name: 'b.pdf',
      Properties: { Customer: '4711', Draft: null },
    }),
    responses: shownResponses('The entry as it is now, and where it is'),
    refusals: [
      'EntryNotFound',
      'FolderNotFound',
      'Forbidden',
      'InvalidBody',
      'InvalidField',
      'InvalidMove',
      'InvalidName',
      'NameAlreadyExists',
      'NotAFolder',
      'Locked',
      'PreconditionFailed',
      'TooDeep',
    ],
  },
};

export const copyEntryRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/entries/{id}/copy',
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    const id = readEntryId(exchange.parameters, caller);
    const precondition = readPrecondition(exchange.request);
    const behavior = readConflictHeader(exchange, freeNames);
    await admitEntry(cabinet, caller, { id, precondition, isCopied: true });
    const example = '{"ParentFolderId": "-root-", "Name": "copy.txt"}';
    const fields = checkCopy(await readJsonBody(exchange, { example }));
    const { ParentFolderId, Name, ConflictBehavior } = fields;
    const copied = await copyEntry(cabinet, await exchange.renewCaller(), {
      id,
      parentFolderId: ParentFolderId ?? null,
      name: Name ?? null,
      conflict: behavior ?? checkConflictAmong(freeNames, ConflictBehavior),
      precondition,
    });
    return toEntryAnswer(copied);
  },
  describe: {
    operationId: 'EntriesCopy',
    tag: 'Entries',
    summary: 'Copy an entry; a folder with everything beneath it',
    description:
      'Bytes are shared, not copied; a copied file begins at version 1. A large copy becomes visible when all of it ' +
      'is there. If the original changes meanwhile, each folder is copied as it is when its turn comes.',
    parameters: [ids.entry, ...preconditionHeaders, headers.conflictBehavior('Fail', 'Rename')],
    requestBody: jsonBody('Where to', CopyEntry, { ParentFolderId: exampleIds.folder, Name: 'copy.pdf' }),
    responses: shownResponses('The copy, with an id of its own'),
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
      'QuotaExceeded',
      'TooDeep',
    ],
  },
};

export const deleteEntryRoute: CallerRoute = {
  method: 'DELETE',
  path: '/v1/contentmanagement/entries/{id}',
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    const deleted = await deleteEntry(cabinet, caller, {
      id: readEntryId(exchange.parameters, caller),
      isPermanent: readPermanent(exchange.query().get('permanent')),
      precondition: readPrecondition(exchange.request),
    });
    return toEntryAnswer(deleted);
  },
  describe: {
    operationId: 'EntriesDelete',
    tag: 'Entries',
    summary: 'Move an entry to the trash, or remove it for good',
    description:
      'A folder is deleted with everything beneath it, in one step whatever its size. With `permanent=true` it ' +
      'cannot be restored; that also removes entries from the trash for good. Returns the entry as it was.',
    parameters: [
      ids.entry,
      query('permanent', 'true: remove it for good', Type.Enum(['true', 'false']), 'true'),
      ...preconditionHeaders,
    ],
    responses: shownResponses('The entry as it was before'),
    refusals: ['EntryNotFound', 'Forbidden', 'InvalidField', 'Locked', 'PreconditionFailed'],
  },
};

function readPermanent(text: string | null): boolean {
  if (text === null || text === 'false') return false;
  if (text === 'true') return true;
  throw new Refusal('InvalidField', 'permanent must be true or false.', { target: 'permanent' });
}
