// `POST /folders` and `GET /folders/{id}`.

import Type from 'typebox';
import { type Caller, toFolderId } from '../../domain/caller.ts';
import { readMediaType } from '../../domain/content-type.ts';
import { folderNotFound } from '../../domain/missing.ts';
import { checkObjectType, checkProperties } from '../../domain/properties.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type CreateFolderRequest, createFolder } from '../../operations/create-folder.ts';
import { type FolderListing, firstPageLimit, largestPageLimit, listFolder } from '../../operations/list-folder.ts';
import { showByPath } from '../../operations/show-entry.ts';
import { type Answer, json } from '../answer.ts';
import { readCursor, toCursorText } from '../cursor.ts';
import { checkObject, invalidBody, parseForm, parseObject, readWhole, smallBodyBytes } from '../json.ts';
import { envelopeAnswer, headers, pathId, pathParameter } from '../openapi.ts';
import {
  checkConflictBehavior,
  checkEncoding,
  readDeclaredBytes,
  readHeader,
  readIdempotencyKey,
  readMd5,
  readPath,
  readSha256,
} from '../parameters.ts';
import type { CallerRoute, Exchange, Served } from '../route.ts';
import { CreateFolder, compileCheck } from '../schemas.ts';
import { renderEnvelope } from '../wire.ts';

const bodies =
  'Send JSON {"ParentFolderId": "…", "FolderName": "…"}, bare or under "requestPayload", or the same fields as a URL-encoded form.';

export const createFolderRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/folders',
  action: 'write',
  async handle(served, exchange) {
    checkEncoding(exchange.request);
    const idempotencyKey = readIdempotencyKey(exchange.request);
    const behavior = checkConflictBehavior(readHeader(exchange.request, 'conflictbehavior'));
    const request = await readFolderRequest(exchange);
    const conflict = behavior ?? request.conflict;
    if (conflict === 'Version') throw noVersions();
    const current = await exchange.renewCaller();
    const created = await createFolder(served.cabinet, current, { ...request, conflict, idempotencyKey });
    return json(renderEnvelope(created.folder, created.children), {
      entryid: created.folder.id,
      ...toLink(served, created, null),
      ...(created.isReplayed && { 'idempotency-replayed': 'true' }),
    });
  },
  describe: {
    operationId: 'FoldersPOST',
    summary: 'Create a folder under a parent folder',
    parameters: [headers.conflictBehavior('Fail, Rename or Existing'), headers.idempotencyKey],
    requestBody: {
      required: true,
      description: 'The fields bare, or under requestPayload; as JSON or as a form.',
      content: {
        'application/json': { schema: { anyOf: [CreateFolder, Type.Object({ requestPayload: CreateFolder })] } },
        'application/x-www-form-urlencoded': { schema: CreateFolder },
      },
    },
    responses: { 200: envelopeAnswer('The new folder, without children') },
  },
};

async function readFolderRequest({
  request,
  openBody,
}: Exchange): Promise<Omit<CreateFolderRequest, 'idempotencyKey'>> {
  const digests = { sha256: readSha256(request, 'content-digest'), md5: readMd5(request) };
  const header = readHeader(request, 'content-type');
  const essence = header === null || header === '' ? null : (readMediaType(header)?.essence ?? 'unknown');
  if (essence !== null && essence !== 'application/json' && essence !== 'application/x-www-form-urlencoded') {
    throw invalidBody('A folder is not created by a body of this content type.', bodies);
  }
  if ((readDeclaredBytes(request) ?? 0) > smallBodyBytes) throw bodyTooLarge();
  const body = await readWhole(openBody(digests), smallBodyBytes, bodyTooLarge);
  const isJson = essence === 'application/json' || /^\s*\{/.test(body.toString('latin1', 0, 64));
  return toRequest(isJson ? unwrap(parseObject(body, bodies)) : readForm(parseForm(body, bodies)));
}

function bodyTooLarge(): Refusal {
  return invalidBody(`The body has more than ${smallBodyBytes} bytes.`, bodies);
}

function unwrap(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.hasOwn(fields, 'requestPayload') ? checkPayload(fields.requestPayload) : fields;
}

function checkPayload(payload: unknown): Record<string, unknown> {
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return checkObject(payload, bodies);
  throw new Refusal('InvalidField', 'requestPayload must be an object.', { target: 'requestPayload', hint: bodies });
}

function readForm(form: Map<string, string>): Record<string, unknown> {
  const payload = form.get('requestPayload');
  if (payload !== undefined) return unwrap(parseObject(Buffer.from(payload), bodies));
  const names = ['ParentFolderId', 'FolderName', 'ObjectType', 'ConflictBehavior'];
  return Object.fromEntries(names.filter((name) => form.has(name)).map((name) => [name, form.get(name)]));
}

const checkCreateFolder = compileCheck(CreateFolder);

function toRequest(fields: Record<string, unknown>): Omit<CreateFolderRequest, 'idempotencyKey'> {
  if (!Object.hasOwn(fields, 'FolderName')) {
    throw new Refusal('FolderNameMissing', 'FolderName is missing.', { target: 'FolderName', hint: bodies });
  }
  if (fields.ConflictBehavior === 'Version') throw noVersions();
  const { ParentFolderId, FolderName, Properties, ObjectType, ConflictBehavior } = checkCreateFolder(fields);
  return {
    parentFolderId: ParentFolderId ?? null,
    folderName: FolderName,
    objectType: ObjectType === undefined ? null : checkObjectType(ObjectType),
    properties: Properties === undefined ? null : checkProperties(Properties),
    conflict: checkConflictBehavior(ConflictBehavior ?? null) ?? 'Fail',
  };
}

function noVersions(): Refusal {
  return new Refusal('InvalidField', 'Folders have no versions: ConflictBehavior cannot be Version here.', {
    target: 'ConflictBehavior',
    hint: 'Send one of Fail, Rename, Existing.',
  });
}

export const listFolderRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/folders/{id}',
  action: 'read',
  async handle(served, { query, parameters }, caller): Promise<Answer> {
    return await showPage(served, caller, toFolderId(caller, parameters.id ?? ''), query());
  },
  describe: {
    operationId: 'FoldersGet',
    summary: 'Show a folder and a page of its children',
    parameters: [pathId('The folder; -root- for the root'), ...pageParameters()],
    responses: { 200: envelopeAnswer('The folder and a page of its children') },
  },
};

export const findFolderRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/folders',
  action: 'read',
  async handle(served, { query: readQuery }, caller): Promise<Answer> {
    const query = readQuery();
    const { entry } = await showByPath(served.cabinet, caller, {
      path: readPath(query),
      missing: () => folderNotFound('path'),
    });
    return await showPage(served, caller, entry.id, query);
  },
  describe: {
    operationId: 'FoldersFind',
    summary: 'Show a folder by its path from the root',
    parameters: [pathParameter('/Invoices/2026'), ...pageParameters()],
    responses: { 200: envelopeAnswer('The folder and a page of its children') },
  },
};

function pageParameters(): object[] {
  return [
    { name: 'cursor', in: 'query', schema: Type.String(), description: 'From the Link of the page before' },
    {
      name: 'limit',
      in: 'query',
      schema: Type.Integer({ minimum: 1, maximum: largestPageLimit, default: firstPageLimit }),
    },
    { name: 'order', in: 'query', schema: Type.Enum(['name']) },
  ];
}

async function showPage(served: Served, caller: Caller, folderId: string, query: URLSearchParams): Promise<Answer> {
  const limit = readLimit(query.get('limit'));
  checkOrder(query.get('order'));
  const text = query.get('cursor');
  const cursor = text === null ? null : readCursor(served.cursorKey, folderId, text);
  const listing = await listFolder(served.cabinet, caller, {
    folderId,
    limit,
    ...(cursor !== null && { after: cursor.after }),
    ...(cursor !== null && cursor.exclude !== null && { exclude: cursor.exclude }),
  });
  const link = toLink(served, listing, cursor?.exclude ?? null, limit);
  return json(renderEnvelope(listing.folder, listing.children), link);
}

/** The header that leads to the next page, while there is one. */
export function toLink(
  served: Served,
  { folder, next }: FolderListing,
  exclude: string | null,
  limit = firstPageLimit,
) {
  if (next === null) return {};
  const cursor = toCursorText(served.cursorKey, { folder: folder.id, after: next, exclude });
  const size = limit === firstPageLimit ? '' : `&limit=${limit}`;
  return {
    Link: `<${served.publicUrl}/v1/contentmanagement/folders/${folder.id}?cursor=${cursor}${size}>; rel="next"`,
  };
}

function readLimit(text: string | null): number {
  if (text === null) return firstPageLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= largestPageLimit) return limit;
  throw new Refusal('InvalidField', `limit must be a number from 1 to ${largestPageLimit}.`, { target: 'limit' });
}

function checkOrder(order: string | null): void {
  if (order === null || order === 'name') return;
  throw new Refusal('InvalidField', 'Folders are listed by name.', {
    target: 'order',
    hint: 'Send order=name or none.',
  });
}
