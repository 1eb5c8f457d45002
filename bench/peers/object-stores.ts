// OpenStack Swift from Debian's packages; MinIO and SeaweedFS where their programs are on the PATH.

import { spawnSync } from 'node:child_process';
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { startSwift } from '../../test/cluster/swift.ts';
import { hasProgram } from '../../test/service/programs.ts';
import { type Peer, readPackageVersion, status, type Target } from './peer.ts';

/** Ends what this file has started beside the run's own children. */
const stops: (() => Promise<void>)[] = [];

export async function stopObjectStores(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}

export const swift: Peer = {
  name: 'OpenStack Swift, one node',
  promises: { synced: 'yes', authenticated: 'by token', versions: 'no' },
  version: () => `Swift ${readPackageVersion('swift-proxy')}`,
  async start() {
    const started = await startSwift();
    if (started === null) return null;
    stops.push(() => started.stop());
    const { headers } = await fetch(`${started.endpoint}/auth/v1.0`, {
      headers: { 'X-Auth-User': started.accessKey, 'X-Auth-Key': started.secretKey },
    });
    const token = headers.get('x-auth-token') ?? '';
    const container = new URL(`${headers.get('x-storage-url')}/bench`);
    const made = await fetch(`${started.endpoint}${container.pathname}`, {
      method: 'PUT',
      headers: { 'X-Auth-Token': token },
    });
    if (!made.ok) throw new Error(`Swift made no container: ${made.status}`);
    return toTarget(started.port, `${container.pathname}/{name}`, {
      headers: { 'X-Auth-Token': token },
      expect: status(201),
      serverPids: started.pids(),
    });
  },
};

export const minio: Peer = {
  name: 'MinIO',
  promises: { synced: 'yes', authenticated: 'no, a public bucket', versions: 'no' },
  version: () => readVersion('minio', '--version'),
  async start({ children, folder, port }) {
    if (!hasProgram('minio')) return null;
    const account = { MINIO_ROOT_USER: 'bench', MINIO_ROOT_PASSWORD: 'bench-bench-bench' };
    const args = ['server', folder, '--address', `127.0.0.1:${port}`, '--quiet'];
    const pid = await children.listen({ program: 'minio', args, env: { ...process.env, ...account } }, port);
    await makePublicBucket(`http://127.0.0.1:${port}`, account.MINIO_ROOT_USER, account.MINIO_ROOT_PASSWORD);
    return toTarget(port, '/bench/{name}', { headers: {}, expect: status(200), serverPids: [pid] });
  },
};

export const seaweedFs: Peer = {
  name: 'SeaweedFS filer',
  promises: { synced: 'no', authenticated: 'no', versions: 'no' },
  version: () => readVersion('weed', 'version'),
  async start({ children, folder, port }) {
    if (!hasProgram('weed')) return null;
    const args = ['server', `-dir=${folder}`, '-ip=127.0.0.1', '-filer', `-filer.port=${port}`];
    const pid = await children.listen({ program: 'weed', args }, port);
    return toTarget(port, '/bench/{name}', { method: 'PUT', headers: {}, expect: status(201), serverPids: [pid] });
  },
};

function toTarget(port: number, path: string, rest: Omit<Target, 'port' | 'path'>): Target {
  return { port, path, method: 'PUT', ...rest };
}

function readVersion(program: string, flag: string): string {
  return spawnSync(program, [flag]).stdout?.toString().split('\n', 1)[0] || `${program} of unknown version`;
}

async function makePublicBucket(endpoint: string, accessKeyId: string, secretAccessKey: string): Promise<void> {
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: 'bench' }));
  const statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: ['s3:PutObject', 's3:GetObject'],
    Resource: ['arn:aws:s3:::bench/*'],
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await client.send(new PutBucketPolicyCommand({ Bucket: 'bench', Policy }));
  client.destroy();
}
