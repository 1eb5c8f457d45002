// The main thread's side of the other HTTP threads: starts them, keeps them in step with what it does to the environments, and
// answers what they ask.

import { Worker } from 'node:worker_threads';
import type { AnonymousSessions } from '../auth/anonymous-sessions.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { Fault, type PlainFault } from '../domain/fault.ts';
import { isPassword, TooBusy } from '../operations/passwords.ts';
import { WorkerCalls } from '../runtime/worker-calls.ts';
import type { Environment } from './environment.ts';
import type { HttpThreadData, MainFunctions, WorkerFunctions } from './http-thread-calls.ts';
import type { Urls } from './serving.ts';

export interface HttpThreadsOptions {
  count: number;
  data: HttpThreadData;
  /** Null: it is closed, or has failed. */
  environment(name: EnvironmentName): Environment | null;
  sessions: Record<EnvironmentName, AnonymousSessions>;
  onFatal(name: EnvironmentName, fault: Fault): void;
  onAdminChange(name: EnvironmentName): Promise<void>;
  renderMetrics(name: EnvironmentName): Promise<string>;
}

interface HttpThread {
  worker: Worker;
  calls: WorkerCalls<WorkerFunctions>;
}

export class HttpThreads {
  readonly #threads: HttpThread[];

  constructor(options: HttpThreadsOptions) {
    this.#threads = Array.from({ length: options.count }, () => startThread(options));
  }

  /** They begin to serve an environment that was opened here. */
  async open({ name, workers, shared }: Environment): Promise<void> {
    if (workers === null) return;
    await this.#all(({ calls }) => {
      const writer = workers.openWorkerPort();
      const { syncGuard, commits } = shared;
      const bootstrap = {
        name,
        writer,
        syncGuard: syncGuard.shared,
        commits: commits.shared,
        commitCounter: workers.commitCounter.shared,
      };
      return calls.call('open', bootstrap, [writer]);
    });
  }

  /** When it resolves, none of them uses the environment any more. */
  close(name: EnvironmentName): Promise<void> {
    return this.#all(({ calls }) => calls.call('close', { name }));
  }

  reload(name: EnvironmentName): Promise<void> {
    return this.#all(({ calls }) => calls.call('reload', { name }));
  }

  fail(name: EnvironmentName, { kind, message }: PlainFault): void {
    for (const { calls } of this.#threads) calls.notify('fail', { name, kind, message });
  }

  beginClosing(): void {
    for (const { calls } of this.#threads) calls.notify('beginClosing', undefined);
  }

  drain(): Promise<void> {
    return this.#all(({ calls }) => calls.call('drain', undefined));
  }

  /** One text for each. */
  renderMetrics(name: EnvironmentName): Promise<string[]> {
    return Promise.all(this.#threads.map(({ calls }) => calls.call('renderMetrics', { name })));
  }

  async end(): Promise<void> {
    await this.#all(({ calls }) => calls.call('finish', undefined));
    await this.#all(({ worker }) => worker.terminate());
  }

  async #all(work: (worker: HttpThread) => Promise<unknown>): Promise<void> {
    await Promise.all(this.#threads.map(work));
  }
}

function startThread(options: HttpThreadsOptions): HttpThread {
  const worker = new Worker(new URL('./http-thread.ts', import.meta.url), { workerData: options.data });
  const leaves = new Map<string, () => void>();
  const open = (name: EnvironmentName): Environment => {
    const environment = options.environment(name);
    if (environment === null) throw new Fault('other', `the ${name} environment is closed`);
    return environment;
  };
  const calls: WorkerCalls<WorkerFunctions> = new WorkerCalls(worker, {
    committed: ({ name }) => options.environment(name)?.workers?.noteCommit(),
    failed: ({ name, kind, message }) => options.onFatal(name, new Fault(kind, message)),
    removed: ({ name }) => options.environment(name)?.cabinet.purger.nudge(),
    discardBlob: ({ name, blob }) => open(name).cabinet.blobs.discard(blob),
    async enterUpload({ name, id, turn }) {
      const end = () => calls.notify('endUpload', { name, turn });
      leaves.set(`${name} ${turn}`, await open(name).turns.acquire(id, end));
    },
    leaveUpload({ name, turn }) {
      leaves.get(`${name} ${turn}`)?.();
      leaves.delete(`${name} ${turn}`);
    },
    adminChanged: ({ name }) => options.onAdminChange(name),
    isPassword: ({ password, stored, source }) => isPassword(password, stored, source).catch(toBusy),
    setSession: ({ name, id, payload }) => options.sessions[name].set(id, payload),
    getSession: ({ name, id }) => options.sessions[name].get(id),
    deleteSession: ({ name, id }) => options.sessions[name].delete(id),
    rank: ({ name, params }) => open(name).cabinet.search.rank(params),
    snippets: ({ name, params }) => open(name).cabinet.search.snippets(params),
    extractText: ({ name, params }) => open(name).cabinet.texts.extract(params),
    findPreview: async ({ name, request }) => (await open(name).cabinet.previews?.find(request)) ?? null,
    indexStatus: ({ name }) => open(name).cabinet.search.status(),
    renderMetrics: ({ name }) => options.renderMetrics(name),
  } satisfies MainFunctions);
  return { worker, calls };
}

function toBusy(error: unknown): 'busy' {
  if (error instanceof TooBusy) return 'busy';
  throw error;
}

/** The configuration with the ports that the main thread listens on, where any free one was wanted. */
export function withPorts(config: Config, urls: Urls): Config {
  const toPort = (port: number | null, url: string | null) =>
    port === 0 && url !== null ? Number(new URL(url).port) : port;
  const { production, test, mutualTls } = config;
  return {
    ...config,
    production: { ...production, port: toPort(production.port, urls.production) },
    test: { ...test, port: toPort(test.port, urls.test) },
    mutualTls: { ...mutualTls, port: toPort(mutualTls.port, urls.mutualTls) },
  };
}
