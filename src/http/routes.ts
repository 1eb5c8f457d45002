// Every route there is.

import { issuerRoutes } from '../auth/issuer.ts';
import { describeIssuerRoute } from './openapi.ts';
import type { Route } from './route.ts';
import { liveRoute, openApiRoute, readyRoute } from './routes/about.ts';
import { openFileRoute, saveFileRoute } from './routes/files.ts';
import { createFolderRoute, listFolderRoute } from './routes/folders.ts';

export const routes: readonly Route[] = [
  saveFileRoute,
  createFolderRoute,
  listFolderRoute,
  openFileRoute,
  liveRoute,
  readyRoute,
  openApiRoute,
  ...issuerRoutes.map(
    ([method, path]) => ({ method, path, action: 'foreign', describe: describeIssuerRoute(path) }) as const,
  ),
];
