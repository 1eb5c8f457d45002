// `/shared/{secret}`: links as programs read them, without a token. `shared-uploads.ts` takes files.

import { writeZip } from '../../archive/zip.ts';
import { type Order, orders } from '../../domain/entry.ts';
import type { Answer } from '../../listener/answer.ts';
import { type FolderListing, listFolder } from '../../operations/list-folder.ts';
import { type OpenedArchive, openArchive, openSelection } from '../../operations/open-archive.ts';
import { openFile } from '../../operations/open-file.ts';
import {
  checkFolder,
  countDownload,
  recordOpened,
  type UsedShare,
  useFile,
  useForReading,
  useShare,
} from '../../operations/open-share.ts';
import { shareNotFound } from '../../operations/shares.ts';
import { json } from '../answer.ts';
import { answerDownload, toSafeHeaders } from '../downloads/download.ts';
import { readRanges } from '../downloads/ranges.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import {
  answerHeaders,
  bytesAnswer,
  downloadAnswers,
  header,
  ids,
  jsonAnswer,
  type Parameter,
  query as queryParameter,
} from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Type } from '../openapi/json-schema.ts';
import { Envelope } from '../openapi/schemas.ts';
import { exampleOpened, exampleShared, OpenedShare } from '../openapi/share-schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import type { OpenRoute, RouteExchange } from '../route.ts';
import { readShareUse, toSharedHeaders } from '../shared-request.ts';
import { tooManyArchives } from '../slots.ts';
import { renderOpenedShare, renderSharedFolder } from '../wire-shares.ts';
import { readOrder } from './folders.ts';

export const sharedPath = '/v1/contentmanagement/shared/{secret}';

export const shareParameters: readonly Parameter[] = [
  ids.linkSecret,
  header('SharePassword', 'The password of the link, percent-encoded UTF-8', 'open%20sesame'),
];
export const shareRefusals = [
  'ShareNotFound',
  'SharePasswordInvalid',
  'SharePasswordMissing',
  'StorageUnavailable',
  'TooManyRequests',
] as const;

const orderParameter = queryParameter('order', 'By what the children are ordered', Type.Enum([...orders]));

const showSharedRoute: OpenRoute = {
  method: 'GET',
  path: sharedPath,
  action: null,
  toHeaders: toSharedHeaders,
  async handle(context, exchange) {
    const use = readShareUse(exchange);
    const used = await useShare(context.cabinet, use);
    const { share, entry } = used;
    if (exchange.request.method === 'GET') await recordOpened(context.cabinet, used);
    if (share.access === 'upload') return json(renderOpenedShare(share, null));
    if (entry.kind === 'file') return json(renderOpenedShare(share, entry));
    const { listing, headers } = await listShared(context, exchange, { used, folderId: entry.id, path: '' });
    return json(renderOpenedShare(share, listing), headers);
  },
  describe: {
    operationId: 'SharedGet',
    tag: 'Sharing',
    summary: 'Open a link',
    description:
      'Needs no token. A folder with a page of its children, or a file; for `upload` neither. Records have no people ' +
      'and no properties. Every link that cannot be used is the same 404.',
    parameters: [...shareParameters, orderParameter, ...pageParameters()],
    responses: {
      200: jsonAnswer('What the link leads to', {
        schema: OpenedShare,
        example: exampleOpened,
        headers: { ...answerHeaders.link, ...answerHeaders.childCount },
      }),
    },
    refusals: shareRefusals,
  },
};

type FolderCursor = readonly [kind: 0 | 1, key: string | number, id: string];

export async function listShared(
  context: EnvironmentContext,
  exchange: Pick<RouteExchange, 'query' | 'parameters'>,
  { used, folderId, path }: { used: UsedShare; folderId: string; path: string },
): Promise<{ listing: FolderListing; headers: Record<string, string> }> {
  const query = exchange.query();
  const order: Order = readOrder(query.get('order'));
  const list = `shared ${used.share.id} ${folderId} ${order}`;
  const { limit, after } = readPage<FolderCursor>(context, list, query);
  const request = { folderId, order, limit, ...(after !== null && { after }) };
  const listing = await listFolder(context.cabinet, used.caller, request);
  const next = listing.next === null ? null : ([...listing.next] as const);
  const target = { path: `/shared/${exchange.parameters.secret}${path}`, list, query };
  return { listing, headers: { childcount: String(listing.childCount), ...toNextLink(context, target, next) } };
}

const sharedFolderRoute: OpenRoute = {
  method: 'GET',
  path: `${sharedPath}/folders/{id}`,
  action: null,
  toHeaders: toSharedHeaders,
  async handle(context, exchange) {
    const folderId = exchange.parameters.id ?? '';
    const used = await useForReading(context.cabinet, readShareUse(exchange));
    await checkFolder(context.cabinet, used, folderId);
    const { listing, headers } = await listShared(context, exchange, { used, folderId, path: `/folders/${folderId}` });
    return json(renderSharedFolder(listing), headers);
  },
  describe: {
    operationId: 'SharedFolder',
    tag: 'Sharing',
    summary: 'Show a folder of a link',
    description: 'The folder of the link, or one beneath it, with a page of its children.',
    parameters: [...shareParameters, ids.sharedFolder, orderParameter, ...pageParameters()],
    responses: {
      200: jsonAnswer('The folder beneath the link and a page of its children', {
        schema: Envelope,
        example: exampleShared,
        headers: { ...answerHeaders.link, ...answerHeaders.childCount },
      }),
    },
    refusals: [...shareRefusals, 'FolderNotFound', 'NotAFolder'],
  },
};

const sharedFileRoute: OpenRoute = {
  method: 'GET',
  path: `${sharedPath}/files/{id}/content`,
  action: null,
  toHeaders: toSharedHeaders,
  async handle({ cabinet }, exchange) {
    const { request, parameters } = exchange;
    const fileId = parameters.id ?? '';
    const isRange = request.method === 'GET' && request.headers.range !== undefined;
    const used = await useFile(cabinet, readShareUse(exchange), { fileId, isResuming: isRange });
    const file = await openFile(cabinet, used.caller, { fileId, version: null });
    const disposition = exchange.query().get('inline') === 'true' ? 'inline' : 'attachment';
    const answer = answerDownload(request, file, disposition);
    const begins = doesBegin(exchange, answer, file.sizeBytes);
    try {
      if (begins) await countDownload(cabinet, used, { entry: fileId, isResumable: true });
      // No download is left: only the rest of one that was begun.
      else if (used.share.state === 'exhausted' && answer.status !== 206) throw shareNotFound();
      // Whoever leaves out the first byte is in the audit log too.
      else if (request.method === 'GET') await recordOpened(cabinet, used);
    } catch (error) {
      await discard(answer);
      throw error;
    }
    return answer;
  },
  describe: {
    operationId: 'SharedContent',
    tag: 'Sharing',
    summary: 'Download a file of a link',
    description:
      'As `GET /files/{id}/content`, for the current version. A `GET` that sends the whole file, or a range from ' +
      'byte 0, is a download and counts against `MaxDownloads`. A started download may be resumed from the same ' +
      'address for an hour.',
    parameters: [
      ...shareParameters,
      ids.sharedFile,
      queryParameter('inline', 'true: pictures, sound, video and plain text are shown', Type.Enum(['true', 'false'])),
      header('Range', 'One range of bytes or several; RFC 9110', 'bytes=0-99'),
      header('If-Range', 'Then the range is sent only of what has this ETag or Last-Modified', exampleETag),
      header('If-None-Match', '304 if the bytes are still those', exampleETag),
      header('If-Match', '412 if they are not', exampleETag),
    ],
    responses: downloadAnswers('All bytes of the shared file'),
    refusals: [...shareRefusals, 'FileNotFound'],
  },
};

/** Whether bytes are sent from the first one on. */
function doesBegin({ request }: RouteExchange, { status }: Answer, sizeBytes: number): boolean {
  if (request.method !== 'GET') return false;
  if (status === 200) return true;
  return (
    status === 206 && (readRanges(request.headers.range ?? null, sizeBytes) ?? []).some(({ start }) => start === 0)
  );
}

/** What is not sent holds no memory. */
async function discard({ body }: Answer): Promise<void> {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) await body[Symbol.asyncIterator]().return?.();
}

const sharedArchiveRoute: OpenRoute = {
  method: 'GET',
  path: `${sharedPath}/archive`,
  action: null,
  toHeaders: toSharedHeaders,
  async handle(context, exchange) {
    const used = await useForReading(context.cabinet, readShareUse(exchange));
    const { entry, caller } = used;
    const archive =
      entry.kind === 'folder'
        ? await openArchive(context.cabinet, caller, { folderId: entry.id })
        : await openSelection(context.cabinet, caller, { entryIds: [entry.id] });
    const headers = { 'Content-Type': 'application/zip', ...toSafeHeaders(`${archive.name}.zip`) };
    return { status: 200, headers, body: write(context, used, archive) };
  },
  describe: {
    operationId: 'SharedArchive',
    tag: 'Sharing',
    summary: 'Download everything of a link as a ZIP',
    description: 'As `GET /folders/{id}/archive`. Each `GET` is a download.',
    parameters: shareParameters,
    responses: {
      200: bytesAnswer(
        'A ZIP with everything that the link leads to',
        'application/zip',
        answerHeader('Content-Disposition'),
      ),
    },
    refusals: shareRefusals,
  },
};

/** Holds a slot while the archive is read. Nothing of this runs for `HEAD`. */
async function* write(context: EnvironmentContext, used: UsedShare, archive: OpenedArchive): AsyncGenerator<Buffer> {
  const release = context.archives.take(used.caller, tooManyArchives);
  try {
    await countDownload(context.cabinet, used, { entry: used.entry.id, isResumable: false });
    yield* writeZip(archive.entries());
  } finally {
    release();
  }
}

export const sharedRoutes = [showSharedRoute, sharedFolderRoute, sharedFileRoute, sharedArchiveRoute];
