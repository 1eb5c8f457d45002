// Posts a line to a chat for each new or changed file: a receiver of Cabinet's webhooks. The chat takes `{"text": "…"}`, as the
// incoming webhooks of Slack, Mattermost and Rocket.Chat do.
//
//   npm install @cabinet/client
//   WEBHOOK_SECRET=whsec_… CHAT_URL=https://hooks.slack.com/services/… PORT=3000 node receiver.ts
//
// Create the webhook with the events file.created and file.saved, and with the FolderId of the folder that people care about. If the
// chat does not take the line, the answer is 503, and Cabinet sends the event again later, in order.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@cabinet/client';

const { WEBHOOK_SECRET = '', CHAT_URL = '', PORT = '3000' } = process.env;

const server = createServer(async (request, response) => {
  try {
    await tell(await verifyWebhook(await read(request), request.headers, WEBHOOK_SECRET));
    response.writeHead(204).end();
  } catch (error) {
    const isForged = error instanceof WebhookVerificationError;
    response.writeHead(isForged ? 401 : 503).end(String(error));
  }
});
server.listen(Number(PORT), () => console.log(`listening on ${(server.address() as AddressInfo).port}`));

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function tell({ type, data }: WebhookEvent): Promise<void> {
  // A file that is gone meanwhile is no news.
  if (data.Path === undefined) return;
  const did = type === 'cabinet.file.created' ? 'added' : 'changed';
  const text = `${toPlain(data.By)} ${did} ${toPlain(data.Path)}`;
  const answer = await fetch(CHAT_URL, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(8000),
  });
  if (!answer.ok) throw new Error(`The chat answered ${answer.status}.`);
}

/** Names are written by others: they must not become links or mentions. */
function toPlain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
