// The console: `/` and the paths of its own router, which all serve the same page, and its assets. They need no credentials
// and change nothing; the page sends credentials with each request to the API.

import { answerConsoleAsset, answerConsolePage } from '../console-files.ts';
import { bytesAnswer, header, ids, pageAnswer, pathId } from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { type OpenRoute, type RouteExchange, routeNotFound } from '../route.ts';

const pages: Record<string, string> = {
  '/': 'Console',
  '/files': 'ConsoleFiles',
  '/files/{id}': 'ConsoleFolder',
  '/shared': 'ConsoleShared',
  '/links': 'ConsoleLinks',
  '/search': 'ConsoleSearch',
  '/starred': 'ConsoleStarred',
  '/recent': 'ConsoleRecent',
  '/trash': 'ConsoleTrash',
  '/changes': 'ConsoleChanges',
  '/account': 'ConsoleAccount',
  '/manage': 'ConsoleManage',
  '/manage/{page}': 'ConsoleManagePage',
  '/manage/{page}/{id}': 'ConsoleManageOne',
};

function toConditions({ request: { headers } }: RouteExchange) {
  const accepted = headers['accept-encoding'];
  return { acceptEncoding: String(accepted ?? ''), ifNoneMatch: headers['if-none-match'] };
}

const ifNoneMatch = header('If-None-Match', '304 if it is still the same', exampleETag);
const notModified = { 304: { description: 'It has not changed', headers: answerHeader('ETag') } };

const pageRoutes = Object.entries(pages).map(
  ([path, operationId]): OpenRoute => ({
    method: 'GET',
    path,
    action: null,
    isForPeople: true,
    async handle({ console }, exchange) {
      return answerConsolePage(console, toConditions(exchange));
    },
    describe: {
      operationId,
      tag: 'Console',
      summary: path === '/' ? 'The console' : `The console at ${path}`,
      description: `For people: ${path} is the same page as each of its addresses.`,
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
          pathId(`The \`${name}\` of what the console shows`, name ?? ''),
        ),
        ifNoneMatch,
      ],
      responses: {
        200: pageAnswer(`The page of ${path}`, 'ETag'),
        ...notModified,
        503: pageAnswer('It was not built'),
      },
      refusals: [],
    },
  }),
);

const assetRoute: OpenRoute = {
  method: 'GET',
  path: '/assets/{file}',
  action: null,
  isForPeople: true,
  async handle({ console }, exchange) {
    const answer = answerConsoleAsset(console, exchange.parameters.file ?? '', toConditions(exchange));
    if (answer === null) throw routeNotFound();
    return answer;
  },
  describe: {
    operationId: 'ConsoleAsset',
    tag: 'Console',
    summary: 'A script, a style or a picture of the console',
    description: 'Its name changes with its bytes, so browsers keep it.',
    parameters: [ids.asset, ifNoneMatch],
    responses: { 200: bytesAnswer('The file of the console', '*/*', answerHeader('ETag')), ...notModified },
    refusals: ['RouteNotFound'],
  },
};

export const consoleRoutes: readonly OpenRoute[] = [...pageRoutes, assetRoute];
