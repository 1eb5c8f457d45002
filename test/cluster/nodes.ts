// Several nodes on one catalog and one blob store: real processes, each with a data folder of its own, behind a real proxy. A
// node keeps its port when it is started again.

import { findFreePorts } from '../free-ports.ts';
import { type Caller, fetchToken } from '../interface/client.ts';
import { cabinetJson } from '../service/here.ts';
import {
  type Environment,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type Started,
  startService,
} from '../service/service.ts';
import { canProxy, type StartedProxy, startProxy } from './haproxy.ts';

const mostErrorsTold = 10;

export interface NodeOptions {
  environment?: Environment;
  /** A program that runs the node, with its arguments. */
  under?: string[];
}

export class Node {
  readonly dataFolder = makeDataFolder();
  readonly base: string;
  readonly #environment: Environment;
  readonly #under: string[];
  #running: Started | null = null;
  #said = '';

  constructor(port: number, { environment = {}, under = [] }: NodeOptions) {
    this.base = `http://127.0.0.1:${port}`;
    this.#environment = { CABINET_PROXIES: '127.0.0.1', ...environment, CABINET_PORT: String(port) };
    this.#under = under;
  }

  async start(under: string[] = this.#under): Promise<void> {
    this.#running = await startService(this.dataFolder, { environment: this.#environment, under });
  }

  /** Resolves to the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const running = this.#running;
    const code = (await running?.stop(signal)) ?? null;
    this.#running = null;
    this.#said += running?.errors() ?? '';
    return code;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#running?.process.kill(signal);
  }

  get isRunning(): boolean {
    return this.#running !== null && this.#running.process.exitCode === null;
  }

  /** Everything that it wrote to standard error since its first start. */
  get said(): string {
    return this.#said + (this.#running?.errors() ?? '');
  }

  cabinet<Result>(...words: string[]): Promise<Result> {
    return cabinetJson<Result>(this.dataFolder, words, this.#environment);
  }

  remove(): void {
    removeDataFolder(this.dataFolder);
  }
}

export interface Nodes {
  all: Node[];
  /** The proxy's address, or the first node's where there is no proxy. */
  base: string;
  hasProxy: boolean;
  stop(): Promise<void>;
}

export interface NodesOptions {
  environment: Environment;
  isProxied?: boolean;
  /** Things are made to fail around them: what they say of it is no news. */
  isTroubled?: boolean;
  /** What is different with one of them. */
  toOptions?: (index: number) => NodeOptions;
}

export async function startNodes(count: number, options: NodesOptions): Promise<Nodes> {
  const [port, ...nodePorts] = (await findFreePorts(count + 1)) as [number, ...number[]];
  const hasProxy = options.isProxied === true && canProxy();
  const base = `http://127.0.0.1:${hasProxy ? port : nodePorts[0]}`;
  const all = nodePorts.map((nodePort, index) => {
    const { environment, under = [] } = options.toOptions?.(index) ?? {};
    return new Node(nodePort, {
      environment: { ...options.environment, ...environment, CABINET_PUBLIC_URL: base },
      under,
    });
  });
  let proxy: StartedProxy | null = null;
  const stop = async () => {
    await proxy?.stop();
    await Promise.all(all.map((node) => node.stop()));
    if (options.isTroubled !== true) tellErrors(all);
    for (const node of all) node.remove();
  };
  try {
    const started = await Promise.allSettled(all.map((node) => node.start()));
    const failed = started.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    if (hasProxy) proxy = await startProxy(port, nodePorts);
  } catch (error) {
    await stop();
    throw error;
  }
  return { all, base, hasProxy, stop };
}

/** Where nothing is made to fail, whoever looks for the reason of a 500 finds it here. */
function tellErrors(nodes: readonly Node[]): void {
  const errors = nodes.flatMap(({ said }) => said.split('\n').filter((line) => /^\{"level":[56]0,/.test(line)));
  for (const line of errors.slice(0, mostErrorsTold)) console.error(line);
}

/** Registers an application on one node and gets its token there. */
export async function addCaller(node: Node, name: string, ...options: string[]): Promise<Caller> {
  const registered = await node.cabinet<Registered>('app', 'add', name, ...options);
  const application = { Name: name, ...registered };
  return { base: node.base, application, token: await fetchToken(node.base, application) };
}

/** The same caller, asking another node. */
export function at(caller: Caller, { base }: { base: string }): Caller {
  return { ...caller, base };
}

export const everyScope = ['--scopes', 'content.read content.write content.admin'];
