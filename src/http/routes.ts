// Every route there is.

import { issuerRoutes } from '../auth/issuer.ts';
import { json } from './answer.ts';
import { renderOpenApi } from './openapi.ts';
import type { OpenRoute, Route } from './route.ts';
import { liveRoute, readyRoute } from './routes/about.ts';
import { findFileRoute, showEntryRoute } from './routes/entries.ts';
import { openFileRoute, saveFileRoute } from './routes/files.ts';
import { createFolderRoute, findFolderRoute, listFolderRoute } from './routes/folders.ts';
import { showSignInRoute, signInRoute } from './routes/sign-in.ts';
import { listSpacesRoute } from './routes/spaces.ts';

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
  findFolderRoute,
  listFolderRoute,
  saveFileRoute,
  findFileRoute,
  showEntryRoute,
  openFileRoute,
  listSpacesRoute,
  liveRoute,
  readyRoute,
  openApiRoute,
  showSignInRoute,
  signInRoute,
  ...issuerRoutes.map(({ method, path, summary, isForPeople }) => ({
    method,
    path,
    isForPeople,
    action: 'foreign' as const,
    describe: { operationId: summary.replaceAll(/\W/g, ''), summary, responses: { 200: { description: summary } } },
  })),
];
