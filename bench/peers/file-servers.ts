// The peers that give back what was saved: bare Node, nginx, MinIO.

import { join } from 'node:path';
import { toPort } from './node-servers.ts';
import { minio } from './object-stores.ts';
import { type Peer, status } from './peer.ts';
import { nginx } from './web-servers.ts';

export { stopObjectStores } from './object-stores.ts';

const bare: Peer = {
  name: 'bare Node',
  promises: { synced: 'the file', authenticated: 'no', versions: 'no' },
  version: () => `Node ${process.versions.node}`,
  async start({ children, folder }) {
    const args = [join(import.meta.dirname, '../bare-files.ts'), folder];
    const { pid, ready } = await children.serve({ program: process.execPath, args });
    const expect = status(201);
    return { port: toPort(ready), method: 'PUT', path: '/{name}', headers: {}, expect, serverPids: [pid] };
  },
};

export const fileServers: Readonly<Record<string, Peer>> = { bare, nginx, minio };
