// Registers, changes and removes applications, without a permission check. The secret is returned once; only its SHA-256 is stored
// (it has 256 random bits, so a slow hash would add nothing).

import { hash, randomBytes, randomInt, randomUUIDv7 } from 'node:crypto';
import type { Origin } from '../../catalog/sql.ts';
import type { Application, ApplicationRef } from '../../catalog/verbs/applications.ts';
import type { Certificate, NewCertificate } from '../../catalog/verbs/certificates.ts';
import { type ApplicationKind, defaultScopes, isScope, type Scope } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Cabinet } from '../cabinet.ts';
import { byOperator } from '../origin.ts';
import { reloadQuotas } from '../quotas.ts';

const keyAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

interface NewApplication {
  name: string;
  kind: ApplicationKind;
  /** A name, or the number of the caller's own space. */
  space: string | number | null;
  scopes: string[] | null;
  /** Where people return to after signing in; null when people cannot sign in through it. */
  redirectUris: string[] | null;
  /** Belongs to no space and has no secret: a page in a browser, for people of every space. */
  isForPeopleOnly: boolean;
  /** Whether it needs a person's consent before it acts for them. */
  asksConsent: boolean;
  certificates: NewCertificate[];
}

export const plainApplication = {
  kind: 'client',
  space: null,
  scopes: null,
  redirectUris: null,
  isForPeopleOnly: false,
  asksConsent: false,
  certificates: [],
} as const satisfies Omit<NewApplication, 'name' | 'certificates'> & { certificates: readonly NewCertificate[] };

export interface ApplicationWithSecret {
  application: Application;
  /** Null when it has none. */
  secret: string | null;
}

export async function addApplication(
  cabinet: Cabinet,
  request: NewApplication,
  origin: Origin = byOperator(cabinet),
): Promise<ApplicationWithSecret> {
  checkCombination(request);
  if (request.kind === 'server' && !cabinet.hasMutualTls) throw noMutualTls();
  const secret = request.isForPeopleOnly ? null : newSecret();
  const application = await cabinet.catalog.addApplication({
    appKey: newAppKey(),
    name: checkApplicationName(request.name),
    kind: request.kind,
    scopes: checkScopes(request.scopes),
    secretSha256: secret === null ? null : toSecretHash(secret),
    redirectUris: request.redirectUris?.map((uri) => checkRedirectUri(uri)) ?? null,
    isForPeopleOnly: request.isForPeopleOnly,
    asksConsent: request.asksConsent,
    certificates: request.certificates,
    space: typeof request.space === 'string' ? checkPlainName(request.space, 'Space') : request.space,
    spaceId: randomUUIDv7(),
    rootId: randomUUIDv7(),
    quotaBytes: cabinet.limits.spaceQuotaBytes,
    ...origin,
  });
  await reloadQuotas(cabinet);
  return { application, secret };
}

export function noMutualTls(): Refusal {
  return new Refusal('InvalidField', 'There is no mutual-TLS address for the test environment.', { target: 'Kind' });
}

function checkCombination(request: NewApplication): void {
  const { kind, redirectUris, isForPeopleOnly, asksConsent, space, certificates } = request;
  const problem =
    (kind === 'server' && redirectUris !== null && 'People do not sign in through a server-based application.') ||
    (kind !== 'server' && certificates.length > 0 && 'Only applications of kind server have certificates.') ||
    (isForPeopleOnly &&
      redirectUris === null &&
      'An application for people needs an address to return to: --redirect-uri.') ||
    (asksConsent && redirectUris === null && 'Only an application through which people sign in asks for consent.') ||
    (redirectUris?.length === 0 && 'No address to return to was given.') ||
    (isForPeopleOnly && space !== null && 'An application for people belongs to no space.');
  if (problem !== false) throw new Refusal('InvalidField', problem);
}

/** Authorization codes are sent to it, so it must use TLS or loopback. `target`: the field that it was sent as. */
export function checkRedirectUri(uri: string, target = 'RedirectUri'): string {
  const url = URL.parse(uri);
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname));
  if (url !== null && isSafe && url.hash === '' && url.username === '' && url.password === '') return uri;
  throw new Refusal('InvalidField', `${JSON.stringify(uri)} is not a valid redirect URI.`, {
    target,
    hint: 'Use an https address without a fragment; http only on loopback.',
  });
}

export function addCertificate(
  cabinet: Cabinet,
  request: ApplicationRef & { certificate: NewCertificate },
  origin: Origin = byOperator(cabinet),
): Promise<Certificate> {
  return cabinet.catalog.addCertificate({ ...request, ...origin });
}

interface CertificateRef extends ApplicationRef {
  thumbprint: string;
  /** Whether the application must keep at least one. */
  isOneKept: boolean;
}

export function removeCertificate(
  cabinet: Cabinet,
  certificate: CertificateRef,
  origin: Origin = byOperator(cabinet),
): Promise<Certificate> {
  return cabinet.catalog.removeCertificate({ ...certificate, ...origin });
}

export function listCertificates(cabinet: Cabinet, application: ApplicationRef): Promise<Certificate[]> {
  return cabinet.catalog.listCertificates(application);
}

export function listApplications(cabinet: Cabinet): Promise<Application[]> {
  return cabinet.catalog.listApplications({});
}

export type StateChange = 'disable' | 'enable' | 'remove';

const stateAfter = { disable: 'disabled', enable: 'active', remove: 'removed' } as const;

export function changeApplicationState(
  cabinet: Cabinet,
  { change, areTokensKept = false, ...application }: ApplicationRef & { change: StateChange; areTokensKept?: boolean },
  origin: Origin = byOperator(cabinet),
): Promise<Application> {
  const areTokensRevoked = change !== 'enable' && !areTokensKept;
  return cabinet.catalog.setApplicationState({
    ...{ ...application, state: stateAfter[change], areTokensRevoked },
    ...origin,
  });
}

/** The replaced secret stays valid for `overlapMs`. */
export async function rotateSecret(
  cabinet: Cabinet,
  {
    overlapMs,
    areTokensRevoked = false,
    ...application
  }: ApplicationRef & {
    overlapMs: number;
    areTokensRevoked?: boolean;
  },
  origin: Origin = byOperator(cabinet),
): Promise<ApplicationWithSecret> {
  const secret = newSecret();
  const rotated = await cabinet.catalog.rotateSecret({
    ...application,
    areTokensRevoked,
    secretSha256: toSecretHash(secret),
    previousUntil: origin.at + overlapMs,
    ...origin,
  });
  return { application: rotated, secret };
}

function toSecretHash(secret: string): string {
  return hash('sha256', secret);
}

function newAppKey(): string {
  const characters = Array.from({ length: 32 }, () => keyAlphabet[randomInt(keyAlphabet.length)]);
  return `ak_${characters.join('')}`;
}

function newSecret(): string {
  return `cs_${randomBytes(32).toString('base64url')}`;
}

/** Keeps names and AppKeys apart. */
function checkApplicationName(name: string): string {
  if (!name.startsWith('ak_')) return checkPlainName(name, 'Name');
  throw new Refusal('InvalidField', 'Names of applications do not begin with ak_: AppKeys do.', { target: 'Name' });
}

export function checkPlainName(name: string, target: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new Refusal('InvalidField', `${JSON.stringify(name)} is not a valid name.`, {
      target,
      hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
    });
  }
  return name;
}

function checkScopes(scopes: string[] | null): readonly Scope[] {
  if (scopes === null) return defaultScopes;
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined || scopes.length === 0) {
    throw new Refusal('InvalidField', `Unknown scope ${JSON.stringify(unknown ?? '')}.`, {
      target: 'Scopes',
      hint: 'Scopes are content.read, content.write and content.admin.',
    });
  }
  return scopes.filter(isScope);
}
