// A receiver of webhooks for tests: verifies every message with the package `standardwebhooks` and parses it with
// `cloudevents`, which are not ours, and answers as the test says.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CloudEventV1, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: CloudEventV1<EventData>;
  /** Which of the secrets verify it. */
  verifiedBy: string[];
}

export interface EventData {
  Position: number;
  Action: string;
  By: string;
  Entry?: { Id: string; Name: string };
  Path?: string;
  Details: Record<string, unknown>;
}

/** The status; or the answer is written, or not, by the test. */
type Reply = number | ((response: ServerResponse) => void);

export interface Receiver {
  url: string;
  received: Received[];
  /** How many connections there were, whatever came over them. */
  connections: number;
  /** Those that can verify; without any, nothing is verified. */
  secrets: string[];
  reply: (received: Received) => Reply;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = read(request.headers, Buffer.concat(chunks).toString(), receiver.secrets);
      const reply = receiver.reply(received);
      receiver.received.push(received);
      if (typeof reply === 'function') reply(response);
      else response.writeHead(reply).end('done');
    });
  });
  server.on('connection', () => {
    receiver.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    ...{ received: [], connections: 0, secrets: [], reply: () => 204 },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

function read(headers: IncomingHttpHeaders, body: string, secrets: readonly string[]): Received {
  const event = HTTP.toEvent<EventData>({ headers, body }) as CloudEventV1<EventData>;
  const verifiedBy = secrets.filter((secret) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  });
  return { headers, body, event, verifiedBy };
}
