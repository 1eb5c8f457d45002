// The scenario `reads`: contents of four sizes, ranges, 304s, records and pages, beside bare Node, nginx and MinIO. Every file is
// read and compared once before it is measured; under load, statuses and lengths are checked. `--size`: MiB of files of each size,
// which are read in turns.

import { type Started, startAll } from './beside.ts';
import { Client } from './client.ts';
import { Comparison } from './comparison.ts';
import { describeConditions } from './conditions.ts';
import type { Job } from './job.ts';
import { type Options, warmupOf } from './options.ts';
import { fileServers, stopObjectStores } from './peers/file-servers.ts';
import { type Scenario, say } from './scenario.ts';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const mostFiles = 1000;
const atOnceWhileFilling = 8;
const rangeBytes = 64 * kibibyte;

type Line = {
  name: string;
  connections: number;
  /** Of the files that are read. */
  sizeBytes: number;
  expect: Job['expect'];
  headers?: Record<string, string>;
  /** Instead of the content: what only Cabinet has. */
  toOwnPath?: (id: string, folder: string) => string;
};

function content(name: string, sizeBytes: number, connections = 32): Line {
  return { name, connections, sizeBytes, expect: { kind: 'content', status: 200, sizeBytes } };
}

const ok = { kind: 'status', status: 200 } as const;
const smallBytes = 4 * kibibyte;
const largeBytes = 16 * mebibyte;

const lines: Line[] = [
  content('4 KiB', smallBytes),
  content('4 KiB', smallBytes, 1),
  content('4 KiB', smallBytes, 256),
  content('64 KiB', 64 * kibibyte),
  content('1 MiB', mebibyte),
  content('16 MiB', largeBytes, 8),
  {
    name: '64 KiB of 16 MiB',
    connections: 32,
    sizeBytes: largeBytes,
    headers: { Range: `bytes=${5 * mebibyte}-${5 * mebibyte + rangeBytes - 1}` },
    expect: { kind: 'content', status: 206, sizeBytes: rangeBytes },
  },
  {
    name: '304 for 1 MiB',
    connections: 32,
    sizeBytes: mebibyte,
    headers: { 'If-None-Match': '*' },
    expect: { kind: 'status', status: 304 },
    toOwnPath: (id) => `/files/${id}/content`,
  },
  { name: 'record', connections: 32, sizeBytes: smallBytes, expect: ok, toOwnPath: (id) => `/entries/${id}` },
  {
    name: 'page of 10',
    connections: 32,
    sizeBytes: smallBytes,
    expect: ok,
    toOwnPath: (_, folder) => `/folders/${folder}?limit=10`,
  },
  {
    name: 'page of 100',
    connections: 32,
    sizeBytes: smallBytes,
    expect: ok,
    toOwnPath: (_, folder) => `/folders/${folder}?limit=100`,
  },
];

const bars = {
  perSecond: { minio: { '4 KiB': 2, '64 KiB': 1.5, '1 MiB': 1 } },
  cpu: { bare: { '4 KiB': 2.5, '64 KiB': 2, '1 MiB': 1.4 } },
};

export const reads: Scenario = {
  what: 'contents, ranges, 304s, records and pages beside bare Node, nginx and MinIO',
  size: 64,
  async run(children, options) {
    try {
      const servers = await startAll(children, options, fileServers);
      const chosen = lines.filter(({ name }) => options.lines?.some((word) => name.includes(word)) ?? true);
      const shelves = new Map<Started, Shelf>();
      for (const server of servers) shelves.set(server, await fill(server, chosen, options));
      const comparison = new Comparison(children, servers);
      for (let round = 1; round <= options.rounds; round++)
        for (const line of chosen)
          await comparison.measure(toKey(line), (server) =>
            toJob(line, server, shelves.get(server), { options, round }),
          );
      const facts = [`${options.size} MiB of files of each size`, ...comparison.facts(options)];
      return comparison.toOutcome(describeConditions(options, facts), bars);
    } finally {
      await stopObjectStores();
    }
  },
};

function toKey({ name, connections }: Line): string {
  return connections === 32 ? name : `${name}, ${connections} connections`;
}

/** What can be read of one server: the paths of the files of each size. */
type Shelf = { paths: Map<number, string[]>; ids: Map<number, string[]>; folder: string };

async function fill(server: Started, chosen: readonly Line[], { size }: Options): Promise<Shelf> {
  const { target } = server;
  const shelf: Shelf = { paths: new Map(), ids: new Map(), folder: String(target.headers.FolderId ?? '') };
  const client = new Client({ base: `http://127.0.0.1:${target.port}`, headers: target.headers });
  for (const sizeBytes of new Set(chosen.map((line) => line.sizeBytes))) {
    const count = Math.max(1, Math.min(mostFiles, Math.floor(((size ?? 1) * mebibyte) / sizeBytes)));
    say(`${server.name}: ${count} files of ${sizeBytes} bytes`);
    const numbers = Array.from({ length: count }, (_, index) => index);
    const paths: string[] = [];
    const ids: string[] = [];
    const waiting = numbers.values();
    const work = async () => {
      for (const number of waiting) {
        const body = toBody(sizeBytes, number);
        const saved = await save(client, server, { body, name: `${sizeBytes}-${number}.bin` });
        paths[number] = saved.path;
        ids[number] = saved.id;
        const read = await client.ask(`http://127.0.0.1:${target.port}${saved.path}`);
        if (!read.body.equals(body)) throw new Error(`${server.name} answered other bytes for ${saved.path}`);
      }
    };
    await Promise.all(Array.from({ length: atOnceWhileFilling }, work));
    shelf.paths.set(sizeBytes, paths);
    shelf.ids.set(sizeBytes, ids);
  }
  client.close();
  return shelf;
}

/** No two files have the same bytes: none is stored once for all. */
function toBody(sizeBytes: number, number: number): Buffer {
  const body = Buffer.alloc(sizeBytes, 'bytes of a file that is read again and again. ');
  body.writeUInt32LE(number);
  return body;
}

async function save(
  client: Client,
  { target }: Started,
  { body, name }: { body: Buffer; name: string },
): Promise<{ path: string; id: string }> {
  const { port, expect, method = 'POST' } = target;
  const path = target.path.replace('{name}', name);
  const status = expect.kind === 'saved' ? 200 : expect.status;
  const headers = { 'Content-Type': 'application/octet-stream', ...(path === target.path ? { FileName: name } : {}) };
  const saved = await client.ask(`http://127.0.0.1:${port}${path}`, { method, headers, body, status });
  if (expect.kind !== 'saved') return { path, id: '' };
  const { Children } = JSON.parse(saved.body.toString()) as { Children: { Id: string }[] };
  const id = Children[0]?.Id ?? '';
  return { path: `/v1/contentmanagement/files/${id}/content`, id };
}

/** Null: the server has nothing of the kind. */
function toJob(
  { sizeBytes, connections, expect, headers, toOwnPath }: Line,
  { target }: Started,
  shelf: Shelf | undefined,
  { options, round }: { options: Options; round: number },
): Job | null {
  if (shelf === undefined || (toOwnPath !== undefined && target.expect.kind !== 'saved')) return null;
  const { Authorization, AppKey } = target.headers;
  const credentials = Authorization === undefined || AppKey === undefined ? {} : { Authorization, AppKey };
  const ids = shelf.ids.get(sizeBytes) ?? [];
  const own = toOwnPath && ids.map((id) => `/v1/contentmanagement${toOwnPath(id, shelf.folder)}`);
  return {
    port: target.port,
    method: 'GET',
    path: '',
    paths: own ?? shelf.paths.get(sizeBytes) ?? [],
    headers: { ...credentials, ...headers },
    label: `r${round}`,
    areNamesOrdered: true,
    connections,
    expect,
    limit: { seconds: options.seconds, warmupSeconds: warmupOf(round, options) },
    serverPids: target.serverPids,
  };
}
