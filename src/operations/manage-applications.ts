// Lets callers manage the applications of their space; operators use `admin/applications.ts`. Applications of other spaces are
// not found. A caller can neither grant, nor gain by a new secret or certificate, a scope that they could not use themselves, and
// an application cannot lock itself out.

import type { Application } from '../catalog/verbs/applications.ts';
import type { Certificate, NewCertificate } from '../catalog/verbs/certificates.ts';
import { looksBuiltIn } from '../domain/built-in-applications.ts';
import { type ApplicationKind, type Caller, defaultScopes, type Scope } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireSpace } from './access.ts';
import * as applications from './admin/applications.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';

export async function listApplications(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<Application>> {
  const { space } = requireSpace(caller, 'read');
  const listed = await catalog.listApplicationsOf({ space, after, limit: limit + 1 });
  return toPage(listed, limit, ({ name }) => name);
}

export function showApplication(cabinet: Cabinet, caller: Caller, appKey: string): Promise<Application> {
  return requireApplication(cabinet, requireSpace(caller, 'read').space, appKey);
}

async function requireApplication({ catalog }: Cabinet, space: number, appKey: string): Promise<Application> {
  const application = await catalog.findApplication({ appKey });
  if (application?.access?.space === space && application.state !== 'removed') return application;
  throw new Refusal('ApplicationNotFound', 'There is no such application.');
}

/** The application, if the caller may change it. */
export function admitApplication(cabinet: Cabinet, caller: Caller, appKey: string): Promise<Application> {
  return requireApplication(cabinet, requireSpace(caller, 'manage').space, appKey);
}

/** The same where the change lets the caller act as the application. */
export async function admitTakeover(cabinet: Cabinet, caller: Caller, appKey: string): Promise<void> {
  checkGrant(caller, (await admitApplication(cabinet, caller, appKey)).scopes);
}

interface NewApplicationRequest {
  name: string;
  kind: ApplicationKind;
  scopes: Scope[] | null;
  redirectUris: string[] | null;
  certificate: NewCertificate | null;
}

export async function addApplication(
  cabinet: Cabinet,
  caller: Caller,
  { name, kind, scopes, redirectUris, certificate }: NewApplicationRequest,
): Promise<applications.ApplicationWithSecret> {
  const { space } = requireSpace(caller, 'manage');
  checkGrant(caller, scopes ?? defaultScopes);
  if (looksBuiltIn(name)) {
    throw new Refusal(
      'NameAlreadyExists',
      `The name ${JSON.stringify(name)} looks like that of a built-in application.`,
      {
        target: 'Name',
      },
    );
  }
  for (const uri of redirectUris ?? []) applications.checkRedirectUri(uri, 'RedirectUris');
  const certificates = certificate === null ? [] : [certificate];
  const application = {
    name,
    kind,
    scopes,
    redirectUris,
    certificates,
    space,
    isForPeopleOnly: false,
    asksConsent: redirectUris !== null,
  };
  return await applications.addApplication(cabinet, application, byCaller(cabinet, caller));
}

/** A manager can use `content.admin` by role, even where the token does not have it. */
function checkGrant({ scopes }: Caller, granted: readonly Scope[]): void {
  const excess = granted.find((scope) => scope !== 'content.admin' && !scopes.includes(scope));
  if (excess === undefined) return;
  throw new Refusal('InsufficientScope', `You cannot give the scope "${excess}", which your token does not have.`, {
    target: excess,
  });
}

interface StateRequest {
  appKey: string;
  change: applications.StateChange;
  /** Whether its tokens work again when it is enabled. */
  areTokensKept?: boolean;
}

export async function changeApplication(
  cabinet: Cabinet,
  caller: Caller,
  { appKey, change, areTokensKept = false }: StateRequest,
): Promise<Application> {
  const { space } = requireSpace(caller, 'manage');
  await admitApplication(cabinet, caller, appKey);
  if (appKey === caller.appKey && change !== 'enable') {
    throw new Refusal('Forbidden', `An application cannot ${change} itself.`, {
      hint: 'Use another application of the space, or ask a manager or an operator.',
    });
  }
  return await applications.changeApplicationState(
    cabinet,
    { application: appKey, space, change, areTokensKept },
    byCaller(cabinet, caller),
  );
}

interface RotateRequest {
  appKey: string;
  overlapMs: number;
}

export async function rotateSecret(
  cabinet: Cabinet,
  caller: Caller,
  { appKey, overlapMs }: RotateRequest,
): Promise<applications.ApplicationWithSecret> {
  const { space } = requireSpace(caller, 'manage');
  await admitTakeover(cabinet, caller, appKey);
  return await applications.rotateSecret(cabinet, { application: appKey, space, overlapMs }, byCaller(cabinet, caller));
}

export function listCertificates(cabinet: Cabinet, caller: Caller, appKey: string): Promise<Certificate[]> {
  const { space } = requireSpace(caller, 'read');
  return applications.listCertificates(cabinet, { application: appKey, space });
}

interface CertificateRequest {
  appKey: string;
  certificate: NewCertificate;
}

export async function addCertificate(
  cabinet: Cabinet,
  caller: Caller,
  { appKey, certificate }: CertificateRequest,
): Promise<Certificate> {
  const { space } = requireSpace(caller, 'manage');
  await admitTakeover(cabinet, caller, appKey);
  return await applications.addCertificate(
    cabinet,
    { application: appKey, space, certificate },
    byCaller(cabinet, caller),
  );
}

export async function removeCertificate(
  cabinet: Cabinet,
  caller: Caller,
  { appKey, thumbprint }: { appKey: string; thumbprint: string },
): Promise<Certificate> {
  const { space } = requireSpace(caller, 'manage');
  const removed = { application: appKey, space, thumbprint, isOneKept: appKey === caller.appKey };
  return await applications.removeCertificate(cabinet, removed, byCaller(cabinet, caller));
}
