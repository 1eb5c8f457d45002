// Turns the headers of a request and its client certificate into a caller, or refuses. Applications and people are cached for half
// a second, so that disabling them, revoking a certificate or signing out takes effect within a second.

import { hash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { Application } from '../catalog/verbs/applications.ts';
import { actingForItself, type Caller, type SpaceAccess } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { atMost } from '../runtime/cache-size.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import type { Arrival } from './arrival.ts';
import type { Link } from './links.ts';
import type { TokenVerifier } from './tokens.ts';
import { notValidHere, type TokenPerson, tokenInvalid, type VerifiedToken } from './verified-token.ts';

const cacheMs = 500;
const maxCached = 10_000;
/** The last use of a session is recorded at most this often. */
const recordEveryMs = 60 * 1000;

export interface Credentials {
  authorization: string | undefined;
  /** Null: the token alone says which application it is. */
  appKey: string | undefined | null;
  spaceId: string | undefined;
  arrival: Arrival;
  requestId: string;
  /** Whether this is the MCP endpoint, which has tokens of its own. */
  isMcp?: boolean;
}

interface SecretCredentials {
  appKey: string;
  secret: string;
  arrival: Arrival;
  requestId: string;
}

/** Roles in spaces, and grants on entries. */
type Rights = Pick<Caller, 'spaces' | 'grants'>;

type LinkMaker = Pick<Link, 'appKey' | 'person' | 'actor' | 'signIn'>;

export class Authenticator {
  readonly #catalog: Catalog;
  readonly #tokens: TokenVerifier;
  readonly #clock: Clock;
  readonly #applications: LRUCache<string, { application: Application | null }>;
  readonly #people: LRUCache<string, { rights: Rights | null }>;
  /** Sessions whose use was recorded a moment ago, by grant. */
  readonly #used: LRUCache<string, true>;
  /** What was read before an administrative change is not cached after it. */
  #changes = 0;

  constructor(catalog: Catalog, tokens: TokenVerifier, clock = systemClock) {
    this.#catalog = catalog;
    this.#tokens = tokens;
    this.#clock = clock;
    // `ttlResolution: 0` reads the clock instead of setting a timer for every millisecond with a lookup.
    const perf = { now: () => clock.monotonic() };
    const rules = { ...atMost(maxCached), ttl: cacheMs, ttlResolution: 0, perf };
    this.#applications = new LRUCache(rules);
    this.#people = new LRUCache(rules);
    this.#used = new LRUCache({ ...rules, ttl: recordEveryMs });
  }

  async authenticate(credentials: Credentials): Promise<Caller> {
    const { authorization, appKey, spaceId, arrival, requestId, isMcp = false } = credentials;
    const token = await this.#tokens.verify(readBearer(authorization));
    if (token.isForMcp && !isMcp) throw notValidHere();
    const application = await this.#requireApplication(appKey === null ? token.clientId : appKey, token);
    checkAddress(application, arrival);
    checkCertificate(application, token, arrival);
    const rights =
      token.person === null ? { spaces: ownSpaces(application) } : await this.#rightsOf(token.person, application);
    return {
      appKey: application.appKey,
      actor: token.person?.id ?? token.outsideActor ?? `app:${application.name}`,
      person: token.person?.id ?? null,
      signIn: token.person?.signIn ?? null,
      scopes: token.scopes.filter((scope) => application.scopes.includes(scope)),
      ...rights,
      isOfOneSpace: application.access !== null,
      isTrusted: application.createdBy === 'operator',
      spaceId: spaceId === undefined || spaceId === '' ? null : spaceId,
      requestId,
    };
  }

  /** An application that shows its secret and acts for itself. Null: wrong credentials. The caller of this function limits how
   *  many wrong ones an address may try. */
  async authenticateSecret({ appKey, secret, arrival, requestId }: SecretCredentials): Promise<Caller | null> {
    const application = await this.#find(appKey);
    if (application === null || application.state !== 'active' || !isSecretOf(application, secret, this.#clock.now()))
      return null;
    checkAddress(application, arrival);
    return toOwnCaller(application, requestId);
  }

  /** The application of the certificate that the client shows, acting for itself. */
  async authenticateCertificate(arrival: Arrival, requestId: string): Promise<Caller> {
    const shown = arrival.certificate();
    if (shown.problem !== null) throw certificateInvalid(shown.problem);
    const appKey = await this.#catalog.findCertificateOwner({ thumbprint: shown.thumbprint });
    const application = appKey === null ? null : await this.#find(appKey);
    if (
      application === null ||
      application.state !== 'active' ||
      !application.certificates.includes(shown.thumbprint)
    ) {
      throw certificateInvalid('The certificate is not registered with an active application.');
    }
    checkAddress(application, arrival);
    return toOwnCaller(application, requestId);
  }

  /** The creator of a link with their current rights, by the rules of the address that it is used on; null when they have none, or
   *  not there, or when the sign-in has ended in which it was made. */
  async findMaker(link: LinkMaker, arrival: Arrival, requestId: string): Promise<Caller | null> {
    const { appKey, person, actor, signIn } = link;
    const application = await this.#find(appKey);
    if (application === null || application.state !== 'active' || !isAtHome(application, arrival)) return null;
    const ofApplication = { spaces: application.access === null ? [] : [application.access] };
    const rights = person === null ? ofApplication : await this.#findRights({ id: person, signIn }, application);
    return {
      appKey,
      actor,
      person,
      signIn: null,
      scopes: application.scopes.filter((scope) => scope === 'content.read'),
      ...(rights ?? { spaces: [] }),
      isOfOneSpace: application.access !== null,
      isTrusted: false,
      spaceId: null,
      requestId,
    };
  }

  /** Empties the cache, so that an administrative change takes effect at once. */
  invalidate(): void {
    this.#changes += 1;
    this.#applications.clear();
    this.#people.clear();
  }

  async #requireApplication(appKey: string | undefined, token: VerifiedToken): Promise<Application> {
    if (appKey === undefined || appKey === '') {
      throw new Refusal('AppKeyMissing', 'The AppKey header is missing.', {
        target: 'AppKey',
        hint: 'Send the AppKey of the application together with the access token.',
      });
    }
    const application = await this.#find(appKey);
    if (application === null || application.state !== 'active') {
      throw new Refusal('AppKeyUnknown', 'No active application has this AppKey.', { target: 'AppKey' });
    }
    if (token.clientId !== appKey) {
      throw new Refusal('AppKeyMismatch', 'The access token belongs to another application than the AppKey.', {
        target: 'AppKey',
      });
    }
    if (token.epoch !== null && token.epoch !== application.tokenEpoch) {
      throw tokenInvalid('The access tokens of this application were revoked.');
    }
    return application;
  }

  async #find(appKey: string): Promise<Application | null> {
    const known = this.#applications.get(appKey);
    if (known !== undefined) return known.application;
    const changes = this.#changes;
    const application = await this.#catalog.findApplication({ appKey });
    if (changes === this.#changes) this.#applications.set(appKey, { application });
    return application;
  }

  async #rightsOf(person: TokenPerson, application: Application): Promise<Rights> {
    const rights = await this.#findRights(person, application);
    if (rights === null) throw tokenInvalid('This person has signed out or may no longer sign in.');
    return rights;
  }

  /** An application only accesses the space that it is registered in, whoever uses it. */
  async #findRights(person: TokenPerson, { access }: Application): Promise<Rights | null> {
    const { groups = [] } = person;
    const key = JSON.stringify([person.signIn?.grant, person.signIn?.session, person.id, groups]);
    let known = this.#people.get(key);
    if (known === undefined) {
      const changes = this.#changes;
      const spaces = await this.#catalog.findPerson({ id: person.id, signIn: person.signIn, at: this.#clock.now() });
      const grants = spaces === null ? [] : await this.#catalog.findGrantedSpaces({ user: person.id, groups });
      known = { rights: spaces === null ? null : { spaces, grants } };
      if (changes === this.#changes) this.#people.set(key, known);
      if (spaces !== null) this.#recordUse(person);
    }
    if (access === null || known.rights === null) return known.rights;
    const { spaces, grants = [] } = known.rights;
    const isOwn = ({ space }: { space: number }) => space === access.space;
    return { spaces: spaces.filter(isOwn), grants: grants.filter(isOwn) };
  }

  /** Does not hold up the request; what cannot be written now is written at a later use. */
  #recordUse({ signIn }: TokenPerson): void {
    if (signIn === null || this.#used.has(signIn.grant)) return;
    this.#used.set(signIn.grant, true);
    void this.#catalog.noteSessionUse({ grant: signIn.grant, at: this.#clock.now() }).catch(() => undefined);
  }
}

function toOwnCaller(application: Application, requestId: string): Caller {
  return {
    ...actingForItself,
    appKey: application.appKey,
    actor: `app:${application.name}`,
    scopes: application.scopes,
    spaces: ownSpaces(application),
    isTrusted: application.createdBy === 'operator',
    spaceId: null,
    requestId,
  };
}

/** Compares in constant time. A server-based application has no secret. */
function isSecretOf(application: Application, secret: string, now: number): boolean {
  const { secretSha256, previousSecretSha256, previousSecretUntil } = application;
  const presented = Buffer.from(hash('sha256', secret));
  const isEqual = (stored: string | null) => stored !== null && timingSafeEqual(presented, Buffer.from(stored));
  const isPrevious = isEqual(previousSecretSha256) && (previousSecretUntil ?? 0) > now;
  return isEqual(secretSha256) || isPrevious;
}

/** A link of a server-based application works only on the mutual-TLS address, with one of its certificates. */
function isAtHome({ kind, certificates }: Application, arrival: Arrival): boolean {
  if (kind !== 'server' || !arrival.isMutualTls) return kind !== 'server' && !arrival.isMutualTls;
  const shown = arrival.certificate();
  return shown.problem === null && certificates.includes(shown.thumbprint);
}

function ownSpaces({ name, access }: Application): SpaceAccess[] {
  if (access === null)
    throw new Refusal('Forbidden', `The application ${name} belongs to no space: it acts for people.`);
  return [access];
}

/** "Applications registered as server-based applications use the mutual-TLS address; other applications do not." */
function checkAddress({ kind }: Application, { isMutualTls }: Arrival): void {
  if (kind === 'server' && !isMutualTls) {
    throw new Refusal('MutualTlsRequired', 'Server-based applications use the mutual-TLS address only.', {
      hint: 'The issuer metadata lists it under mtls_endpoint_aliases. Present a registered certificate there.',
    });
  }
  if (kind !== 'server' && isMutualTls) {
    throw new Refusal('MutualTlsNotAllowed', 'Only server-based applications use the mutual-TLS address.', {
      hint: 'Use the address that the issuer metadata names as the issuer, or register it with --kind server.',
    });
  }
}

function checkCertificate(application: Application, token: VerifiedToken, arrival: Arrival): void {
  if (!arrival.isMutualTls) {
    if (token.boundTo !== null) throw certificateInvalid('The access token is bound to a certificate.');
    return;
  }
  const shown = arrival.certificate();
  if (shown.problem !== null) throw certificateInvalid(shown.problem);
  if (!application.certificates.includes(shown.thumbprint)) {
    throw certificateInvalid('The certificate is not one of this application.');
  }
  // Our tokens are always bound. Many outside issuers cannot bind theirs; there the application's certificate must match.
  if (token.boundTo === null && token.outsideActor !== null) return;
  if (token.boundTo === null) throw certificateInvalid('The access token is not bound to a certificate.');
  if (token.boundTo !== shown.thumbprint) throw certificateInvalid('The access token is bound to another certificate.');
}

function certificateInvalid(message: string): Refusal {
  return new Refusal('CertificateInvalid', message, {
    hint: 'Present a registered certificate, with a token that was issued for it by POST /oauth2/token of this address.',
  });
}

function readBearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new Refusal('TokenMissing', 'The Authorization header is missing.', {
      target: 'Authorization',
      hint: 'Get a token from POST /oauth2/token and send it as "Authorization: Bearer <token>".',
    });
  }
  const token = /^Bearer +([A-Za-z0-9._-]+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw tokenInvalid('The Authorization header is not "Bearer <token>".');
  return token;
}
