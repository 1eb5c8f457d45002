// Scans every new version of a file with clamd, and moves infected files to the trash: a receiver of Cabinet's webhooks.
//
//   npm install @cabinet/client
//   CABINET_URL=… CABINET_APPKEY=… CABINET_SECRET=… WEBHOOK_SECRET=whsec_… CLAMD=127.0.0.1:3310 PORT=3000 node receiver.ts
//
// Create the webhook with the events file.created, file.saved and version.restored. The application needs content.read and
// content.write. The answer is sent after the scan: if clamd is not there, Cabinet sends the event again later, in order. Scans
// must be done within ten seconds for that; with large files, store the event and scan afterwards.

import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import {
  applicationToken,
  connect,
  deleteEntry,
  hasCode,
  openFile,
  verifyWebhook,
  type WebhookEvent,
} from '@cabinet/client';

const {
  CABINET_URL = '',
  CABINET_APPKEY = '',
  CABINET_SECRET = '',
  WEBHOOK_SECRET = '',
  CLAMD = '127.0.0.1:3310',
  PORT = '3000',
} = process.env;
const cabinet = connect({
  url: CABINET_URL,
  appKey: CABINET_APPKEY,
  token: applicationToken({ secret: CABINET_SECRET }),
});

const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await read(request), request.headers, WEBHOOK_SECRET);
    if (event.subject !== undefined && event.data.Entry?.Type === 'file') await check(event.subject, event);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error);
    response.writeHead(503).end(String(error));
  }
});
server.listen(Number(PORT), () => console.log(`listening on ${(server.address() as AddressInfo).port}`));

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function check(id: string, { data }: WebhookEvent): Promise<void> {
  try {
    const { stream } = await openFile(cabinet, id);
    const verdict = await scan(stream);
    if (verdict === 'OK') return;
    console.warn(`${data.Path ?? id}: ${verdict}`);
    await deleteEntry(cabinet, { id });
  } catch (error) {
    // It was removed meanwhile.
    if (!hasCode(error, 'FileNotFound') && !hasCode(error, 'EntryNotFound')) throw error;
  }
}

/** INSTREAM: chunks with their length before them, and an empty one at the end. Memory stays constant. */
async function scan(body: ReadableStream<Uint8Array>): Promise<string> {
  const [host = '', port = ''] = CLAMD.split(':');
  const socket = connectTcp(Number(port), host);
  const answer = readAnswer(socket);
  socket.write('zINSTREAM\0');
  for await (const chunk of body) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.byteLength);
    socket.write(length);
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), answer]);
  }
  socket.write(Buffer.alloc(4));
  const [, verdict] = /^stream: (?:(.+) FOUND|OK)/.exec(await answer) ?? [];
  if (verdict !== undefined) return verdict;
  if ((await answer).startsWith('stream: OK')) return 'OK';
  throw new Error(`clamd answered ${await answer}`);
}

async function readAnswer(socket: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk.toString();
  return text;
}
