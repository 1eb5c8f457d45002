// Starts an OpenStack Swift of its own for tests, with its S3 interface: one node from Debian's packages, which are
// installed if they are missing and we may. Its data is in a temporary folder, it listens on loopback.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { findFreePorts } from '../free-ports.ts';
import { hasProgram } from '../service/programs.ts';

export interface Swift {
  endpoint: string;
  port: number;
  region: string;
  accessKey: string;
  secretKey: string;
  /** An empty one. */
  bucket: string;
  newBucket(): Promise<string>;
  /** Of its processes that run now. */
  pids(): number[];
  /** Ends its processes at once, as a power cut would; `start` goes on with the same data. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const storage = ['account', 'container', 'object'] as const;
const region = 'us-east-1';
const accessKey = 'test:tester';
const secretKey = 'testing';
const startPatienceMs = 60_000;

/** Null, and a line that nobody can overlook, where it cannot be had. */
export async function startSwift(): Promise<Swift | null> {
  if (!hasProgram('swift')) return null;
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-swift-'));
  const [port, cachePort, ...storagePorts] = (await findFreePorts(2 + storage.length)) as [number, number, ...number[]];
  writeConfiguration(folder, { port, cachePort, storagePorts });
  const endpoint = `http://127.0.0.1:${port}`;
  let running: ChildProcess[] = [];
  let buckets = 0;
  const start = async () => {
    running = startServers(folder, cachePort);
    await waitUntilReady(endpoint, folder);
  };
  const end = async (signal: NodeJS.Signals) => {
    await Promise.all(running.map((server) => endServer(server, signal)));
    running = [];
  };
  const newBucket = async () => {
    buckets += 1;
    return await makeBucket(endpoint, `cabinet-${buckets}`);
  };
  await start().catch(async (error) => {
    await end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  return {
    endpoint,
    port,
    region,
    accessKey,
    secretKey,
    bucket: await newBucket(),
    newBucket,
    pids: () => running.flatMap(({ pid }) => pid ?? []),
    start,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Ports {
  port: number;
  /** Of memcached. Without one, each request to the proxy asks the account and the container once more: twice the processor time. */
  cachePort: number;
  storagePorts: readonly number[];
}

function writeConfiguration(folder: string, { port: proxyPort, cachePort, storagePorts }: Ports): void {
  mkdirSync(join(folder, 'devices', 'one'), { recursive: true });
  const write = (name: string, sections: Record<string, Record<string, string>>) => {
    const lines = Object.entries(sections).flatMap(([section, settings]) => [
      `[${section}]`,
      ...Object.entries(settings).map(([key, value]) => `${key} = ${value}`),
    ]);
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  };
  const common = (port: number) => ({
    bind_ip: '127.0.0.1',
    bind_port: String(port),
    // None beside the server itself, so that it is one process to start and one to end.
    workers: '0',
    user: process.env.USER ?? 'root',
    swift_dir: folder,
    log_level: 'WARNING',
    // Where one server does not wait for another, nobody makes up for what a listing lacks.
    conn_timeout: '60',
    node_timeout: '60',
    container_update_timeout: '60',
  });
  write('swift.conf', { 'swift-hash': { swift_hash_path_prefix: 'tests', swift_hash_path_suffix: 'tests' } });
  for (const [index, name] of storage.entries()) {
    const port = storagePorts[index] as number;
    write(`${name}.conf`, {
      DEFAULT: { ...common(port), devices: join(folder, 'devices'), mount_check: 'false' },
      'pipeline:main': { pipeline: `${name}-server` },
      [`app:${name}-server`]: { use: `egg:swift#${name}` },
    });
    makeRing(folder, name, port);
  }
  const cache = { use: 'egg:swift#memcache', memcache_servers: `127.0.0.1:${cachePort}` };
  write('proxy.conf', { DEFAULT: common(proxyPort), ...proxySections, 'filter:cache': cache });
}

const proxySections = {
  'pipeline:main': { pipeline: 'catch_errors cache s3api tempauth bulk slo dlo proxy-server' },
  'app:proxy-server': {
    use: 'egg:swift#proxy',
    allow_account_management: 'true',
    account_autocreate: 'true',
    // It would leave a server alone for a minute that was away for a moment; and we have no other.
    error_suppression_limit: '1000000',
  },
  'filter:catch_errors': { use: 'egg:swift#catch_errors' },
  'filter:s3api': { use: 'egg:swift#s3api', location: region, s3_acl: 'false' },
  'filter:tempauth': { use: 'egg:swift#tempauth', user_test_tester: `${secretKey} .admin` },
  'filter:bulk': { use: 'egg:swift#bulk' },
  'filter:slo': { use: 'egg:swift#slo' },
  'filter:dlo': { use: 'egg:swift#dlo' },
};

/** Where the one copy of everything lies: on the one device of the one node. As `swift-ring-builder` would write it, but
 *  without the seconds that it takes. */
function makeRing(folder: string, name: string, port: number): void {
  const ip = '127.0.0.1';
  const device = { id: 0, region: 1, zone: 1, device: 'one', weight: 1, meta: '', ip, port };
  const devs = [{ ...device, replication_ip: ip, replication_port: port }];
  const parts = Buffer.alloc(16 * 2);
  const text = JSON.stringify({ byteorder: 'little', devs, part_shift: 28, replica_count: 1, version: 1 });
  const head = Buffer.from('R1NG\0\x01\0\0\0\0', 'latin1');
  head.writeUInt32BE(text.length, 6);
  writeFileSync(join(folder, `${name}.ring.gz`), gzipSync(Buffer.concat([head, Buffer.from(text), parts])));
}

function startServers(folder: string, cachePort: number): ChildProcess[] {
  const commands: [string, ...string[]][] = [
    ['memcached', '-u', 'root', '-l', '127.0.0.1', '-p', String(cachePort)],
    ...[...storage, 'proxy'].map((name): [string, ...string[]] => [
      `swift-${name}-server`,
      join(folder, `${name}.conf`),
      '--verbose',
    ]),
  ];
  return commands.map((command) => {
    const log = openSync(join(folder, `${command[0]}.log`), 'a');
    // Whatever ends the tests must not leave it running.
    return spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
      stdio: ['ignore', log, log],
      env: { ...process.env, PYTHONWARNINGS: 'ignore' },
    });
  });
}

async function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  const timer = setTimeout(() => server.kill('SIGKILL'), 3000);
  await ended;
  clearTimeout(timer);
}

/** Stores an object in a bucket, which takes all of the servers. */
async function waitUntilReady(endpoint: string, folder: string): Promise<void> {
  const client = openClient(endpoint, 1);
  for (const until = Date.now() + startPatienceMs; ; await pause(100)) {
    try {
      const Bucket = await makeBucket(endpoint, 'ready', client);
      await client.send(new PutObjectCommand({ Bucket, Key: 'ready', Body: 'ready' }));
      break;
    } catch (error) {
      if (Date.now() < until) continue;
      const logs = ['proxy', ...storage].map((name) =>
        readFileSync(join(folder, `swift-${name}-server.log`), 'utf8').slice(-1000),
      );
      throw new Error(`Swift does not answer: ${error}\n${logs.join('\n')}`);
    }
  }
  client.destroy();
}

function openClient(endpoint: string, maxAttempts: number): S3Client {
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts });
}

async function makeBucket(endpoint: string, bucket: string, client = openClient(endpoint, 3)): Promise<string> {
  await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: Error) => {
    if (error.name !== 'BucketAlreadyOwnedByYou') throw error;
  });
  return bucket;
}
