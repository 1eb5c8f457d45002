// A proxy that adds the headers of credentials: clients and suites that cannot send any reach the service through it. Its address is
// the public URL of the service, so that origins and addresses in answers are right.

import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenProxy extends AsyncDisposable {
  url: string;
  /** Where requests go, and what is added to those to the endpoint. */
  target: string;
  headers: IncomingHttpHeaders;
}

export async function startTokenProxy(): Promise<TokenProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const added = url === '/mcp' ? proxy.headers : {};
    const sent = httpRequest(new URL(url ?? '/', proxy.target), { method, headers: { ...headers, ...added } });
    sent.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TokenProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    headers: {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
