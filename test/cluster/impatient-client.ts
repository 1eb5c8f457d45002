// A client that expects to be let down: it waits for a few seconds, and says what is known of each request afterwards.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { CONTENT } from '../interface/client.ts';
import type { Outcome } from './history.ts';

const patienceMs = 4000;

export interface HttpRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

export interface Answered {
  outcome: Outcome;
  /** 0: none came. */
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export class ImpatientClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async ask(base: string, { method = 'GET', path, headers = {}, body = '' }: HttpRequest): Promise<Answered> {
    try {
      const answer = await this.#exchange(new URL(base + CONTENT + path), { method, path, headers, body });
      return { ...answer, outcome: toOutcome(answer.status) };
    } catch {
      return { outcome: 'unknown', status: 0, headers: {}, body: Buffer.alloc(0) };
    }
  }

  #exchange(url: URL, { method, headers, body = '' }: HttpRequest): Promise<Omit<Answered, 'outcome'>> {
    const bytes = Buffer.from(body as string);
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(url, {
        agent: this.#agent,
        method: method ?? 'GET',
        headers: { ...headers, ...(method !== 'GET' && { 'Content-Length': bytes.length }) },
      });
      // The whole answer must be there by then, not only its beginning.
      const timer = setTimeout(() => outgoing.destroy(new Error('no answer')), patienceMs);
      outgoing.on('close', () => clearTimeout(timer));
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('error', reject);
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          if (!incoming.complete) reject(new Error('the answer broke off'));
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) });
        });
      });
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function toOutcome(status: number): Outcome {
  if (status === 200) return 'done';
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
}
