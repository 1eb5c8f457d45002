// The service for the tests of WebDAV, and a small client: one request each, with exactly the headers of the test.

import assert from 'node:assert/strict';
import { basicAuthorization } from '../interface/client.ts';
import { addApplication, type Registered } from '../service/operator.ts';
import { type Environment, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';

export interface DavAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface DavRequest {
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** One who sends requests to `/dav` of one address. */
export class Dav {
  readonly base: string;
  readonly space: string;
  readonly authorization: string;

  constructor(base: string, { AppKey, Secret, Space }: Pick<Registered, 'AppKey' | 'Secret' | 'Space'>) {
    this.base = base;
    this.space = Space;
    this.authorization = basicAuthorization(AppKey, Secret);
  }

  /** `path` is beneath the space and encoded; with a slash before it, it is beneath the address. */
  url(path: string): string {
    return path.startsWith('/') ? `${this.base}${path}` : `${this.base}/dav/${this.space}/${path}`;
  }

  async send(method: string, path: string, { headers = {}, body }: DavRequest = {}): Promise<DavAnswer> {
    const response = await fetch(this.url(path), {
      method,
      headers: { Authorization: this.authorization, ...headers },
      ...(body !== undefined && { body: body as string }),
      redirect: 'manual',
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The same, and the status must be this one. */
  async must(status: number, method: string, path: string, request: DavRequest = {}): Promise<DavAnswer> {
    const answer = await this.send(method, path, request);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer;
  }

  async put(path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<DavAnswer> {
    const answer = await this.send('PUT', path, { headers, body });
    assert.ok(answer.status === 201 || answer.status === 204, `PUT ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  async get(path: string): Promise<string> {
    return (await this.must(200, 'GET', path)).text;
  }

  async propfind(path: string, depth: '0' | '1', properties?: string): Promise<string> {
    const body =
      properties === undefined ? undefined : `<D:propfind xmlns:D="DAV:"><D:prop>${properties}</D:prop></D:propfind>`;
    const request = { headers: { Depth: depth }, ...(body !== undefined && { body }) };
    return (await this.must(207, 'PROPFIND', path, request)).text;
  }

  /** The names that a listing of the collection shows, decoded, without the collection itself. */
  async list(path: string): Promise<string[]> {
    const text = await this.propfind(path, '1', '<D:resourcetype/>');
    const hrefs = [...text.matchAll(/<D:href>([^<]*)<\/D:href>/g)].map(([, href = '']) => href);
    return hrefs.slice(1).map((href) => decodeURIComponent(href.split('/').filter(Boolean).at(-1) ?? ''));
  }

  /** An answer of the REST API, as JSON. */
  async rest<Result>(
    method: string,
    path: string,
    { headers = {}, body }: DavRequest = {},
  ): Promise<{ status: number; json: Result }> {
    const token = await this.#token();
    const [, user = ''] = /^Basic (.*)$/.exec(this.authorization) ?? [];
    const [AppKey = ''] = Buffer.from(user, 'base64').toString().split(':');
    const response = await fetch(`${this.base}/v1/contentmanagement${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, AppKey, ...headers },
      ...(body !== undefined && { body: body as string }),
    });
    return { status: response.status, json: (await response.json()) as Result };
  }

  #known: string | null = null;

  async #token(): Promise<string> {
    if (this.#known !== null) return this.#known;
    const response = await fetch(`${this.base}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: this.authorization, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const { access_token } = (await response.json()) as { access_token: string };
    this.#known = access_token;
    return access_token;
  }
}

export interface DavService extends AsyncDisposable {
  dataFolder: string;
  production: string;
  advance(ms: number): Promise<void>;
  addClient(name: string, more?: Record<string, unknown>): Promise<Dav>;
}

export async function startDav(environment: Environment = {}, hasClock = false): Promise<DavService> {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder, { environment, hasClock });
  return {
    dataFolder,
    production: service.production,
    advance: (ms) => service.advance(ms),
    addClient: async (name, more = {}) => new Dav(service.production, await addApplication(dataFolder, name, more)),
    async [Symbol.asyncDispose]() {
      await service.stop();
      removeDataFolder(dataFolder);
    },
  };
}
