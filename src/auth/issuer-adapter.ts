// The storage of `oidc-provider`: its clients, which are our applications, and the records of people's sign-ins. The ids of those
// records are as good as passwords, so only their SHA-256 is stored.

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js';
import type { Catalog } from '../catalog/catalog.ts';
import type { Application } from '../catalog/verbs/applications.ts';
import type { IssuerRecord } from '../catalog/verbs/issuer-records.ts';
import { commandLineAppKey } from '../domain/built-in-applications.ts';
import type { Clock } from '../runtime/clock.ts';
import type { AnonymousSessions } from './anonymous-sessions.ts';

interface AdapterParts {
  sessions: AnonymousSessions;
  clock: Clock;
  /** Encrypts what must be found by a short code. */
  secret: string;
}

export function toAdapter(model: string, catalog: Catalog, parts: AdapterParts): Adapter {
  if (model === 'Client') return new ClientAdapter(catalog, parts.clock);
  return new RecordAdapter(model, catalog, parts);
}

export function hashId(id: string): string {
  return hash('sha256', id, 'base64url');
}

class RecordAdapter implements Adapter {
  readonly #model: string;
  readonly #catalog: Catalog;
  /** Null for models other than sessions. */
  readonly #anonymous: AnonymousSessions | null;
  readonly #clock: Clock;
  readonly #secret: string;

  constructor(model: string, catalog: Catalog, { sessions, clock, secret }: AdapterParts) {
    this.#secret = secret;
    this.#model = model;
    this.#catalog = catalog;
    this.#anonymous = model === 'Session' ? sessions : null;
    this.#clock = clock;
  }

  async upsert(id: string, { jti: _, ...payload }: AdapterPayload, expiresIn: number): Promise<void> {
    if (this.#anonymous !== null && payload.accountId === undefined && !isOfDevice(payload)) {
      await this.#anonymous.set(hashId(id), payload);
      return;
    }
    await this.#anonymous?.delete(hashId(id));
    await this.#catalog.putIssuerRecord({
      model: this.#model,
      id: hashId(id),
      uid: toUid(payload),
      grant: payload.grantId === undefined ? null : hashId(payload.grantId),
      user: payload.accountId ?? null,
      since: sinceOf(this.#model, payload),
      payload: this.#isEncrypted
        ? encrypt(id, JSON.stringify(payload))
        : JSON.stringify(this.#withoutCode(id, payload)),
      expiresAt: this.#clock.now() + expiresIn * 1000,
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const anonymous = await this.#anonymous?.get(hashId(id));
    if (anonymous !== undefined) return { ...anonymous, jti: id };
    const record = await this.#find('id', id);
    if (record === null || !this.#isEncrypted) return toPayload(record, id);
    return toPayload({ ...record, payload: decrypt(id, record.payload) }, id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return toPayload(await this.#find('uid', uid), undefined);
  }

  #find(by: 'id' | 'uid', value: string): Promise<IssuerRecord | null> {
    return this.#catalog.findIssuerRecord({ model: this.#model, by, value: hashId(value), at: this.#clock.now() });
  }

  /** Neither the code that a device shows nor its secret id is stored: the code leads to the id, encrypted with it and our secret. */
  async findByUserCode(code: string): Promise<AdapterPayload | undefined> {
    const record = await this.#find('uid', code);
    if (record === null) return undefined;
    const { encryptedId, ...payload } = JSON.parse(record.payload) as AdapterPayload & { encryptedId: string };
    return { ...payload, jti: decrypt(`${this.#secret} ${code}`, encryptedId), userCode: code };
  }

  #withoutCode(id: string, { userCode, ...payload }: AdapterPayload): object {
    if (userCode === undefined) return payload;
    return { ...payload, encryptedId: encrypt(`${this.#secret} ${userCode}`, id) };
  }

  /** A pending sign-in has the ids of itself and of the browser's session: only the holder of its own id can read it. */
  get #isEncrypted(): boolean {
    return this.#model === 'Interaction';
  }

  /** Of two concurrent requests with the same code or refresh token, one is refused. */
  async consume(id: string): Promise<void> {
    const at = this.#clock.now();
    const isFirst = await this.#catalog.consumeIssuerRecord({ model: this.#model, id: hashId(id), at });
    if (!isFirst) throw new InvalidGrant('it was used already');
  }

  async destroy(id: string): Promise<void> {
    // It may be in both: with and without the form for a device's code.
    await this.#anonymous?.delete(hashId(id));
    await this.#catalog.endIssuerRecord({ model: this.#model, id: hashId(id) });
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#catalog.endGrant({ model: this.#model, grant: hashId(grantId) });
  }
}

function toUid({ uid, userCode }: AdapterPayload): string | null {
  const value = uid ?? userCode;
  return value === undefined ? null : hashId(value);
}

/** Any node may get the form in which a person types a code. */
function isOfDevice({ state }: AdapterPayload): boolean {
  return (state as { isDevice?: boolean } | undefined)?.isDevice === true;
}

/** AES-256-GCM with a key derived from the id, in base64url: nonce, tag, text. */
function encrypt(id: string, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', toKey(id), nonce);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
}

function decrypt(id: string, text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', toKey(id), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

/** `sealed` is part of the stored format. */
function toKey(id: string): Buffer {
  return hash('sha256', `sealed ${id}`, 'buffer');
}

/** When the person signed in. Grants are created with that time (see `grantEverythingRegistered`). */
function sinceOf(model: string, { loginTs, iat }: AdapterPayload): number | null {
  if (model === 'Session') return loginTs ?? null;
  return model === 'Grant' ? (iat ?? null) : null;
}

function toPayload(record: IssuerRecord | null, id: string | undefined): AdapterPayload | undefined {
  if (record === null) return undefined;
  return {
    ...(JSON.parse(record.payload) as AdapterPayload),
    ...(id !== undefined && { jti: id }),
    ...(record.consumedAt !== null && { consumed: Math.floor(record.consumedAt / 1000) }),
  };
}

/** Replaces unknown clients, so that an unknown AppKey takes as long as a wrong secret. */
const unknownClient: AdapterPayload = {
  client_id: 'ak_nobody',
  client_secret: randomBytes(32).toString('hex'),
  grant_types: [],
  redirect_uris: [],
  response_types: [],
};

/** Read-only: applications are changed by commands and by managers. */
class ClientAdapter implements Adapter {
  readonly #catalog: Catalog;
  readonly #clock: Clock;

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  async find(id: string): Promise<AdapterPayload> {
    const application = await this.#catalog.findApplication({ appKey: id });
    return application?.state === 'active' ? toClient(application, this.#clock.now()) : unknownClient;
  }

  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
  async upsert(): Promise<void> {}
  async consume(): Promise<void> {}
  async destroy(): Promise<void> {}
  async revokeByGrantId(): Promise<void> {}
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const peopleScopes = ['openid', 'profile', 'offline_access'];

function toClient(application: Application, now: number): AdapterPayload {
  const { redirectUris, access } = application;
  const isForPeople = redirectUris !== null;
  const grants = [
    ...(isForPeople ? ['authorization_code', 'refresh_token'] : []),
    ...(access === null ? [] : ['client_credentials']),
    ...(application.appKey === commandLineAppKey ? [deviceGrant] : []),
  ];
  return {
    client_id: application.appKey,
    client_name: application.name,
    ...toAuthentication(application, now),
    grant_types: grants,
    ...(isForPeople && redirectUris.every(isWithoutPort) && { application_type: 'native' }),
    token_epoch: application.tokenEpoch,
    asks_consent: application.asksConsent,
    redirect_uris: redirectUris ?? [],
    post_logout_redirect_uris: redirectUris ?? [],
    response_types: isForPeople ? ['code'] : [],
    scope: [...(isForPeople ? peopleScopes : []), ...application.scopes].join(' '),
  };
}

/**
 * "The authorization server MUST allow any port to be specified at the time of the request for loopback IP redirect URIs"
 * (RFC 8252): a program listens on any free port. A registered port is used as it is.
 */
function isWithoutPort(uri: string): boolean {
  return /^http:\/\/(127\.0\.0\.1|\[::1\])(\/|$)/.test(uri);
}

/** How an application authenticates: by certificate, by secret, or, where it cannot keep one, not at all. */
function toAuthentication(application: Application, now: number): Partial<AdapterPayload> {
  const { secretSha256, previousSecretSha256, previousSecretUntil } = application;
  if (application.kind === 'server') {
    return {
      token_endpoint_auth_method: 'tls_client_auth',
      // The provider requires a subject to compare; we compare the registered thumbprints instead.
      tls_client_auth_subject_dn: application.appKey,
      tls_client_certificate_bound_access_tokens: true,
      certificates: application.certificates,
    };
  }
  if (secretSha256 === null) return { token_endpoint_auth_method: 'none' };
  const isPreviousValid = previousSecretSha256 !== null && (previousSecretUntil ?? 0) > now;
  return { client_secret: secretSha256, ...(isPreviousValid && { previous_secret: previousSecretSha256 }) };
}
