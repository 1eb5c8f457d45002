// The order of a run: start servers, fill folders, then rounds that alternate between the lines, so that a slow minute of the
// machine affects all of them; at the end the sizes of the folders must account for every answered save.

import type { Children } from './children.ts';
import {
  type Expectation,
  type Job,
  type JobResult,
  type Measurement,
  bodySizeBytes as usualBodyBytes,
} from './job.ts';
import { type Options, type Variant, warmupOf } from './options.ts';
import { runLoad } from './run-load.ts';
import { say } from './scenario.ts';
import { createFolder, readFolderSize, type Service, startService } from './service.ts';

/** One line of the report. `files`: how many the folder holds before; null: it is empty, or there is none. */
export type Line = { variant: Variant; connections: number; bodyBytes: number; files: number | null };
export type Sample = Measurement & Line & { round: number };

type Target = Pick<Job, 'port' | 'path' | 'headers' | 'expect' | 'serverPids'>;

const savePath = '/v1/contentmanagement/files';
const prefillConnections = 64;
// A save's reply lists this many entries, the saved file first.
const pageSize = 100;
/** Of the variant `version`: each is saved again and again. */
const distinctNames = 1000;

export async function measureAll(children: Children, options: Options): Promise<Sample[]> {
  const bench = new Bench(children, options);
  await bench.prepare();
  const samples: Sample[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const line of toLines(options)) samples.push(await bench.measure(line, round));
  }
  await bench.checkFolderSizes();
  return samples;
}

/** Folders of other sizes, and new versions, are measured with the usual size only. */
export function toLines({ only, connections, bodyBytes, prefills }: Options): Line[] {
  return connections.flatMap((each) =>
    only.flatMap((variant): Line[] => {
      const line = { variant, connections: each };
      if (variant === 'default') return prefills.map((files) => ({ ...line, bodyBytes: usualBodyBytes, files }));
      if (variant === 'version') return [{ ...line, bodyBytes: usualBodyBytes, files: null }];
      return bodyBytes.map((bytes) => ({ ...line, bodyBytes: bytes, files: null }));
    }),
  );
}

class Bench {
  #children: Children;
  #options: Options;
  #service: Service | null = null;
  #targets = new Map<string, Target>();
  /** Bytes that the folder must hold in the end. */
  #savedBytes = new Map<string, number>();
  #jobs = 0;

  constructor(children: Children, options: Options) {
    this.#children = children;
    this.#options = options;
  }

  async prepare(): Promise<void> {
    const { only } = this.#options;
    if (only.some((variant) => variant !== 'empty')) this.#service = await startService(this.#children, this.#options);
    for (const line of toLines(this.#options)) {
      if (this.#targets.has(toKey(line))) continue;
      this.#targets.set(toKey(line), await this.#openTarget(line));
      if (line.files !== null) await this.#fill(line, line.files);
    }
  }

  async #fill(line: Line, requests: number): Promise<void> {
    say(`filling a folder with ${requests} files`);
    const target = this.#requireTarget(line);
    const headers = { ...target.headers, Prefer: 'return=minimal' };
    const connections = Math.min(prefillConnections, requests);
    const job = { ...target, headers, expect: toExpectation(1), label: 'prefill', limit: { requests } };
    await this.#run({ ...line, connections }, job);
  }

  async measure(line: Line, round: number): Promise<Sample> {
    const { seconds } = this.#options;
    const warmupSeconds = warmupOf(round, this.#options);
    const label = String(this.#jobs++).padStart(4, '0');
    const job = { ...this.#requireTarget(line), label, limit: { seconds, warmupSeconds } };
    const { measured } = await this.#run(line, job);
    if (measured === null) throw new Error(`${line.variant}: no answer within the measured time`);
    const perSecond = Math.round(measured.requests / measured.seconds);
    say(
      `round ${round}, ${line.connections} connections, ${toKey(line)}, ${line.bodyBytes} B: ${perSecond} requests/s`,
    );
    return { ...measured, ...line, round };
  }

  async checkFolderSizes(): Promise<void> {
    for (const [key, target] of this.#targets) {
      const folderId = target.headers.FolderId;
      if (this.#service === null || key === 'empty' || folderId === undefined) continue;
      const sizeBytes = await readFolderSize(this.#service, folderId);
      const wantedBytes = (this.#savedBytes.get(key) ?? 0) + usualBodyBytes;
      if (sizeBytes !== wantedBytes)
        throw new Error(`${key}: the folder's size is ${sizeBytes}, the saves that were answered make ${wantedBytes}`);
    }
  }

  #requireTarget(line: Line): Target {
    const target = this.#targets.get(toKey(line));
    if (target === undefined) throw new Error(`${toKey(line)} is not prepared`);
    return target;
  }

  async #openTarget(line: Line): Promise<Target> {
    if (line.variant === 'empty') return this.#openEmpty();
    const service = this.#service;
    if (service === null) throw new Error('the service is not started');
    const headers = { ...service.headers, FolderId: await createFolder(service, toKey(line).replace('/', '-')) };
    const common = { port: toPort(service.base), path: savePath, serverPids: [service.pid] };
    if (line.files === null)
      return { ...common, headers: { ...headers, Prefer: 'return=minimal' }, expect: toExpectation(1) };
    // Within the first answers of a small folder the page is still growing.
    return { ...common, headers, expect: toExpectation(line.files + 1 < pageSize ? null : pageSize) };
  }

  /** The same headers as a minimal save, so that both servers parse the same request. */
  async #openEmpty(): Promise<Target> {
    const args = [`${import.meta.dirname}/empty-server.ts`];
    const { pid, ready } = await this.#children.serve({ program: process.execPath, args });
    const standIn = { Authorization: `Bearer ${'x'.repeat(600)}`, AppKey: `ak_${'x'.repeat(32)}` };
    const headers = { ...(this.#service?.headers ?? standIn), FolderId: 'x'.repeat(36), Prefer: 'return=minimal' };
    const port = toPort((ready as { Production: string }).Production);
    return { port, path: savePath, headers, expect: { kind: 'status', status: 200 }, serverPids: [pid] };
  }

  async #run(line: Line, partial: Omit<Job, 'areNamesOrdered' | 'connections'>): Promise<JobResult> {
    const { connections, bodyBytes, variant } = line;
    const names = variant === 'version' ? { distinctNames } : {};
    const job: Job = { ...partial, connections, bodyBytes, areNamesOrdered: this.#options.areNamesOrdered, ...names };
    const result = await runLoad(this.#children, job).catch((error: Error) => {
      throw new Error(`${toKey(line)}, ${connections} connections: ${error.message}`);
    });
    const { answered } = result;
    const files = variant === 'version' ? Math.min(answered, distinctNames) : answered;
    this.#savedBytes.set(toKey(line), (this.#savedBytes.get(toKey(line)) ?? 0) + files * bodyBytes);
    return result;
  }
}

/** What shares a folder, or a server. */
function toKey({ variant, files }: Line): string {
  return files === null ? variant : `${variant}/${files}`;
}

function toExpectation(childrenCount: number | null): Expectation {
  return { kind: 'saved', childrenCount };
}

function toPort(base: string): number {
  return Number(new URL(base).port);
}
