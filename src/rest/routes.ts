// All routes of the service, grouped by face.

import { json } from './answer.ts';
import { jsonAnswer } from './openapi/description.ts';
import { renderOpenApi } from './openapi/document.ts';
import { OpenApi } from './openapi/schemas.ts';
import type { CallerRoute, ForeignRoute, OpenRoute, Route } from './route.ts';
import { liveRoute, readyRoute, readyToWriteRoute } from './routes/about.ts';
import { appPasswordRoutes } from './routes/app-passwords.ts';
import * as applications from './routes/applications.ts';
import { archiveSelectionRoute, openArchiveRoute } from './routes/archive.ts';
import { listAuditRoute } from './routes/audit.ts';
import { postAuthorizeRoute } from './routes/authorize.ts';
import { saveBatchRoute } from './routes/batch.ts';
import * as certificates from './routes/certificates.ts';
import { changeEntryRoute, copyEntryRoute, deleteEntryRoute } from './routes/change-entries.ts';
import { changeEntriesRoute, showJobRoute } from './routes/change-many.ts';
import { changesRoute } from './routes/changes.ts';
import { consentRoute, showConsentRoute } from './routes/consent.ts';
import { consentRoutes } from './routes/consents.ts';
import { consoleRoutes } from './routes/console.ts';
import { createFolderRoute } from './routes/create-folder.ts';
import { docsFileRoute, docsRoute } from './routes/docs.ts';
import { findFileRoute, showEntryRoute } from './routes/entries.ts';
import { openFileRoute, saveFileRoute } from './routes/files.ts';
import { findFolderRoute, listFolderRoute } from './routes/folders.ts';
import { grantRoutes } from './routes/grants.ts';
import { groupRoutes } from './routes/groups.ts';
import { foreignRoutes } from './routes/issuer.ts';
import { endLinksRoute, linkFileRoute, openLinkRoute } from './routes/links.ts';
import { listLocksRoute } from './routes/locks.ts';
import { meRoutes } from './routes/me.ts';
import { metricsRoute } from './routes/metrics.ts';
import { passkeyScriptRoute } from './routes/passkey-script.ts';
import { passkeyRoutes } from './routes/passkeys.ts';
import { previewRoute } from './routes/preview.ts';
import { saveVersionRoute } from './routes/save-version.ts';
import { searchRoute } from './routes/search.ts';
import { secondFactorRoutes } from './routes/second-factors.ts';
import { securityTextRoute } from './routes/security-text.ts';
import { showSettingsRoute } from './routes/settings.ts';
import { setupRoute, showSetupRoute } from './routes/setup.ts';
import { sharedRoutes } from './routes/shared.ts';
import { sharedPageRoutes } from './routes/shared-page.ts';
import { sharedUploadRoutes } from './routes/shared-uploads.ts';
import { shareRoutes } from './routes/shares.ts';
import { showSignInRoute, signInRoute } from './routes/sign-in.ts';
import { addSpaceRoute, changeSpaceRoute, listSpacesRoute, showSpaceRoute } from './routes/spaces.ts';
import { starredRoutes } from './routes/starred.ts';
import { thumbnailRoute } from './routes/thumbnail.ts';
import { emptyTrashRoute, listTrashRoute, restoreEntryRoute } from './routes/trash.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { showLimitsRoute, showUsageRoute } from './routes/usage.ts';
import {
  addUserRoute,
  changeUserRoute,
  listUsersRoute,
  removeUserRoute,
  setUpUserRoute,
  showUserRoute,
} from './routes/users.ts';
import { commentVersionRoute, listVersionsRoute, removeVersionRoute, restoreVersionRoute } from './routes/versions.ts';
import { webhookRoutes } from './routes/webhooks.ts';

const openApiRoute: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  action: null,
  async handle({ publicUrl }) {
    return json(renderOpenApi(routes, publicUrl));
  },
  describe: {
    operationId: 'Description',
    tag: 'Service',
    summary: 'This API description (OpenAPI)',
    description: 'For applications and generators; `/docs` shows it to people.',
    responses: { 200: jsonAnswer('An OpenAPI 3.1 document', { schema: OpenApi, example: { openapi: '3.1.0' } }) },
    refusals: [],
  },
};

export const restRoutes: readonly (CallerRoute | OpenRoute)[] = [
  createFolderRoute,
  findFolderRoute,
  listFolderRoute,
  openArchiveRoute,
  archiveSelectionRoute,
  saveFileRoute,
  saveBatchRoute,
  findFileRoute,
  ...uploadRoutes,
  showEntryRoute,
  listLocksRoute,
  changeEntryRoute,
  copyEntryRoute,
  deleteEntryRoute,
  changeEntriesRoute,
  showJobRoute,
  restoreEntryRoute,
  listTrashRoute,
  emptyTrashRoute,
  openFileRoute,
  thumbnailRoute,
  previewRoute,
  linkFileRoute,
  endLinksRoute,
  saveVersionRoute,
  listVersionsRoute,
  restoreVersionRoute,
  removeVersionRoute,
  commentVersionRoute,
  changesRoute,
  searchRoute,
  ...grantRoutes,
  ...groupRoutes,
  ...shareRoutes,
  ...meRoutes,
  ...consentRoutes,
  ...appPasswordRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...starredRoutes,
  listSpacesRoute,
  showSpaceRoute,
  addSpaceRoute,
  changeSpaceRoute,
  applications.listApplicationsRoute,
  applications.showApplicationRoute,
  applications.addApplicationRoute,
  applications.changeApplicationRoute,
  applications.removeApplicationRoute,
  applications.rotateSecretRoute,
  certificates.listCertificatesRoute,
  certificates.addCertificateRoute,
  certificates.removeCertificateRoute,
  listUsersRoute,
  showUserRoute,
  addUserRoute,
  changeUserRoute,
  removeUserRoute,
  setUpUserRoute,
  listAuditRoute,
  ...webhookRoutes,
  showUsageRoute,
  showLimitsRoute,
  showSettingsRoute,
  openLinkRoute,
  liveRoute,
  securityTextRoute,
  readyRoute,
  readyToWriteRoute,
  metricsRoute,
  openApiRoute,
];

/** Links, which need no token. */
export const linkRoutes: readonly OpenRoute[] = [...sharedRoutes, ...sharedUploadRoutes, ...sharedPageRoutes];

export const docsRoutes: readonly OpenRoute[] = [docsRoute, docsFileRoute];

const signInRoutes = [
  showSignInRoute,
  signInRoute,
  passkeyScriptRoute,
  showConsentRoute,
  consentRoute,
  postAuthorizeRoute,
  showSetupRoute,
  setupRoute,
];

export const issuerRoutes: readonly (OpenRoute | ForeignRoute)[] = [...signInRoutes, ...foreignRoutes];

export { consoleRoutes };

/** In the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  ...restRoutes,
  ...linkRoutes,
  ...docsRoutes,
  ...signInRoutes,
  ...consoleRoutes,
  ...foreignRoutes,
];
