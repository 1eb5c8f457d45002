// Turns the headers of a request into a caller, or refuses. What is known of an application is looked up again after
// half a second at the latest, so that disabling it takes effect within one.

import { LRUCache } from 'lru-cache';
import type { Application } from '../catalog/applications.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { type TokenVerifier, tokenInvalid } from './tokens.ts';

const lookAgainAfterMs = 500;
const mostApplications = 10_000;

export interface Credentials {
  authorization: string | undefined;
  appKey: string | undefined;
  requestId: string;
}

export class Authenticator {
  readonly #catalog: Catalog;
  readonly #tokens: TokenVerifier;
  readonly #applications = new LRUCache<string, { application: Application | null }>({
    max: mostApplications,
    ttl: lookAgainAfterMs,
  });

  constructor(catalog: Catalog, tokens: TokenVerifier) {
    this.#catalog = catalog;
    this.#tokens = tokens;
  }

  async authenticate({ authorization, appKey, requestId }: Credentials): Promise<Caller> {
    const token = await this.#tokens.verify(readBearer(authorization));
    if (appKey === undefined || appKey === '') {
      throw new Refusal('AppKeyMissing', 'The AppKey header is missing.', {
        target: 'AppKey',
        hint: 'Send the AppKey that the application was registered with, beside the access token.',
      });
    }
    const application = await this.#find(appKey);
    if (application === null || application.state !== 'active') {
      throw new Refusal('AppKeyUnknown', 'No active application has this AppKey.', { target: 'AppKey' });
    }
    if (token.clientId !== appKey) {
      throw new Refusal('AppKeyMismatch', 'The access token was given to another application than the AppKey names.', {
        target: 'AppKey',
      });
    }
    if (application.kind === 'server') {
      throw new Refusal('MutualTlsRequired', 'Server-based applications use the mutual-TLS address only.');
    }
    return {
      appKey,
      actor: `app:${application.name}`,
      scopes: token.scopes.filter((scope) => application.scopes.includes(scope)),
      space: application.space,
      rootId: application.rootId,
      requestId,
    };
  }

  async #find(appKey: string): Promise<Application | null> {
    const known = this.#applications.get(appKey);
    if (known !== undefined) return known.application;
    const application = await this.#catalog.findApplication({ appKey });
    this.#applications.set(appKey, { application });
    return application;
  }
}

function readBearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new Refusal('TokenMissing', 'The Authorization header is missing.', {
      target: 'Authorization',
      hint: 'Get a token from POST /oauth2/token and send it as "Authorization: Bearer <token>".',
    });
  }
  const token = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined) throw tokenInvalid('The Authorization header is not "Bearer <token>".');
  return token;
}
