// The applications of the caller's space, as callers manage them; operators use `applications.ts`. One of another space is
// not found. Nobody gives away, or takes over by a new secret or certificate, a scope that they could not use themselves,
// and nobody shuts the door behind themselves.

import type { Application } from '../catalog/verbs/applications.ts';
import type { Certificate, NewCertificate } from '../catalog/verbs/certificates.ts';
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
  const found = await catalog.listApplicationsOf({ space, after, limit: limit + 1 });
  return toPage(found, limit, ({ name }) => name);
}

export function showApplication(cabinet: Cabinet, caller: Caller, appKey: string): Promise<Application> {
  return requireApplication(cabinet, requireSpace(caller, 'read').space, appKey);
}

async function requireApplication({ catalog }: Cabinet, space: number, appKey: string): Promise<Application> {
  const found = await catalog.findApplication({ appKey });
  if (found !== null && found.access?.space === space && found.state !== 'removed') return found;
  throw new Refusal('ApplicationNotFound', 'There is no such application.');
}

/** The application, if the caller may change it. */
export function admitApplication(cabinet: Cabinet, caller: Caller, appKey: string): Promise<Application> {
  return requireApplication(cabinet, requireSpace(caller, 'manage').space, appKey);
}

/** The same where the change lets whoever asks act as the application. */
export async function admitTakeover(cabinet: Cabinet, caller: Caller, appKey: string): Promise<void> {
  checkGiven(caller, (await admitApplication(cabinet, caller, appKey)).scopes);
}

export interface NewApplicationRequest {
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
  checkGiven(caller, scopes ?? defaultScopes);
  for (const uri of redirectUris ?? []) applications.checkRedirectUri(uri, 'RedirectUris');
  const certificates = certificate === null ? [] : [certificate];
  const asked = { name, kind, scopes, redirectUris, certificates, space, isForPeopleOnly: false };
  return await applications.addApplication(cabinet, asked, byCaller(cabinet, caller));
}

/** Whoever manages could use `content.admin`, by their role if not by their token. */
function checkGiven({ scopes }: Caller, given: readonly Scope[]): void {
  const beyond = given.find((scope) => scope !== 'content.admin' && !scopes.includes(scope));
  if (beyond === undefined) return;
  throw new Refusal('InsufficientScope', `You cannot give the scope "${beyond}", which your token does not carry.`, {
    target: beyond,
  });
}

export interface StateRequest {
  appKey: string;
  change: applications.StateChange;
}

export async function changeApplication(
  cabinet: Cabinet,
  caller: Caller,
  { appKey, change }: StateRequest,
): Promise<Application> {
  const { space } = requireSpace(caller, 'manage');
  await admitApplication(cabinet, caller, appKey);
  if (appKey === caller.appKey && change !== 'enable') {
    throw new Refusal('Forbidden', `An application cannot ${change} itself.`, {
      hint: 'Have another application of the space, a manager who uses another one, or the operator do it.',
    });
  }
  return await applications.changeApplicationState(
    cabinet,
    { application: appKey, space, change },
    byCaller(cabinet, caller),
  );
}

export interface RotateRequest {
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

export interface CertificateRequest {
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
