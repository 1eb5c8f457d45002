// Measures what it costs to know who asks, for a token that was seen before: microseconds of CPU of the whole process for
// each request, as one line of JSON. A program of its own: the test runner watches every promise, which costs more.

import assert from 'node:assert/strict';
import { hash, randomUUID, type X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importJWK, SignJWT } from 'jose';
import type { Arrival } from '../../../src/auth/arrival.ts';
import { Authenticator, type Credentials } from '../../../src/auth/authenticate.ts';
import { keysInFolder, openKeys, type SigningKey, signingAlgorithm } from '../../../src/auth/keys.ts';
import { TokenVerifier } from '../../../src/auth/tokens.ts';
import { toCatalog } from '../../../src/catalog/catalog.ts';
import { openSqlite } from '../../../src/catalog/sqlite/sqlite.ts';
import { Refusal, type RefusalCode } from '../../../src/domain/refusal.ts';
import { addApplication, what } from '../../contracts/requests.ts';

/** Microseconds, a figure for each round. */
export interface Measured {
  application: number[];
  bound: number[];
  person: number[];
}

export const calls = 100_000;
const rounds = 5;

const issuer = 'http://127.0.0.1:8080';
const audience = `${issuer}/v1/contentmanagement`;
const thumbprint = hash('sha256', 'a certificate', 'base64url');
const grant = hash('sha256', 'a grant', 'base64url');
const session = hash('sha256', 'a session', 'base64url');
const later = Date.now() + 86_400_000;

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-cost-'));
  const catalog = toCatalog(await openSqlite({ path: join(folder, 'catalog.db'), onFatal: assert.fail }));
  try {
    const { signing } = await openKeys(keysInFolder(folder));
    const bench = new Bench(
      new Authenticator(
        catalog,
        new TokenVerifier({ issuer, audience, mcpAudience: `${issuer}/mcp`, signingKeys: signing, reloadKeys: null }),
      ),
      signing[0] as SigningKey,
    );
    const scopes = ['content.read', 'content.write'] as const;
    await addApplication(catalog, 'plain', 'shared', { scopes: [...scopes] });
    const certificates = [{ thumbprint, subject: 'CN=server', notAfter: later }];
    await addApplication(catalog, 'server', null, { kind: 'server', scopes: [...scopes], certificates });
    await catalog.addUser({ id: 'ann', name: 'Ann', password: null, ...what });
    await catalog.setRole({ id: 'ann', space: 'shared', role: 'editor', ...what });
    const since = Math.floor(Date.now() / 1000);
    const record = { id: grant, uid: session, grant: null, user: 'ann', since, payload: '{}', expiresAt: later };
    for (const model of ['Grant', 'Session']) await catalog.putIssuerRecord({ model, ...record });
    const measured = {
      application: await bench.measureApplication(),
      bound: await bench.measureBound(),
      person: await bench.measurePerson(),
    } satisfies Measured;
    process.stdout.write(`${JSON.stringify(measured)}\n`);
  } finally {
    await catalog.close();
    rmSync(folder, { recursive: true });
  }
}

class Bench {
  readonly #authenticator: Authenticator;
  readonly #key: SigningKey;

  constructor(authenticator: Authenticator, key: SigningKey) {
    this.#authenticator = authenticator;
    this.#key = key;
  }

  async measureApplication(): Promise<number[]> {
    return await this.#measure(await this.#toCredentials('ak_plain', {}), 'app:plain');
  }

  async measureBound(): Promise<number[]> {
    const leaf = {} as X509Certificate;
    const good = { isMutualTls: true, certificate: () => ({ problem: null, leaf, thumbprint }) };
    const credentials = await this.#toCredentials('ak_server', { cnf: { 'x5t#S256': thumbprint } }, good);
    const measured = await this.#measure(credentials, 'app:server');
    const expired = { ...credentials.arrival, certificate: () => ({ problem: 'It has expired.' }) };
    await this.#refuses({ ...credentials, arrival: expired }, 'CertificateInvalid');
    return measured;
  }

  async measurePerson(): Promise<number[]> {
    return await this.#measure(await this.#toCredentials('ak_plain', { sub: 'ann', grant, session }), 'ann');
  }

  async #toCredentials(appKey: string, claims: object, arrival: Partial<Arrival> = {}): Promise<Credentials> {
    const own = { sub: appKey, client_id: appKey, scope: 'content.read content.write', jti: randomUUID() };
    const token = await new SignJWT({ ...own, ...claims })
      .setProtectedHeader({ alg: signingAlgorithm, typ: 'at+jwt', kid: String(this.#key.kid) })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(await importJWK(this.#key, signingAlgorithm));
    return {
      authorization: `Bearer ${token}`,
      appKey,
      spaceId: undefined,
      arrival: {
        isMutualTls: false,
        isShared: false,
        isPrivate: true,
        address: '127.0.0.1',
        certificate: () => ({ problem: 'None.' }),
        ...arrival,
      },
      requestId: randomUUID(),
    };
  }

  async #measure(credentials: Credentials, actor: string): Promise<number[]> {
    const caller = await this.#authenticator.authenticate(credentials);
    assert.deepEqual(
      [caller.actor, caller.scopes, caller.spaces.length],
      [actor, ['content.read', 'content.write'], 1],
    );
    await this.#measureRound(credentials);
    const measured: number[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await this.#measureRound(credentials));
    await this.#refuses({ ...credentials, appKey: 'ak_other' }, 'AppKeyUnknown');
    return measured;
  }

  async #measureRound(credentials: Credentials): Promise<number> {
    const start = process.cpuUsage();
    for (let n = 0; n < calls; n += 1) await this.#authenticator.authenticate(credentials);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / calls;
  }

  async #refuses(credentials: Credentials, code: RefusalCode): Promise<void> {
    const isRefused = (error: unknown) => error instanceof Refusal && error.code === code;
    await assert.rejects(this.#authenticator.authenticate(credentials), isRefused);
  }
}

if (import.meta.main) await run();
