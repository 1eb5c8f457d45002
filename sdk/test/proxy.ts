// A small proxy that loses connections: before the request reaches the service, after the service has answered but before
// the client hears of it, or in the middle of an answer. What it does next is said by a plan, one step for each request.

import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Step =
  | 'pass'
  /** The service never hears of it. */
  | 'cut before'
  /** The service has done it; the client does not know. */
  | 'cut after'
  /** The client hears the beginning of the answer. */
  | 'cut within'
  /** The service hears only half of the body. */
  | 'cut body';

export interface Seen {
  method: string;
  path: string;
  step: Step;
  key: string | undefined;
  /** The status that the service answered with; null if it was not asked. */
  status: number | null;
}

export interface CuttingProxy {
  url: string;
  seen: Seen[];
  /** What to do with the next requests; after these, all pass. */
  plan(...steps: Step[]): void;
  close(): Promise<void>;
}

/** Answers are cut after so many bytes of their body. */
const withinBytes = 100_000;

export async function startProxy(target: string): Promise<CuttingProxy> {
  const seen: Seen[] = [];
  let steps: Step[] = [];
  const server = createServer((incoming, outgoing) => {
    const isPlanned = !incoming.url?.startsWith('/oauth2/');
    const step = (isPlanned ? steps.shift() : undefined) ?? 'pass';
    const { method = '', url: path = '' } = incoming;
    const key = incoming.headers['idempotency-key']?.toString();
    const line: Seen = { method, path, step, key, status: null };
    if (isPlanned) seen.push(line);
    relay({ target, incoming, outgoing, line }).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    plan: (...next) => {
      steps = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Relayed {
  target: string;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  line: Seen;
}

async function relay({ target, incoming, outgoing, line }: Relayed): Promise<void> {
  const { step, method, path } = line;
  if (step === 'cut before') return void incoming.socket.destroy();
  const body = await buffer(incoming);
  const upstream = httpRequest(target + path, { method, headers: incoming.headers, agent: false });
  if (step === 'cut body') {
    upstream.on('error', () => {});
    upstream.write(body.subarray(0, body.byteLength / 2), () => upstream.destroy());
    return void incoming.socket.destroy();
  }
  upstream.end(body);
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
  const bytes = await buffer(answer);
  line.status = answer.statusCode ?? null;
  if (step === 'cut after') return void incoming.socket.destroy();
  outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
  if (step === 'pass') return void outgoing.end(bytes);
  const half = Math.min(withinBytes, Math.floor(bytes.byteLength / 2));
  outgoing.write(bytes.subarray(0, half), () => incoming.socket.destroy());
}
