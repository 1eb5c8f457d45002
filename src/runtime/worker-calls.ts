// Calls between two threads over a port: each side has functions that the other may ask. What they throw is thrown where
// it was asked: refusals and faults as they are.

import type { MessagePort, Worker } from 'node:worker_threads';
import { Fault, type FaultKind } from '../domain/fault.ts';
import { type PlainRefusal, Refusal } from '../domain/refusal.ts';

export type Functions = Record<string, (input: never) => unknown>;
type Input<F> = F extends (input: infer I) => unknown ? I : never;
type Result<F> = F extends (input: never) => infer R ? Awaited<R> : never;

export type Port = MessagePort | Worker;
type Thrown = { refusal: PlainRefusal } | { fault: { kind: FaultKind; message: string } };
type Message =
  | { ask: string; id: number | null; input: unknown }
  | { answer: number; result: unknown }
  | { answer: number; thrown: Thrown };

interface Asking {
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

export class Calls<Others extends Functions> {
  readonly #port: Port;
  readonly #asking = new Map<number, Asking>();
  #asked = 0;

  constructor(port: Port, own: Functions) {
    this.#port = port;
    port.on('message', (message: Message) => {
      if ('ask' in message) void this.#answer(own, message);
      else this.#settle(message);
    });
  }

  ask<Name extends keyof Others & string>(
    name: Name,
    input: Input<Others[Name]>,
    transferred: MessagePort[] = [],
  ): Promise<Result<Others[Name]>> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#asking.set(id, { resolve, reject });
      this.#post({ ask: name, id, input }, transferred);
    });
  }

  /** Nobody waits for it to be done. */
  tell<Name extends keyof Others & string>(name: Name, input: Input<Others[Name]>): void {
    this.#post({ ask: name, id: null, input });
  }

  #post(message: Message, transferred: MessagePort[] = []): void {
    this.#port.postMessage(message, transferred);
  }

  async #answer(own: Functions, { ask, id, input }: Extract<Message, { ask: string }>): Promise<void> {
    if (id === null) {
      await own[ask]?.(input as never);
      return;
    }
    try {
      this.#post({ answer: id, result: await own[ask]?.(input as never) });
    } catch (error) {
      this.#post({ answer: id, thrown: toThrown(error) });
    }
  }

  #settle(message: Exclude<Message, { ask: string }>): void {
    const asking = this.#asking.get(message.answer);
    this.#asking.delete(message.answer);
    if ('result' in message) asking?.resolve(message.result as never);
    else asking?.reject(fromThrown(message.thrown));
  }
}

function toThrown(error: unknown): Thrown {
  if (error instanceof Refusal) return { refusal: error.toPlain() };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { fault: { kind: error instanceof Fault ? error.kind : 'other', message } };
}

function fromThrown(thrown: Thrown): Refusal | Fault {
  return 'refusal' in thrown ? Refusal.from(thrown.refusal) : new Fault(thrown.fault.kind, thrown.fault.message);
}
