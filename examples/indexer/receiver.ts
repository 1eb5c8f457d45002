// Keeps an index of all files and folders that never misses a change: a receiver of Cabinet's webhooks.
//
//   npm install @cabinet/client
//   WEBHOOK_SECRET=whsec_… INDEX=index.db PORT=3000 node receiver.ts
//
// Create the webhook with the events file.* and folder.*, and replay it from position 1 to fill the index: everything from then
// on comes in the journal's order. If the index is lost, replay again. GET /?name=… shows the paths of what has this name.
//
// The position is stored with what it changed, in one transaction, and lower ones are ignored. So an event may come twice, and
// this program may be killed at any moment. An entry is kept with its folder, not with its path: a folder that is renamed, moved
// or trashed has one event, and everything beneath it follows. What is in the trash or gone stays as a mark.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@cabinet/client';

const { WEBHOOK_SECRET = '', INDEX = 'index.db', PORT = '3000' } = process.env;

const db = new DatabaseSync(INDEX);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS entries (id TEXT PRIMARY KEY, parent TEXT NOT NULL, name TEXT NOT NULL, is_gone INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS entries_name ON entries (name);
  CREATE TABLE IF NOT EXISTS progress (position INTEGER NOT NULL);
  INSERT INTO progress SELECT 0 WHERE NOT EXISTS (SELECT * FROM progress);`);
const readPosition = db.prepare('SELECT position FROM progress');
const writePosition = db.prepare('UPDATE progress SET position = ?');
const put = db.prepare('INSERT OR REPLACE INTO entries (id, parent, name, is_gone) VALUES (?, ?, ?, 0)');
const mark = db.prepare('UPDATE entries SET is_gone = 1 WHERE id = ?');
const byName = db.prepare('SELECT parent, name, is_gone FROM entries WHERE name = ?');
const byId = db.prepare('SELECT parent, name, is_gone FROM entries WHERE id = ?');

interface Row {
  parent: string;
  name: string;
  is_gone: number;
}

const server = createServer((request, response) => {
  const answering = request.method === 'POST' ? take(request, response) : find(request, response);
  answering.catch((error: unknown) => {
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 503).end(String(error));
  });
});
server.listen(Number(PORT), () => console.log(`listening on ${(server.address() as AddressInfo).port}`));

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  apply(await verifyWebhook(Buffer.concat(chunks), request.headers, WEBHOOK_SECRET));
  response.writeHead(204).end();
}

function apply({ subject, data }: WebhookEvent): void {
  const { Position: position, Action: action, Details: details } = data;
  if (subject === undefined || position <= (readPosition.get() as { position: number }).position) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // `Details` says how it was then, so that the events lead to the same index whenever they come.
    const { Parent: parent, Name: name } = details;
    if (action === 'entry.trashed' || action === 'entry.removed') mark.run(subject);
    else if (typeof parent === 'string' && typeof name === 'string') put.run(subject, parent, name);
    writePosition.run(position);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

async function find(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = new URL(request.url ?? '/', 'http://localhost').searchParams.get('name') ?? '';
  const found = byName.all(name) as unknown as Row[];
  const paths = found.map(toPath).filter((path) => path !== null);
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ Paths: paths.sort() }));
}

/** Null: it is gone, or lies beneath something that is. The root of the space has no event: it is not known. */
function toPath({ parent, name, is_gone: isGone }: Row): string | null {
  if (isGone === 1) return null;
  const above = byId.get(parent) as unknown as Row | undefined;
  if (above === undefined) return `/${name}`;
  const path = toPath(above);
  return path === null ? null : `${path}/${name}`;
}
