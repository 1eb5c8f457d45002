// Every route there is.

import { issuerRoutes } from '../auth/issuer.ts';
import { json } from './answer.ts';
import { renderOpenApi } from './openapi.ts';
import type { OpenRoute, Route } from './route.ts';
import { liveRoute, readyRoute } from './routes/about.ts';
import { openFileRoute, saveFileRoute } from './routes/files.ts';
import { createFolderRoute, listFolderRoute } from './routes/folders.ts';

const openApiRoute: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  action: null,
  async handle({ publicUrl }) {
    return json(renderOpenApi(routes, publicUrl));
  },
  describe: {
    operationId: 'Description',
    summary: 'This description',
    responses: { 200: { description: 'An OpenAPI 3.1 document' } },
  },
};

export const routes: readonly Route[] = [
  createFolderRoute,
  listFolderRoute,
  saveFileRoute,
  openFileRoute,
  liveRoute,
  readyRoute,
  openApiRoute,
  ...issuerRoutes.map(({ method, path, summary }) => ({
    method,
    path,
    action: 'foreign' as const,
    describe: { operationId: summary.replaceAll(/\W/g, ''), summary, responses: { 200: { description: summary } } },
  })),
];
