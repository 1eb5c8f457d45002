// `/s/{secret}`: links as people open them, in a browser and without an account. A right password is exchanged for a cookie.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { findShared, recordOpened, type UsedShare, useForReading, useShare } from '../../operations/open-share.ts';
import { passMs, toPass } from '../../operations/share-passwords.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { bytesAnswer, ids, pageAnswer } from '../openapi/description.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Type } from '../openapi/json-schema.ts';
import { pageParameters } from '../pages.ts';
import { type OpenRoute, type RouteExchange, routeNotFound } from '../route.ts';
import { chooseWords } from '../shared-page/choose-words.ts';
import {
  type PageContext,
  renderFilePage,
  renderFolderPage,
  renderNoShare,
  renderPasswordForm,
  renderTooMany,
  renderUploadPage,
  sharedPageHeaders,
} from '../shared-page/pages.ts';
import { passCookie, readShareUse } from '../shared-request.ts';
import { readPageForm } from './interaction.ts';
import { listShared } from './shared.ts';

const path = '/s/{secret}';
const filesPath = '/s-files';

function toPageContext(
  { basePath, console: { assets } }: EnvironmentContext,
  { parameters, request }: RouteExchange,
): PageContext {
  const secret = encodeURIComponent(parameters.secret ?? '');
  const find = (script: string) => {
    const name = [...assets.keys()].find((asset) => asset.startsWith(`visitor-${script}-`) && asset.endsWith('.js'));
    return name === undefined ? null : `${basePath}/assets/${name}`;
  };
  return {
    paths: {
      files: basePath + filesPath,
      page: `${basePath}/s/${secret}`,
      content: `${basePath}/v1/contentmanagement/shared/${secret}`,
      markdown: find('markdown'),
      pdf: find('pdf'),
    },
    words: chooseWords(request.headers['accept-language']),
  };
}

function page(body: string, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...sharedPageHeaders, ...headers }, body };
}

const challenge = { 'WWW-Authenticate': 'SharePassword realm="cabinet"' };

/** Refusals as pages. Everything that is not there is the same page. */
async function withPages(
  context: EnvironmentContext,
  exchange: RouteExchange,
  run: (shown: PageContext) => Promise<Answer>,
): Promise<Answer> {
  const shown = toPageContext(context, exchange);
  try {
    return await run(shown);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, details } = error;
    const wait = details.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(details.retryAfterSeconds) };
    if (code === 'SharePasswordMissing') return page(renderPasswordForm(shown, { isWrong: false }), 401, challenge);
    if (code === 'SharePasswordInvalid') return page(renderPasswordForm(shown, { isWrong: true }), 401, challenge);
    if (code === 'TooManyRequests') return page(renderTooMany(shown), 403, wait);
    if (/NotFound$|^NotAFolder$/.test(code)) return page(renderNoShare(shown), 404);
    throw error;
  }
}

const noShare = pageAnswer('The link cannot be used');
const needsPassword = pageAnswer('The link needs a password', 'WWW-Authenticate');
const tooMany = pageAnswer('Too many wrong passwords: `Retry-After`', 'Retry-After');
const described = { 401: needsPassword, 403: tooMany, 404: noShare };
const refusals = ['StorageUnavailable'] as const;
const restart = { description: 'To the first page: the query is not one', headers: answerHeader('Location') };

export const sharedPageRoute: OpenRoute = {
  method: 'GET',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    return await withPages(context, exchange, async (shown) => {
      const used = await useShare(context.cabinet, readShareUse(exchange));
      const { share, entry } = used;
      if (exchange.request.method === 'GET') await recordOpened(context.cabinet, used);
      if (share.access === 'upload') return page(renderUploadPage(shown, share));
      if (entry.kind === 'file') return page(renderFilePage(shown, share, entry));
      return await answerFolder(context, exchange, { shown, used, folderId: entry.id });
    });
  },
  describe: {
    operationId: 'SharedPage',
    tag: 'Sharing',
    summary: 'The page of a link',
    description: 'What is shared, to see and to download; or a form to send files.',
    parameters: [ids.linkSecret, ...pageParameters()],
    responses: {
      200: pageAnswer('The page of what is shared, or a form to send files'),
      303: restart,
      ...described,
    },
    refusals,
  },
};

async function answerFolder(
  context: EnvironmentContext,
  exchange: RouteExchange,
  { shown, used, folderId }: { shown: PageContext; used: UsedShare; folderId: string },
): Promise<Answer> {
  const isTop = used.share.entryId === folderId;
  const listed = { used, folderId, path: isTop ? '' : `/folders/${folderId}` };
  const list = await listShared(context, exchange, listed).catch(unlessOfQuery);
  // Somebody has changed the address, or cut it off: the list begins again.
  if (list === null) return page('', 303, { Location: shown.paths.page + listed.path });
  const { listing, headers } = list;
  const [, next = null] = /\?([^>]*)>/.exec(headers.Link ?? '') ?? [];
  const { folder, children } = listing;
  return page(renderFolderPage(shown, { share: used.share, folder, isTop, children, next }));
}

function unlessOfQuery(error: unknown): null {
  if (error instanceof Refusal && (error.code === 'InvalidCursor' || error.code === 'InvalidField')) return null;
  throw error;
}

export const sharedFolderPageRoute: OpenRoute = {
  method: 'GET',
  path: `${path}/folders/{id}`,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    return await withPages(context, exchange, async (shown) => {
      const used = await useForReading(context.cabinet, readShareUse(exchange));
      const folder = await findShared(context.cabinet, used, exchange.parameters.id ?? '');
      if (folder?.kind !== 'folder') return page(renderNoShare(shown), 404);
      return await answerFolder(context, exchange, { shown, used, folderId: folder.id });
    });
  },
  describe: {
    operationId: 'SharedFolderPage',
    tag: 'Sharing',
    summary: 'The page of a folder of a link',
    description: 'With links to what is in it.',
    parameters: [ids.linkSecret, ids.sharedFolder, ...pageParameters()],
    responses: { 200: pageAnswer('The page of the folder'), 303: restart, ...described },
    refusals,
  },
};

export const sharedFilePageRoute: OpenRoute = {
  method: 'GET',
  path: `${path}/files/{id}`,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    return await withPages(context, exchange, async (shown) => {
      const used = await useForReading(context.cabinet, readShareUse(exchange));
      const file = await findShared(context.cabinet, used, exchange.parameters.id ?? '');
      if (file?.kind !== 'file') return page(renderNoShare(shown), 404);
      return page(renderFilePage(shown, used.share, file));
    });
  },
  describe: {
    operationId: 'SharedFilePage',
    tag: 'Sharing',
    summary: 'The page of a file of a link',
    description: 'Shows pictures, sound, video, PDF, text and Markdown.',
    parameters: [ids.linkSecret, ids.sharedFile],
    responses: { 200: pageAnswer('The page of the file'), ...described },
    refusals: ['StorageUnavailable'],
  },
};

const PasswordForm = Type.Object(
  { password: Type.String({ description: 'Of the link.' }) },
  { title: 'SharePasswordForm', description: 'The form of the page of a link.' },
);

export const sharedPasswordRoute: OpenRoute = {
  method: 'POST',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    return await withPages(context, exchange, async (shown) => {
      const use = readShareUse(exchange);
      const password = (await readPageForm(exchange)).get('password') ?? '';
      const { share } = await useShare(context.cabinet, { ...use, password, passes: new Map() });
      const headers = share.hasPassword
        ? { 'Set-Cookie': toCookie(context, toPass(context.cabinet, share), share.id) }
        : {};
      return page('', 303, { Location: shown.paths.page, ...headers });
    });
  },
  describe: {
    operationId: 'SharedPassword',
    tag: 'Sharing',
    summary: 'Open the page of a link by its password',
    description:
      'What the form of the page sends. A right password is exchanged for a cookie that scripts cannot read.',
    parameters: [ids.linkSecret],
    requestBody: {
      required: true,
      description: 'The password of the link',
      content: { 'application/x-www-form-urlencoded': { schema: PasswordForm, example: { password: 'open sesame' } } },
    },
    responses: { 303: { description: 'To the page', headers: answerHeader('Location') }, ...described },
    refusals: ['StorageUnavailable'],
  },
};

/** Strict would not be sent when a link in a mail is followed; other sites cannot send forms with this one either. */
function toCookie({ basePath, pagesUrl }: EnvironmentContext, pass: string, share: string): string {
  const secure = pagesUrl.startsWith('https:') ? '; Secure' : '';
  return `${passCookie}${share}=${pass}; Path=${basePath}/; Max-Age=${passMs / 1000}; HttpOnly; SameSite=Lax${secure}`;
}

const folder = join(import.meta.dirname, '../shared-page');
const types: Record<string, string> = {
  'icon.svg': 'image/svg+xml',
  'page.css': 'text/css; charset=utf-8',
  'upload.js': 'text/javascript; charset=utf-8',
  'view.js': 'text/javascript; charset=utf-8',
};
/** Each is read on its first request. */
const cache = new Map<string, string>();

export const sharedPageFileRoute: OpenRoute = {
  method: 'GET',
  path: `${filesPath}/{file}`,
  action: null,
  isForPeople: true,
  async handle(_context, { parameters }) {
    const { file: name = '' } = parameters;
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw routeNotFound();
    const text = cache.get(name) ?? readFileSync(join(folder, name), 'utf8');
    cache.set(name, text);
    const policy = { 'Content-Security-Policy': "default-src 'none'", 'Referrer-Policy': 'no-referrer' };
    return { status: 200, headers: { ...policy, 'Content-Type': type, 'Cache-Control': 'no-cache' }, body: text };
  },
  describe: {
    operationId: 'SharedPageFile',
    tag: 'Sharing',
    summary: 'The script or the style of the pages of links',
    description: 'The pages need nothing from elsewhere.',
    parameters: [ids.asset],
    responses: { 200: bytesAnswer('The script or the style', '*/*') },
    refusals: ['RouteNotFound'],
  },
};

export const sharedPageRoutes = [
  sharedPageRoute,
  sharedPasswordRoute,
  sharedFolderPageRoute,
  sharedFilePageRoute,
  sharedPageFileRoute,
];
