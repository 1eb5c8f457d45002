// `POST /folders`.

import { checkSelected } from '../../domain/caller.ts';
import { readMediaType } from '../../domain/content-type.ts';
import type { ConflictBehavior } from '../../domain/entry.ts';
import { checkObjectType, checkProperties } from '../../domain/properties.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type CreateFolderRequest, createFolder } from '../../operations/create-folder.ts';
import { json } from '../answer.ts';
import { checkObject, invalidBody, parseForm, parseObject, readWhole, smallBodyBytes } from '../bodies/json.ts';
import { envelopeAnswer, headers, preconditionHeaders } from '../openapi/description.ts';
import { exampleFolder } from '../openapi/examples.ts';
import { CreateFolder, compileCheck } from '../openapi/schemas.ts';
import {
  checkConflictBehavior,
  checkEncoding,
  readDeclaredBytes,
  readHeader,
  readIdempotencyKey,
  readMd5,
  readSha256,
} from '../parameters.ts';
import { readPrecondition } from '../preconditions.ts';
import type { CallerExchange, CallerRoute } from '../route.ts';
import { renderEnvelope } from '../wire.ts';
import { toLink } from './folders.ts';

const bodyHint =
  'Send JSON {"ParentFolderId": "…", "FolderName": "…"}, bare or under "requestPayload", or the same fields as a URL-encoded form; RelativePath, "a/b/c", stands in place of FolderName.';

const choices = headers.conflictBehavior('Fail', 'Rename', 'Existing');
const conflictBehavior = {
  ...choices,
  description: `${choices.description}, which is the default with \`RelativePath\``,
};

export const createFolderRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/folders',
  action: 'write',
  async handle(context, exchange, caller) {
    checkSelected(caller);
    checkEncoding(exchange.request);
    const idempotencyKey = readIdempotencyKey(exchange.request);
    const behavior = checkConflictBehavior(readHeader(exchange.request, 'conflictbehavior'));
    if (behavior === 'Version') throw noVersions();
    const precondition = readPrecondition(exchange.request);
    const request = await readFolderRequest(exchange);
    // A client that sends a path wants it to exist, so existing folders are used by default.
    const conflict = behavior ?? request.conflict ?? (request.isRelativePath ? 'Existing' : 'Fail');
    const current = await exchange.renewCaller();
    const created = await createFolder(context.cabinet, current, {
      ...request,
      conflict,
      precondition,
      idempotencyKey,
    });
    return json(renderEnvelope(created), {
      entryid: created.folder.id,
      ...toLink(context, created, null),
      ...(created.isReplayed && { 'idempotency-replayed': 'true' }),
    });
  },
  describe: {
    operationId: 'FoldersPOST',
    tag: 'Folders',
    summary: 'Create a folder under a parent folder',
    description:
      'If the name is taken, the response is 400 `NameAlreadyExists`, unless `ConflictBehavior` says otherwise. ' +
      '`Existing` returns the folder that has the name (`mkdir -p`), `Rename` creates `Invoices (2)`. `RelativePath` ' +
      'in place of `FolderName` creates all missing folders of the path in one transaction and uses existing ones. ' +
      '`ConflictBehavior` then applies to the last name, and is `Existing` by default.',
    parameters: [
      conflictBehavior,
      ...preconditionHeaders,
      headers.idempotencyKey,
      headers.spaceId,
      headers.contentDigest,
      headers.contentMd5,
    ],
    requestBody: {
      required: true,
      // Not as a choice of two schemas: generators join their fields and then send neither form.
      description:
        'The fields, as JSON or as a form. `{"requestPayload": {…}}` with the same object, and a form with the field ' +
        '`requestPayload` that has it as JSON, are accepted as well.',
      content: {
        'application/json': {
          schema: CreateFolder,
          examples: {
            FolderName: {
              summary: 'One folder',
              value: { ParentFolderId: '-root-', FolderName: 'Invoices', Properties: { Year: '2026' } },
            },
            RelativePath: {
              summary: 'With the folders on the way',
              value: { ParentFolderId: '-root-', RelativePath: 'Invoices/2026/March' },
            },
          },
        },
        'application/x-www-form-urlencoded': {
          schema: CreateFolder,
          example: { ParentFolderId: '-root-', FolderName: 'Invoices' },
        },
      },
    },
    responses: {
      200: envelopeAnswer('The new folder, without children', {
        Folder: { ...exampleFolder, Size: 0 },
        Children: [],
      }),
    },
    refusals: [
      'FolderNameMissing',
      'FolderNotFound',
      'InvalidName',
      'NotAFolder',
      'Locked',
      'PreconditionFailed',
      'QuotaExceeded',
      'TooDeep',
    ],
  },
};

type FolderRequest = Omit<CreateFolderRequest, 'idempotencyKey' | 'conflict' | 'precondition'> & {
  conflict: ConflictBehavior | null;
};

async function readFolderRequest({ request, openBody, holdMemory }: CallerExchange): Promise<FolderRequest> {
  const digests = { sha256: readSha256(request, 'content-digest'), md5: readMd5(request) };
  const header = readHeader(request, 'content-type');
  const essence = header === null || header === '' ? null : (readMediaType(header)?.essence ?? 'unknown');
  if (essence !== null && essence !== 'application/json' && essence !== 'application/x-www-form-urlencoded') {
    throw invalidBody('A folder is not created by a body of this content type.', bodyHint);
  }
  const declaredBytes = readDeclaredBytes(request) ?? smallBodyBytes;
  if (declaredBytes > smallBodyBytes) throw bodyTooLarge();
  await holdMemory(declaredBytes);
  const body = await readWhole(openBody(digests), smallBodyBytes, bodyTooLarge);
  const isJson = essence === 'application/json' || /^\s*\{/.test(body.toString('latin1', 0, 64));
  return toRequest(isJson ? unwrap(parseObject(body, bodyHint)) : readForm(parseForm(body, bodyHint)));
}

function bodyTooLarge(): Refusal {
  return invalidBody(`The body has more than ${smallBodyBytes} bytes.`, bodyHint);
}

function unwrap(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.hasOwn(fields, 'requestPayload') ? checkPayload(fields.requestPayload) : fields;
}

function checkPayload(payload: unknown): Record<string, unknown> {
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return checkObject(payload, bodyHint);
  throw new Refusal('InvalidField', 'requestPayload must be an object.', { target: 'requestPayload', hint: bodyHint });
}

function readForm(form: Map<string, string>): Record<string, unknown> {
  const payload = form.get('requestPayload');
  if (payload !== undefined) return unwrap(parseObject(Buffer.from(payload), bodyHint));
  const names = ['ParentFolderId', 'FolderName', 'RelativePath', 'ObjectType', 'ConflictBehavior'];
  return Object.fromEntries(names.filter((name) => form.has(name)).map((name) => [name, form.get(name)]));
}

const checkCreateFolder = compileCheck(CreateFolder);

function toRequest(fields: Record<string, unknown>): FolderRequest {
  const isRelativePath = Object.hasOwn(fields, 'RelativePath');
  if (!isRelativePath && !Object.hasOwn(fields, 'FolderName')) {
    throw new Refusal('FolderNameMissing', 'FolderName is missing.', { target: 'FolderName', hint: bodyHint });
  }
  if (isRelativePath && Object.hasOwn(fields, 'FolderName')) throw namedTwice();
  if (fields.ConflictBehavior === 'Version') throw noVersions();
  const checked = checkCreateFolder(fields);
  const { ParentFolderId, FolderName, RelativePath, Properties, ObjectType, ConflictBehavior } = checked;
  return {
    parentFolderId: ParentFolderId ?? null,
    folderName: RelativePath ?? FolderName ?? '',
    isRelativePath,
    objectType: ObjectType === undefined ? null : checkObjectType(ObjectType),
    properties: Properties === undefined ? null : checkProperties(Properties),
    conflict: checkConflictBehavior(ConflictBehavior ?? null),
  };
}

function namedTwice(): Refusal {
  return new Refusal('InvalidField', 'FolderName and RelativePath cannot be sent together.', {
    target: 'RelativePath',
    hint: 'Send FolderName for one folder, or RelativePath, "a/b/c", for one and the folders that are missing on the way to it.',
  });
}

function noVersions(): Refusal {
  return new Refusal('InvalidField', 'Folders have no versions: ConflictBehavior cannot be Version here.', {
    target: 'ConflictBehavior',
    hint: 'Send one of Fail, Rename, Existing.',
  });
}
