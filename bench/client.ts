// One caller's requests over kept-alive connections. Any other response than the expected one is an error that shows it. There is
// no time limit: slow responses are measured, not refused.

import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Service } from './service.ts';

export type RequestOptions = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
  /** The status that is right; 200 unless said. */
  status?: number;
};

export type Answer = { headers: IncomingHttpHeaders; body: Buffer; ms: number };

export class Client {
  readonly #service: Pick<Service, 'base' | 'headers'>;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(service: Pick<Service, 'base' | 'headers'>) {
    this.#service = service;
  }

  /** `path`: beneath the content interface, or a whole address. */
  async ask(path: string, options: RequestOptions = {}): Promise<Answer> {
    const sentAtMs = performance.now();
    const response = await this.open(path, options);
    const body = await buffer(response);
    return { headers: response.headers, body, ms: performance.now() - sentAtMs };
  }

  async json<Result>(path: string, options: RequestOptions & { json?: object } = {}): Promise<Result> {
    const { json, ...rest } = options;
    const headers = { ...rest.headers, 'Content-Type': 'application/json' };
    const sent = json === undefined ? rest : { ...rest, headers, body: JSON.stringify(json) };
    return JSON.parse((await this.ask(path, sent)).body.toString()) as Result;
  }

  /** Resolves when the head of the response is checked; the caller reads the body. */
  async open(
    path: string,
    { method = 'GET', headers, body, status = 200 }: RequestOptions = {},
  ): Promise<IncomingMessage> {
    const url = path.startsWith('http') ? path : `${this.#service.base}/v1/contentmanagement${path}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const all = { ...this.#service.headers, ...headers };
      const sent = request(url, { method, headers: all, agent: this.#agent }, resolve);
      sent.once('error', reject);
      if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) sent.end(body);
      else body.once('error', reject).pipe(sent);
    });
    if (response.statusCode === status) return response;
    const got = (await buffer(response)).toString().slice(0, 600);
    throw new Error(`${method} ${path} answered ${response.statusCode}, wanted ${status}: ${got}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Where the next page is; null: this was the last. */
export function readNextLink(headers: IncomingHttpHeaders): string | null {
  return /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1] ?? null;
}
