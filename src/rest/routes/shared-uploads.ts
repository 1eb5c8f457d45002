// `POST /shared/{secret}/files` and tus at `/shared/{secret}/uploads`: files that are sent by a link. Whoever sends them chooses name
// and bytes, and learns nothing of what is there.

import type { Answer } from '../../listener/answer.ts';
import { invalidHeader, shuttingDown } from '../../listener/refusals.ts';
import { showUpload } from '../../operations/finish-upload.ts';
import {
  countUpload,
  renewUse,
  type ShareUse,
  toUploadCabinet,
  type UsedShare,
  useForUploading,
  withoutDetails,
} from '../../operations/open-share.ts';
import { discardContent } from '../../operations/receive-content.ts';
import { admitSave, saveFile } from '../../operations/save-file.ts';
import { removeUpload, type UploadRequest } from '../../operations/uploads.ts';
import { json } from '../answer.ts';
import { readFileBody } from '../bodies/file-body.ts';
import { smallBodyBytes } from '../bodies/json.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { bytesBody, header, headers, ids, jsonAnswer } from '../openapi/description.ts';
import { answerHeader } from '../openapi/headers.ts';
import { SaveFileForm } from '../openapi/schemas.ts';
import { exampleReceived, ReceivedFile } from '../openapi/share-schemas.ts';
import * as parameters from '../parameters.ts';
import type { OpenRoute, RouteExchange } from '../route.ts';
import { readShareUse, toSharedHeaders } from '../shared-request.ts';
import { toShareKeys } from '../slots.ts';
import { appendTus, createAndFill, noHeaders, toSaved } from '../uploads/tus.ts';
import * as tus from '../uploads/tus-headers.ts';
import { readUploadRequest, uploadStatuses, withUploadStatuses } from '../uploads/upload-request.ts';
import { renderReceived } from '../wire-shares.ts';
import { checkReprDigest, fileNameMissing, readSaveParams, toReceiver } from './files.ts';
import { sharedPath, shareParameters, shareRefusals } from './shared.ts';

async function begin({ cabinet }: EnvironmentContext, exchange: RouteExchange, use: ShareUse): Promise<UsedShare> {
  const used = await useForUploading(cabinet, use);
  exchange.observation.actor = used.caller.actor;
  if (exchange.isDraining) throw shuttingDown();
  return used;
}

const sendFileRoute: OpenRoute = {
  method: 'POST',
  path: `${sharedPath}/files`,
  action: null,
  toHeaders: toSharedHeaders,
  async handle(context, exchange) {
    const use = readShareUse(exchange);
    const used = await begin(context, exchange, use);
    const held: (() => void)[] = [];
    const [own = '', ...others] = toShareKeys(used.caller);
    const holdMemory = async (bytes: number) => {
      held.push(await context.bodyMemory.hold([own, ...others], bytes));
    };
    try {
      return await withoutDetails(() => receive(context, { ...exchange, holdMemory }, { use, used }));
    } finally {
      for (const release of held) release();
    }
  },
  describe: {
    operationId: 'SharedSave',
    tag: 'Sharing',
    summary: 'Send a file by a link',
    description:
      'For links with `upload`; the body is as for `POST /files`. A file whose name is taken gets ` (2)`. ' +
      '`Properties` and `ObjectType` are ignored. The file counts against the quota of the space, and has at most ' +
      '`CABINET_SHARE_UPLOAD_MAX` bytes.',
    parameters: [...shareParameters, headers.fileName, headers.reprDigest, headers.contentDigest, headers.contentMd5],
    requestBody: {
      required: true,
      description: 'The file as the part `filename`',
      content: { 'multipart/form-data': { schema: SaveFileForm, example: { filename: '%PDF-1.7 …' } } },
    },
    responses: { 200: jsonAnswer('What was saved', { schema: ReceivedFile, example: exampleReceived }) },
    refusals: [
      ...shareRefusals,
      ...(['AttachmentMissing', 'FileNameMissing', 'FileTooLarge', 'Forbidden', 'InvalidName', 'Locked'] as const),
      ...(['QuotaExceeded', 'ShuttingDown', 'StorageFull', 'TooManyAttachments', 'TooManyUploads'] as const),
    ],
  },
};

type ReceivingExchange = RouteExchange & { holdMemory(bytes: number): Promise<void> };

async function receive(
  context: EnvironmentContext,
  exchange: ReceivingExchange,
  { use, used }: { use: ShareUse; used: UsedShare },
): Promise<Answer> {
  const { request, openBody, holdMemory } = exchange;
  const { caller, entry } = used;
  const cabinet = toUploadCabinet(context.cabinet);
  parameters.checkEncoding(request);
  const params = readSaveParams(request);
  if (params.fileName === null && params.format.kind === 'bare') throw fileNameMissing();
  const target = { folderId: entry.id, conflict: 'Rename' as const, idempotencyKey: null, skipFolderCheck: false };
  const { fileName: name, declaredBytes } = params;
  const destination = await admitSave(cabinet, caller, { ...target, fileName: name, declaredBytes });
  const inFlight = cabinet.quotas.receiving(destination.access, caller.actor);
  const receiver = toReceiver({ cabinet, largeBodies: context.largeBodies }, { exchange, caller, inFlight });
  const heldBytes = params.format.kind === 'json' ? (parameters.readDeclaredBytes(request) ?? smallBodyBytes) : 0;
  await holdMemory(Math.min(heldBytes, smallBodyBytes));
  const body = await readFileBody(openBody(params.digests), params.format, receiver);
  const { received, contentType } = body;
  let isHandedOver = false;
  try {
    checkReprDigest(params.reprDigest, received);
    const fileName = params.fileName ?? body.fileName;
    if (fileName === null) throw fileNameMissing();
    const current = await renewUse(cabinet, use);
    isHandedOver = true;
    const saved = await saveFile(cabinet, current, {
      ...{ destination, fileName, contentType, received, conflict: 'Rename', idempotencyKey: null },
      ...{ objectType: null, properties: null, comment: null },
    });
    await countUpload(cabinet, used, saved.file.id);
    const { sha256, sizeBytes } = received.content;
    return json(renderReceived({ name: saved.file.name, sizeBytes, sha256 }));
  } finally {
    if (!isHandedOver) await discardContent(cabinet, received.content);
  }
}

const uploadsPath = `${sharedPath}/uploads`;
const always = { 'Tus-Resumable': tus.tusVersion };
const toTusHeaders = () => ({ ...toSharedHeaders(), ...always });
const tusHeader = header('Tus-Resumable', 'tus: 1.0.0', '1.0.0');
const stateHeaders = answerHeader('Upload-Offset', 'Upload-Expires');
const common = {
  tag: 'Sharing',
  everyAnswer: ['Tus-Resumable', 'Tus-Version', 'Upload-Offset'],
  statuses: uploadStatuses,
} as const;
const uploadRefusals = [
  ...shareRefusals,
  ...(['Forbidden', 'ShuttingDown', 'StorageFull', 'TusVersionUnsupported'] as const),
] as const;
const savingRefusals = [
  ...(['ChecksumMismatch', 'DigestMismatch', 'FileTooLarge', 'InvalidName', 'Locked', 'QuotaExceeded'] as const),
  ...(['UnsupportedMediaType', 'UploadLengthMismatch', 'UploadTooSlow', 'UnsupportedEncoding'] as const),
] as const;

/** Only the name, the type and the digest are the sender's. */
function toShareRequest(request: UploadRequest, folderId: string): UploadRequest {
  const { fileName, contentType, sha256 } = request;
  return {
    ...{ folderId, fileName, contentType, sha256, conflict: 'Rename', isMinimal: true },
    ...{ objectType: null, properties: null, comment: null, precondition: null, idempotencyKey: null },
  };
}

const createSharedUploadRoute: OpenRoute = {
  method: 'POST',
  path: uploadsPath,
  action: null,
  toHeaders: toTusHeaders,
  async handle(context, exchange) {
    return await answerTus(context, exchange, async (used, renewCaller) => {
      const { request, parameters: path } = exchange;
      tus.checkTusVersion(request);
      parameters.checkEncoding(request);
      if (tus.readConcat(request).kind !== 'whole') throw invalidHeader('Upload-Concat', 'does not go with a link');
      const metadata = parameters.readHeader(request, 'upload-metadata');
      tus.parseMetadata(metadata);
      const save = toShareRequest(readUploadRequest(request, null), used.entry.id);
      const { upload, saved } = await createAndFill(
        toUploadCabinet(context.cabinet),
        { ...exchange, renewCaller },
        used.caller,
        { protocol: 'tus', kind: 'whole', metadata, lengthBytes: tus.readNewLength(request), save, parts: null },
      );
      if (saved !== null) await countUpload(context.cabinet, used, saved.file.id);
      const Location = `${context.basePath}/v1/contentmanagement/shared/${path.secret}/uploads/${upload.id}`;
      return { status: 201, headers: { Location, ...withoutEntry(toSaved(upload)) }, body: '' };
    });
  },
  describe: {
    ...common,
    operationId: 'SharedUploadsPost',
    summary: 'Start a resumable upload by a link',
    description:
      'tus 1.0, as `POST /uploads`, without concatenation. The name is in `FileName`, or `filename` of the metadata.',
    parameters: [
      ...shareParameters,
      tusHeader,
      header('Upload-Length', 'How many bytes it will have', '1000'),
      header('Upload-Metadata', 'tus: filename and filetype, in base64', 'filename YS50eHQ='),
      headers.fileName,
    ],
    requestBody: bytesBody('The first bytes of the file; may be empty', {
      required: false,
      contentTypes: [tus.tusType],
    }),
    responses: {
      201: {
        description: 'The upload is at `Location`. The file is saved, if all bytes have come',
        headers: { ...answerHeader('Location'), ...stateHeaders },
      },
    },
    refusals: [...uploadRefusals, ...savingRefusals, 'FileNameMissing', 'TooManyUploads'],
  },
};

/** `run` gets the share, and a function that finds it again after a long body. */
async function answerTus(
  context: EnvironmentContext,
  exchange: RouteExchange,
  run: (used: UsedShare, renewCaller: () => ReturnType<typeof renewUse>) => Promise<Answer>,
): Promise<Answer> {
  return await withUploadStatuses(noHeaders, () =>
    withoutDetails(async () => {
      const use = readShareUse(exchange);
      const used = await begin(context, exchange, use);
      return await run(used, () => renewUse(context.cabinet, use));
    }),
  );
}

/** Whoever sends a file does not learn its id. */
function withoutEntry({ entryid: _, ...rest }: Record<string, string>): Record<string, string> {
  return rest;
}

const showSharedUploadRoute: OpenRoute = {
  method: 'GET',
  path: `${uploadsPath}/{id}`,
  action: null,
  toHeaders: toTusHeaders,
  async handle({ cabinet }, exchange) {
    return await withUploadStatuses(noHeaders, () =>
      withoutDetails(async () => {
        const used = await useForUploading(cabinet, readShareUse(exchange));
        tus.checkTusVersion(exchange.request);
        const { appKey, actor } = used.caller;
        const id = exchange.parameters.id ?? '';
        const before = await cabinet.catalog.findUpload({ id, appKey, actor });
        const upload = await showUpload(cabinet, used.caller, { id, protocol: 'tus' });
        // All bytes had come, and the answer was lost.
        if (before?.result === null && upload.result !== null) await countUpload(cabinet, used, upload.result);
        return { status: 200, headers: withoutEntry(tus.toTusState(upload)), body: '' };
      }),
    );
  },
  describe: {
    ...common,
    operationId: 'SharedUploadsGet',
    summary: 'Show the progress of an upload by a link',
    description: '`HEAD`, as tus has it; `GET` is the same.',
    parameters: [...shareParameters, ids.upload, tusHeader],
    responses: {
      200: {
        description: 'How many bytes of the file are durable',
        headers: { ...stateHeaders, ...answerHeader('Upload-Length', 'Upload-Defer-Length', 'Upload-Metadata') },
      },
    },
    refusals: [...uploadRefusals, ...savingRefusals, 'UploadExpired', 'UploadNotFound'],
  },
};

const appendSharedUploadRoute: OpenRoute = {
  method: 'PATCH',
  path: `${uploadsPath}/{id}`,
  action: null,
  toHeaders: toTusHeaders,
  async handle(context, exchange) {
    return await answerTus(context, exchange, async (used, renewCaller) => {
      const cabinet = toUploadCabinet(context.cabinet);
      const { upload, saved } = await appendTus(cabinet, { ...exchange, renewCaller }, used.caller);
      if (saved !== null) await countUpload(cabinet, used, saved.file.id);
      return { status: 204, headers: withoutEntry(toSaved(upload)), body: '' };
    });
  },
  describe: {
    ...common,
    operationId: 'SharedUploadsPatch',
    summary: 'Append bytes to an upload by a link',
    description: 'tus 1.0, as `PATCH /uploads/{id}`. The last bytes save the file.',
    parameters: [...shareParameters, ids.upload, tusHeader, header('Upload-Offset', 'Where the bytes belong', '512')],
    requestBody: bytesBody(`The next bytes: ${tus.tusType}`, { required: false, contentTypes: [tus.tusType] }),
    responses: {
      204: {
        description: 'The bytes up to `Upload-Offset` are durable; the last ones save the file',
        headers: stateHeaders,
      },
    },
    refusals: [
      ...uploadRefusals,
      ...savingRefusals,
      ...(['InvalidHeader', 'UploadExpired', 'UploadNotFound', 'UploadOffsetMismatch'] as const),
    ],
  },
};

const removeSharedUploadRoute: OpenRoute = {
  method: 'DELETE',
  path: `${uploadsPath}/{id}`,
  action: null,
  toHeaders: toTusHeaders,
  async handle(context, exchange) {
    return await answerTus(context, exchange, async (used) => {
      tus.checkTusVersion(exchange.request);
      await removeUpload(context.cabinet, used.caller, { id: exchange.parameters.id ?? '', protocol: 'tus' });
      return { status: 204, headers: {}, body: '' };
    });
  },
  describe: {
    ...common,
    operationId: 'SharedUploadsDelete',
    summary: 'Cancel an upload by a link',
    description: 'Its bytes are removed.',
    parameters: [...shareParameters, ids.upload, tusHeader],
    responses: { 204: { description: 'The upload by the link is removed, with its bytes' } },
    refusals: [...uploadRefusals, 'UploadExpired', 'UploadNotFound'],
  },
};

export const sharedUploadRoutes = [
  sendFileRoute,
  createSharedUploadRoute,
  showSharedUploadRoute,
  appendSharedUploadRoute,
  removeSharedUploadRoute,
];
