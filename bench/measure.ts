// The order of a run: servers up, folder filled, then rounds that alternate between the variants so that a slow minute of the
// machine falls on all of them; at the end the folder's size must account for every save that was answered.

import type { Children } from './children.ts';
import { bodySizeBytes, type Expectation, type Job, type JobResult, type Measurement } from './job.ts';
import type { Options, Variant } from './options.ts';
import { say } from './scenario.ts';
import { createFolder, readFolderSize, type Service, startService } from './service.ts';

export type Sample = Measurement & { variant: Variant; connections: number; round: number };

type Target = Pick<Job, 'port' | 'path' | 'headers' | 'expect' | 'serverPids'>;

const savePath = '/v1/contentmanagement/files';
const prefillConnections = 64;
// A save's reply lists this many entries, the saved file first.
const pageSize = 100;

export async function measureAll(children: Children, options: Options): Promise<Sample[]> {
  const bench = new Bench(children, options);
  await bench.prepare();
  const samples: Sample[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const connections of options.connections) {
      for (const variant of options.only) samples.push(await bench.measure(variant, connections, round));
    }
  }
  await bench.checkFolderSizes();
  return samples;
}

class Bench {
  #children: Children;
  #options: Options;
  #service: Service | null = null;
  #targets = new Map<Variant, Target>();
  #answered = new Map<Variant, number>();
  #jobs = 0;

  constructor(children: Children, options: Options) {
    this.#children = children;
    this.#options = options;
  }

  async prepare(): Promise<void> {
    const { only, prefill } = this.#options;
    if (only.some((variant) => variant !== 'empty')) this.#service = await startService(this.#children, this.#options);
    for (const variant of only) this.#targets.set(variant, await this.#openTarget(variant));
    const target = this.#targets.get('default');
    if (target === undefined) return;
    say(`filling a folder with ${prefill} files`);
    const minimal = { ...target, headers: { ...target.headers, Prefer: 'return=minimal' }, expect: toExpectation(1) };
    const limit = { requests: prefill };
    await this.#run('default', { ...minimal, label: 'prefill', connections: prefillConnections, limit });
  }

  async measure(variant: Variant, connections: number, round: number): Promise<Sample> {
    const target = this.#targets.get(variant);
    if (target === undefined) throw new Error(`${variant} is not prepared`);
    const { seconds, warmupSeconds } = this.#options;
    const label = String(this.#jobs++).padStart(4, '0');
    const { measured } = await this.#run(variant, { ...target, label, connections, limit: { seconds, warmupSeconds } });
    if (measured === null) throw new Error(`${variant}: no answer within the measured time`);
    const perSecond = Math.round(measured.requests / measured.seconds);
    say(`round ${round}, ${connections} connections, ${variant}: ${perSecond} requests/s`);
    return { ...measured, variant, connections, round };
  }

  async checkFolderSizes(): Promise<void> {
    for (const [variant, target] of this.#targets) {
      const folderId = target.headers.FolderId;
      if (this.#service === null || variant === 'empty' || folderId === undefined) continue;
      const sizeBytes = await readFolderSize(this.#service, folderId);
      const wantedBytes = ((this.#answered.get(variant) ?? 0) + 1) * bodySizeBytes;
      if (sizeBytes !== wantedBytes)
        throw new Error(
          `${variant}: the folder's size is ${sizeBytes}, the saves that were answered make ${wantedBytes}`,
        );
    }
  }

  async #openTarget(variant: Variant): Promise<Target> {
    if (variant === 'empty') return this.#openEmpty();
    const service = this.#service;
    if (service === null) throw new Error('the service is not started');
    const headers = { ...service.headers, FolderId: await createFolder(service, variant) };
    const common = { port: toPort(service.base), path: savePath, serverPids: [service.pid] };
    if (variant === 'default') {
      const childrenCount = Math.min(pageSize, this.#options.prefill + 1);
      // Within the first answers of a small folder the page is still growing.
      const isFull = childrenCount === pageSize;
      return { ...common, headers, expect: toExpectation(isFull ? pageSize : null) };
    }
    return { ...common, headers: { ...headers, Prefer: 'return=minimal' }, expect: toExpectation(1) };
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

  async #run(variant: Variant, asked: Omit<Job, 'areNamesOrdered'>): Promise<JobResult> {
    const job: Job = { ...asked, areNamesOrdered: this.#options.areNamesOrdered };
    const args = [`${import.meta.dirname}/load.ts`];
    const result = await this.#children.run({ program: process.execPath, args, input: JSON.stringify(job) });
    const { failure, answered } = result as JobResult;
    if (failure !== null) throw new Error(`${variant}, ${job.connections} connections: wrong answer: ${failure}`);
    this.#answered.set(variant, (this.#answered.get(variant) ?? 0) + answered);
    return result as JobResult;
  }
}

function toExpectation(childrenCount: number | null): Expectation {
  return { kind: 'saved', childrenCount };
}

function toPort(base: string): number {
  return Number(new URL(base).port);
}
