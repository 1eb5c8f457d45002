// What goes wrong while clients work: nodes are killed, stopped and paused, their clocks are wrong; PostgreSQL and S3 crash and come
// back; the network between them is cut, is silent or late, or breaks off in the middle of an answer. In the end all is well again.

import { setTimeout as pause } from 'node:timers/promises';
import { withClock } from './clock.ts';
import type { OwnGround } from './ground.ts';
import type { Line, State } from './network.ts';
import type { Node } from './nodes.ts';

const hourMs = 60 * 60 * 1000;
const startAgainMs = 300;
/** Longer than the service waits for anything. */
const stopPatienceMs = 90_000;

export interface Surroundings {
  ground: OwnGround;
  nodes: readonly Node[];
  /** From each node to PostgreSQL, and to S3. */
  toPostgres: readonly Line[];
  toS3: readonly Line[];
  /** Whether there is time for a node to sleep until PostgreSQL takes its transactions for abandoned, and for S3 to start again. */
  isLong: boolean;
  log(text: string): void;
}

type Fault = () => Promise<void>;

export class Nemesis {
  readonly counts: Record<string, number> = {};
  /** What no fault excuses: nodes that end by themselves, or do not stop, or do not start again. */
  readonly troubles: string[] = [];
  readonly #around: Surroundings;
  readonly #busy = new Set<unknown>();
  #isOver = false;
  #running: Promise<void>[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Two at a time, so that faults meet. */
  start(): void {
    this.#running = [this.#rage(), this.#rage()];
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
    await this.#heal();
  }

  async #rage(): Promise<void> {
    await pause(between(500, 2500));
    while (!this.#isOver) {
      await pickOne(this.#faults())();
      await pause(between(200, 2500));
    }
  }

  #faults(): Fault[] {
    const { isLong, ground } = this.#around;
    return [
      () => this.#onNode('killed', (node) => this.#restart(node, 'SIGKILL')),
      () => this.#onNode('killed', (node) => this.#restart(node, 'SIGKILL')),
      () => this.#onNode('stopped', (node) => this.#restart(node, 'SIGTERM')),
      () => this.#onNode('killed, its clock an hour ahead', (node) => this.#restart(node, 'SIGKILL', hourMs)),
      () => this.#onNode('killed, its clock an hour behind', (node) => this.#restart(node, 'SIGKILL', -hourMs)),
      () => this.#onNode('paused', (node) => this.#pauseNode(node, between(1000, 8000))),
      ...(isLong
        ? [() => this.#onNode('paused for long', (node) => this.#pauseNode(node, between(16_000, 18_000)))]
        : []),
      () => this.#once('PostgreSQL crashed', 'postgres', () => this.#crashPostgres()),
      () => this.#once('PostgreSQL crashed', 'postgres', () => this.#crashPostgres()),
      ...(isLong && ground.swift !== null ? [() => this.#once('S3 crashed', 'swift', () => this.#crashSwift())] : []),
      ...this.#faultsOf('PostgreSQL', this.#around.toPostgres),
      ...this.#faultsOf('S3', this.#around.toS3),
    ];
  }

  #faultsOf(name: string, lines: readonly Line[]): Fault[] {
    if (lines.length === 0) return [];
    const shortly = (state: State, mostMs: number) => async (line: Line) => {
      line.set(state);
      await pause(between(300, mostMs));
      line.set('well');
    };
    const onLine = (what: string, work: (line: Line) => Promise<void>) => {
      const line = pickOne(lines);
      return () => this.#once(`${name} ${what}`, line, () => work(line));
    };
    return [
      onLine('cut off', shortly('refused', 4000)),
      onLine('silent', shortly('silent', 6000)),
      onLine('late', shortly('late', 3000)),
      onLine('broke off in an answer', async (line) => line.breakOff(Math.ceil(Math.random() * 6))),
      onLine('forgot its connections', async (line) => line.forget()),
    ];
  }

  async #onNode(what: string, work: (node: Node) => Promise<void>): Promise<void> {
    const node = pickOne(this.#around.nodes);
    await this.#once(`node ${what}`, node, () => work(node));
  }

  /** Not what something else is being done to. */
  async #once(what: string, subject: unknown, work: () => Promise<void>): Promise<void> {
    if (this.#busy.has(subject)) return;
    this.#busy.add(subject);
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    this.#around.log(what);
    try {
      await work();
    } catch (error) {
      this.troubles.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      this.#busy.delete(subject);
    }
  }

  async #restart(node: Node, signal: 'SIGKILL' | 'SIGTERM', clockMs = 0): Promise<void> {
    await this.#stopNode(node, signal);
    await pause(between(0, 1500));
    await this.#startNode(node, clockMs === 0 ? [] : withClock(clockMs));
  }

  async #stopNode(node: Node, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const killer = setTimeout(() => node.signal('SIGKILL'), stopPatienceMs);
    const code = await node.stop(signal);
    clearTimeout(killer);
    const expected = signal === 'SIGTERM' ? 0 : null;
    if (code !== expected) this.troubles.push(`a node ended with ${code} on ${signal}: ${node.said.slice(-3000)}`);
  }

  /** A node that finds no database does not start; whoever supervises it tries again. */
  async #startNode(node: Node, under: string[]): Promise<void> {
    for (;;) {
      try {
        await node.start(under);
        return;
      } catch {
        await pause(startAgainMs);
      }
    }
  }

  async #pauseNode(node: Node, ms: number): Promise<void> {
    node.signal('SIGSTOP');
    await pause(ms);
    node.signal('SIGCONT');
  }

  async #crashPostgres(): Promise<void> {
    const { server } = this.#around.ground;
    await server.halt();
    await pause(between(0, 3000));
    await server.start();
  }

  async #crashSwift(): Promise<void> {
    const { swift } = this.#around.ground;
    await swift?.kill();
    await pause(between(0, 3000));
    await swift?.start();
  }

  /** Every node is started again in the end: then no request is still in progress. */
  async #heal(): Promise<void> {
    const { toPostgres, toS3, nodes } = this.#around;
    for (const line of [...toPostgres, ...toS3]) {
      line.breakOff(0);
      line.set('well');
    }
    await Promise.all(nodes.map((node) => this.#stopNode(node, 'SIGTERM')));
    await Promise.all(nodes.map((node) => node.start([])));
  }
}

function between(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

function pickOne<Item>(list: readonly Item[]): Item {
  return list[Math.floor(Math.random() * list.length)] as Item;
}
