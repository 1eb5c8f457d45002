// The suite's client for TLS addresses: like `send` of the interface suite, with its own certificate.

import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { type Answer, headerLines, type Request } from '../interface/client.ts';

/** `cert` and `key` are left out by who shows no certificate. A connection is reused only within an agent. */
export type Tls = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername'> & { agent?: Agent };

const answerTimeoutMs = 20_000;

export function sendTls(base: string, path: string, request: Request, tls: Tls): Promise<Answer> {
  const { hostname, host, port } = new URL(base);
  const { method = 'GET', headers = {}, body } = request;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length = bytes === undefined && method === 'GET' ? {} : { 'Content-Length': String(bytes?.byteLength ?? 0) };
  const lines = headerLines({ Host: host, ...length, ...headers });
  return new Promise((resolve, reject) => {
    const agent = tls.agent ?? new Agent({ keepAlive: false });
    const outgoing = httpsRequest({ ...tls, agent, host: hostname, port, path, method, headers: lines.flat() });
    outgoing.setTimeout(answerTimeoutMs, () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('error', reject);
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.end(bytes);
  });
}
