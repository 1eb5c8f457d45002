// The scenario `large`: saves and downloads of 64 MiB and of 1 GiB, one and eight at a time, beside nginx, which neither hashes,
// syncs nor verifies. The two take turns. Digests of saves are compared, and every downloaded byte.

import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePorts } from '../test/free-ports.ts';
import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours } from './cost.ts';
import { nginx } from './peers/web-servers.ts';
import { readCpuMicros, readDiskBytes, readPeakRssBytes, readRssBytes, resetPeakRss } from './process-cost.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { createFolder, type Service, startService } from './service.ts';
import { difference, divide, layOut, median, medianKnown, show } from './table.ts';
import { block, type Transfer, type Transferred } from './transfer.ts';

const mebibyte = 1024 * 1024;
const most = { save: 2, download: 2, memoryMiB: 64 };

type Server = {
  name: 'Cabinet' | 'nginx';
  pid: number;
  /** When it has served before, but nothing large. */
  idleBytes: number | null;
  save: Omit<Transfer, 'paths' | 'sizeBytes'>;
};
type Shape = { sizeBytes: number; atATime: number };
type Sample = { ms: number; cpuMicros: number | null; memoryBytes: number | null; writtenBytes: number | null };
type Cell = Shape & { server: string; kind: 'save' | 'download'; samples: Sample[] };

export const large: Scenario = {
  what: 'saves and downloads of large files, beside nginx',
  // MiB of the larger file.
  size: 1024,
  async run(children, options) {
    const service = await startService(children, options);
    const folder = await createFolder(service, 'large');
    await warmUp(service, folder);
    const run = new Run(children, service, folder);
    await run.startNginx();
    const sizes = [Math.max(1, (options.size ?? 0) / 16), options.size ?? 0].map((each) => Math.ceil(each * mebibyte));
    // One at a time first: memory that was needed for eight is not given back at once.
    const shapes = [1, 8].flatMap((atATime) => sizes.map((sizeBytes) => ({ sizeBytes, atATime })));
    const neighbours = new Neighbours();
    for (const shape of shapes) for (let round = 1; round <= options.rounds; round++) await run.measure(shape, round);
    const facts = [`medians of ${options.rounds} rounds`, `others ${show(neighbours.percent(), 0)} %`];
    const bars = toBars(run.cells, sizes.at(-1) ?? 0);
    return {
      markdown: `${describeConditions(options, facts)}\n\n${toTable(run.cells)}\n\n${layOut(['Bar', 'measured', 'bar', ''], bars)}\n`,
      isHeld: bars.every((bar) => bar.at(-1) === 'holds'),
      figures: { cells: run.cells },
    };
  },
};

/** What every process needs once is there afterwards. */
async function warmUp(service: Service, folder: string): Promise<void> {
  const client = new Client(service);
  for (let index = 0; index < 20; index++) {
    const headers = { FolderId: folder, FileName: `warm-${index}`, Prefer: 'return=minimal' };
    await client.ask('/files', { method: 'POST', headers, body: randomBytes(100_000) });
  }
  client.close();
}

class Run {
  readonly cells: Cell[] = [];
  readonly #children: Children;
  readonly #client: Client;
  readonly #servers: Server[];
  readonly #digests = new Map<number, string>();

  constructor(children: Children, service: Service, folder: string) {
    this.#children = children;
    this.#client = new Client(service);
    const headers = { ...service.headers, FolderId: folder, Prefer: 'return=minimal' };
    const save = { port: Number(new URL(service.base).port), method: 'POST', headers, status: 200 } as const;
    this.#servers = [{ name: 'Cabinet', pid: service.pid, idleBytes: readRssBytes(service.pid), save }];
  }

  async startNginx(): Promise<void> {
    const folder = join(this.#children.folder, 'nginx');
    mkdirSync(folder);
    const [port = 0] = await findFreePorts(1);
    const target = await nginx.start({ children: this.#children, folder, port });
    if (target === null) return;
    const save = { port, method: 'PUT', headers: {}, status: 201 } as const;
    const pid = target.serverPids[0] ?? 0;
    this.#servers.push({ name: 'nginx', pid, idleBytes: readRssBytes(pid), save });
  }

  async measure(shape: Shape, round: number): Promise<void> {
    const stem = `r${round}-${shape.sizeBytes}-${shape.atATime}`;
    const names = Array.from({ length: shape.atATime }, (_, index) => `${stem}-${index}.bin`);
    for (const server of this.#servers) {
      const saved = await this.#save(server, shape, names);
      this.#add(server, 'save', { ...shape, sample: saved });
      const paths = server.name === 'nginx' ? names.map((name) => `/${name}`) : await this.#check(shape, names);
      this.#add(server, 'download', { ...shape, sample: await this.#download(server, shape, paths) });
      await this.#remove(server, paths);
    }
    say(`round ${round}, ${shape.sizeBytes / mebibyte} MiB, ${shape.atATime} at a time`);
  }

  /** Cabinet has the name in a header, so that each is sent by a process of its own. */
  async #save(server: Server, { sizeBytes }: Shape, names: string[]): Promise<Sample> {
    const { save } = server;
    if (server.name === 'nginx')
      return this.#move(server, [{ ...save, sizeBytes, paths: names.map((name) => `/${name}`) }]);
    const path = '/v1/contentmanagement/files';
    const each = names.map((name) => ({
      ...save,
      headers: { ...save.headers, FileName: name },
      sizeBytes,
      paths: [path],
    }));
    return this.#move(server, each);
  }

  #download(server: Server, { sizeBytes }: Shape, paths: string[]): Promise<Sample> {
    const { port, headers } = server.save;
    return this.#move(server, [{ port, method: 'GET', headers, sizeBytes, status: 200, paths }]);
  }

  async #move({ pid, idleBytes }: Server, transfers: Transfer[]): Promise<Sample> {
    await sleep(500);
    resetPeakRss(pid);
    // Of threads that have ended too.
    const cpuBefore = readCpuMicros(pid);
    const diskBefore = readDiskBytes(pid);
    const args = [join(import.meta.dirname, 'transfer.ts')];
    const moved = (await Promise.all(
      transfers.map((transfer) =>
        this.#children.run({ program: process.execPath, args, input: JSON.stringify(transfer) }),
      ),
    )) as Transferred[];
    for (const { failure } of moved) if (failure !== null) throw new Error(`wrong answer: ${failure}`);
    return {
      ms: Math.max(...moved.map(({ ms }) => ms)),
      cpuMicros: difference(readCpuMicros(pid), cpuBefore),
      memoryBytes: difference(readPeakRssBytes(pid), idleBytes),
      writtenBytes: difference(readDiskBytes(pid), diskBefore),
    };
  }

  /** Returns where the bytes are. */
  async #check({ sizeBytes }: Shape, names: string[]): Promise<string[]> {
    const wanted = this.#digestOf(sizeBytes);
    return await Promise.all(
      names.map(async (name) => {
        const found = await this.#client.json<{ Entry: { Id: string }; Sha256: string }>(`/files?path=/large/${name}`);
        if (found.Sha256 !== wanted) throw new Error(`${name} has the digest ${found.Sha256}, wanted ${wanted}`);
        return `/v1/contentmanagement/files/${found.Entry.Id}/content`;
      }),
    );
  }

  #digestOf(sizeBytes: number): string {
    const known = this.#digests.get(sizeBytes);
    if (known !== undefined) return known;
    const digest = createHash('sha256');
    for (let left = sizeBytes; left > 0; left -= block.length)
      digest.update(block.subarray(0, Math.min(left, block.length)));
    const made = digest.digest('hex');
    this.#digests.set(sizeBytes, made);
    return made;
  }

  async #remove({ name, save }: Server, paths: string[]): Promise<void> {
    for (const path of paths) {
      if (name === 'nginx') await fetch(`http://127.0.0.1:${save.port}${path}`, { method: 'DELETE' });
      else {
        const [, id] = /files\/([^/]+)\/content/.exec(path) ?? [];
        await this.#client.ask(`/entries/${id}?permanent=true`, { method: 'DELETE' });
      }
    }
  }

  #add({ name }: Server, kind: Cell['kind'], { sample, ...shape }: Shape & { sample: Sample }): void {
    const isSame = (cell: Cell) =>
      cell.server === name &&
      cell.kind === kind &&
      cell.sizeBytes === shape.sizeBytes &&
      cell.atATime === shape.atATime;
    const cell = this.cells.find(isSame);
    if (cell === undefined) this.cells.push({ ...shape, server: name, kind, samples: [sample] });
    else cell.samples.push(sample);
  }
}

function toTable(cells: Cell[]): string {
  const rows = cells.map(({ server, kind, sizeBytes, atATime, samples }) => {
    const times = samples.map(({ ms }) => ms / 1000);
    const seconds = median(times);
    const gibibytes = (sizeBytes * atATime) / 1024 ** 3;
    const cpu = medianKnown(samples.map(({ cpuMicros }) => cpuMicros));
    const memory = medianKnown(samples.map(({ memoryBytes }) => memoryBytes));
    const written = medianKnown(samples.map(({ writtenBytes }) => writtenBytes));
    return [
      `${server}, ${kind}`,
      String(sizeBytes / mebibyte),
      String(atATime),
      seconds.toFixed(2),
      `${Math.min(...times).toFixed(2)}–${Math.max(...times).toFixed(2)}`,
      ((gibibytes * 1024) / seconds).toFixed(0),
      show(divide(cpu, gibibytes * 1e6), 2),
      show(divide(memory, mebibyte), 0),
      show(divide(written, sizeBytes * atATime), 2),
    ];
  });
  return layOut(
    ['', 'MiB', 'at a time', 's', 'lowest–highest', 'MiB/s', 'CPU s/GiB', 'MiB above idle', 'written'],
    rows,
  );
}

function toBars(cells: Cell[], sizeBytes: number): string[][] {
  const find = (server: string, kind: Cell['kind']) =>
    cells.find(
      (cell) => cell.server === server && cell.kind === kind && cell.sizeBytes === sizeBytes && cell.atATime === 1,
    );
  const time = (cell: Cell | undefined) => (cell === undefined ? null : median(cell.samples.map(({ ms }) => ms)));
  const memory = find('Cabinet', 'save')?.samples.map(({ memoryBytes }) => memoryBytes) ?? [];
  const bars: [string, number | null, number][] = [
    ['save, Cabinet / nginx', divide(time(find('Cabinet', 'save')), time(find('nginx', 'save'))), most.save],
    [
      'download, Cabinet / nginx',
      divide(time(find('Cabinet', 'download')), time(find('nginx', 'download'))),
      most.download,
    ],
    ['MiB above idle, save', divide(medianKnown(memory), mebibyte), most.memoryMiB],
  ];
  return bars.map(([what, ratio, bar]) => {
    const state = ratio === null ? 'n/a' : ratio <= bar ? 'holds' : 'missed';
    return [what, show(ratio, 2), `≤ ${bar}`, state];
  });
}
