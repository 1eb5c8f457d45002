// The peers on Node: the empty server, which is the baseline, and the server of tus with its file store.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Peer, status } from './peer.ts';

const tusManifest = join(import.meta.dirname, '../../node_modules/@tus/server/package.json');
const tusVersion = (JSON.parse(readFileSync(tusManifest, 'utf8')) as { version: string }).version;
const standIn = { Authorization: `Bearer ${'x'.repeat(600)}`, AppKey: `ak_${'x'.repeat(32)}` };

export const empty: Peer = {
  name: 'empty `node:http` server',
  promises: { synced: 'stores nothing', authenticated: 'no', versions: 'no' },
  version: () => `Node ${process.versions.node}`,
  async start({ children }) {
    const args = [join(import.meta.dirname, '../empty-server.ts')];
    const { pid, ready } = await children.serve({ program: process.execPath, args });
    const headers = { ...standIn, FolderId: 'x'.repeat(36), Prefer: 'return=minimal' };
    const path = '/v1/contentmanagement/files';
    return { port: toPort(ready), path, headers, expect: status(200), serverPids: [pid] };
  },
};

export const tus: Peer = {
  name: '@tus/server, file store',
  promises: { synced: 'no', authenticated: 'no', versions: 'no' },
  version: () => `@tus/server ${tusVersion}`,
  async start({ children, folder }) {
    const args = [join(import.meta.dirname, 'tus-server.ts'), folder];
    const { pid, ready } = await children.serve({ program: process.execPath, args });
    // A whole upload in the request that creates it, the cheapest way that tus has.
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '4096',
      'Content-Type': 'application/offset+octet-stream',
    };
    return { port: toPort(ready), path: '/files', headers, expect: status(201), serverPids: [pid] };
  },
};

export function toPort(ready: unknown): number {
  return Number(new URL((ready as { Production: string }).Production).port);
}
