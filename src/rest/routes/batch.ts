// `POST /files/batch`.

import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../domain/caller.ts';
import type { BytesInFlight } from '../../operations/bytes-in-flight.ts';
import { discardContent, receiveContent } from '../../operations/receive-content.ts';
import {
  admitBatch,
  type BatchItem,
  type BatchResult,
  maxBatchBytes,
  maxBatchFiles,
  saveBatch,
} from '../../operations/save-batch.ts';
import { json } from '../answer.ts';
import { type BatchReceiver, readBatch, readBatchBoundary } from '../bodies/batch-body.ts';
import { smallBodyBytes } from '../bodies/json.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { answerHeaders, header, headers, jsonAnswer } from '../openapi/description.ts';
import { BatchResults, SaveBatchForm } from '../openapi/entry-schemas.ts';
import { exampleShownFile, toRefusalExample } from '../openapi/examples.ts';
import * as parameters from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { tooManyBatches } from '../slots.ts';
import { renderBatch } from '../wire.ts';

export const saveBatchRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/files/batch',
  action: 'write',
  async handle(context, { request, requestId, openBody, renewCaller, holdMemory }, caller) {
    const { cabinet } = context;
    parameters.checkEncoding(request);
    const { boundary, digests, defaults, ...target } = readParams(request);
    const destination = await admitBatch(cabinet, caller, target);
    const { idempotencyKey } = target;
    const inFlight = cabinet.quotas.receiving(destination.access, caller.actor);
    const { receiver, release } = toReceiver(context, { caller, inFlight });
    await holdMemory(Math.min(target.declaredBytes ?? smallBodyBytes, smallBodyBytes));
    let results: BatchResult[];
    try {
      const items = await readBatch({ body: openBody(digests), boundary }, defaults, receiver);
      const current = await renewCaller().catch((error) => discardAndThrow(receiver, items, error));
      results = await saveBatch(cabinet, current, { destination, items, idempotencyKey });
    } finally {
      release();
    }
    const isReplayed = results.some((result) => 'isReplayed' in result && result.isReplayed);
    return json(renderBatch(results, requestId), isReplayed ? { 'idempotency-replayed': 'true' } : {});
  },
  describe: {
    operationId: 'FilesBatchPost',
    tag: 'Files',
    summary: 'Save many small files at once',
    description:
      `Up to ${maxBatchFiles} files and ${maxBatchBytes} bytes in one body (\`GET /limits\` tells). Each file succeeds or fails ` +
      'alone: the answer is 200 with one result for each, in the order in which they were sent. What is saved is committed ' +
      'together, when the whole body has arrived: half a batch saves nothing. The part `Files` says more of each file, by its ' +
      'place; `RelativePath` in it makes the folders that are missing. With an `Idempotency-Key`, the batch may be sent again as a ' +
      'whole: what was saved is not saved again, what failed is tried again. A 500 says nothing of single files: send it again.',
    parameters: [
      header('FolderId', 'Where files go that name no folder; absent, empty or -root-: the root', '-root-'),
      headers.conflictBehavior('Version', 'Fail', 'Rename', 'Existing'),
      headers.idempotencyKey,
      headers.spaceId,
      headers.comment,
      headers.contentDigest,
      headers.contentMd5,
    ],
    requestBody: {
      required: true,
      description: 'A part named filename for each file; and, where there is more to say of them, a part named Files.',
      content: {
        'multipart/form-data': {
          schema: SaveBatchForm,
          example: {
            Files: '[{"RelativePath":"2026/a.pdf"},{"FileName":"b.txt","Properties":{"Customer":"4711"}}]',
            filename: ['%PDF-1.7 …', 'Hello, Cabinet!'],
          },
        },
      },
    },
    responses: {
      200: jsonAnswer('What became of each file', {
        schema: BatchResults,
        example: { Results: [exampleShownFile, toRefusalExample('InvalidName')] },
        headers: answerHeaders.replayed,
      }),
    },
    refusals: ['AttachmentMissing', 'BatchTooLarge', 'FolderNotFound', 'NotAFolder', 'TooManyUploads'],
  },
};

function readParams(request: IncomingMessage) {
  return {
    boundary: readBatchBoundary(parameters.readHeader(request, 'content-type')),
    folderId: parameters.readHeader(request, 'folderid'),
    declaredBytes: parameters.readDeclaredBytes(request),
    idempotencyKey: parameters.readIdempotencyKey(request),
    digests: { sha256: parameters.readSha256(request, 'content-digest'), md5: parameters.readMd5(request) },
    defaults: {
      conflict: parameters.checkConflictBehavior(parameters.readHeader(request, 'conflictbehavior')) ?? 'Version',
      comment: parameters.readComment(request),
    },
  };
}

/** A large batch keeps its slot until it is saved, because its small files are in memory until then. */
function toReceiver(
  { cabinet, largeBodies }: EnvironmentContext,
  { caller, inFlight }: { caller: Caller; inFlight: BytesInFlight },
): { receiver: BatchReceiver; release: () => void } {
  let releaseSlot = () => {};
  const receiver: BatchReceiver = {
    receive: (bytes) => receiveContent(cabinet, bytes, inFlight),
    discard: ({ content }) => discardContent(cabinet, content),
    onLarge: () => {
      releaseSlot = largeBodies.take(caller, tooManyBatches);
    },
  };
  return { receiver, release: () => releaseSlot() };
}

async function discardAndThrow(receiver: BatchReceiver, items: readonly BatchItem[], reason: unknown): Promise<never> {
  for (const { received } of items) if (received !== null) await receiver.discard(received);
  throw reason;
}
