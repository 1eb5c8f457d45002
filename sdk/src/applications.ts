// Applications of a space, their secrets and certificates. Needs the role `manager` or the scope `content.admin`.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Application, Applications, Certificate, RegisteredApplication } from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

export async function* listApplications(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<Application, void, undefined> {
  const pages = eachPage((cursor) => applicationsPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Applications } of pages) yield* Applications;
}

export function applicationsPage(
  cabinet: Cabinet,
  { signal, ...query }: PageOptions = {},
): Promise<Paged<Applications>> {
  return callPage(cabinet, 'GET /applications', { query, signal });
}

export function showApplication(cabinet: Cabinet, appKey: string, options: CallOptions = {}): Promise<Application> {
  return call(cabinet, 'GET /applications/{appKey}', { ...options, path: { appKey } });
}

export interface NewApplication {
  /** Never reused. */
  name: string;
  /** `server`: on the mutual-TLS address only, with a certificate. */
  kind?: 'client' | 'server' | undefined;
  scopes?: Application['Scopes'] | undefined;
  /** Where people may be sent back to when they have signed in. */
  redirectUris?: string[] | undefined;
  /** In PEM; of kind `server` only. */
  certificate?: string | undefined;
}

/** Registers an application. Its `Secret` is shown this once. */
export function addApplication(
  cabinet: Cabinet,
  application: NewApplication,
  options: CallOptions = {},
): Promise<RegisteredApplication> {
  return call(cabinet, 'POST /applications', {
    ...options,
    json: {
      Name: application.name,
      Kind: application.kind,
      Scopes: application.scopes,
      RedirectUris: application.redirectUris,
      Certificate: application.certificate,
    },
  });
}

/** Disables an application, or enables it again. */
export function changeApplication(
  cabinet: Cabinet,
  { appKey, state }: { appKey: string; state: 'active' | 'disabled' },
  options: CallOptions = {},
): Promise<Application> {
  return call(cabinet, 'PATCH /applications/{appKey}', {
    ...options,
    path: { appKey },
    json: { State: state },
    isRepeatable: true,
  });
}

/** Ends an application. What it saved stays. */
export function removeApplication(cabinet: Cabinet, appKey: string, options: CallOptions = {}): Promise<Application> {
  return call(cabinet, 'DELETE /applications/{appKey}', { ...options, path: { appKey } });
}

export interface RotateRequest {
  appKey: string;
  /** How long the replaced secret stays valid; 0 by default. */
  overlapSeconds?: number | undefined;
}

/** Gives an application a new secret. It is shown this once. */
export function rotateSecret(
  cabinet: Cabinet,
  { appKey, overlapSeconds }: RotateRequest,
  options: CallOptions = {},
): Promise<RegisteredApplication> {
  return call(cabinet, 'POST /applications/{appKey}/rotate', {
    ...options,
    path: { appKey },
    json: { OverlapSeconds: overlapSeconds },
  });
}

/** The certificates that a server-based application may show. */
export async function listCertificates(
  cabinet: Cabinet,
  appKey: string,
  options: CallOptions = {},
): Promise<Certificate[]> {
  return (await call(cabinet, 'GET /applications/{appKey}/certificates', { ...options, path: { appKey } }))
    .Certificates;
}

/** Registers a certificate, in PEM. */
export function addCertificate(
  cabinet: Cabinet,
  { appKey, certificate }: { appKey: string; certificate: string },
  options: CallOptions = {},
): Promise<Certificate> {
  return call(cabinet, 'POST /applications/{appKey}/certificates', {
    ...options,
    path: { appKey },
    json: { Certificate: certificate },
  });
}

export function removeCertificate(
  cabinet: Cabinet,
  path: { appKey: string; thumbprint: string },
  options: CallOptions = {},
): Promise<Certificate> {
  return call(cabinet, 'DELETE /applications/{appKey}/certificates/{thumbprint}', { ...options, path });
}
