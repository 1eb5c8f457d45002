// Calls between two threads over a port. Each side offers functions, which the other side calls or notifies.
//
// - A call resolves to what the function returns. What it throws is thrown at the caller: refusals and faults as they are,
//   anything else as a fault of kind `other` with the original message and stack.
// - A notification has no answer. It arrives in order with calls. An error in it is an unhandled rejection of the other thread.
// - When the other thread ends or `close` is called, all pending and later calls are rejected with the same fault.
//
// The SQLite writer has a transport of its own (`catalog/sqlite/write-queue.ts`): it sends batches as one buffer, because cloning each write
// would cost more than running it.

import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { Fault, type FaultKind } from '../domain/fault.ts';
import { type PlainRefusal, Refusal } from '../domain/refusal.ts';

export type Functions = Record<string, (input: never) => unknown>;
type Input<F> = F extends (input: infer I) => unknown ? I : never;
type Result<F> = F extends (input: never) => infer R ? Received<Awaited<R>> : never;
type Received<R> = R extends HandedOver<infer Value> ? Value : R;

export type Port = MessagePort | Worker;
type PlainError =
  | { refusal: PlainRefusal }
  | { fault: { kind: FaultKind; message: string; stack: string | undefined } };
type Message =
  | { call: string; id: number | null; input: unknown }
  | { reply: number; result: unknown }
  | { reply: number; error: PlainError };
type Call = Extract<Message, { call: string }>;

/** A result whose memory goes to the other thread without being copied. */
export class HandedOver<Value> {
  readonly value: Value;
  readonly transferred: Transferable[];

  constructor(value: Value, transferred: Transferable[]) {
    this.value = value;
    this.transferred = transferred;
  }
}

interface Pending {
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

export class WorkerCalls<Remote extends Functions> {
  readonly #port: Port;
  readonly #own: Functions;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #closed: Fault | null = null;

  constructor(port: Port, own: Functions) {
    this.#port = port;
    this.#own = own;
    port.on('message', (message: unknown) => {
      // Others use the port too: see `threads.ts`.
      if (typeof message === 'object' && message !== null) this.#receive(message as Message);
    });
    // A worker that fails exits too. Its error is not handled here: without a listener it ends the process.
    for (const event of ['exit', 'close'])
      port.once(event, () => this.close(new Fault('other', 'the thread has ended')));
  }

  call<Name extends keyof Remote & string>(
    name: Name,
    input: Input<Remote[Name]>,
    transferred: Transferable[] = [],
  ): Promise<Result<Remote[Name]>> {
    if (this.#closed !== null) return Promise.reject(this.#closed);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ call: name, id, input }, transferred);
    });
  }

  notify<Name extends keyof Remote & string>(name: Name, input: Input<Remote[Name]>): void {
    this.#post({ call: name, id: null, input });
  }

  /** The first reason counts. */
  close(reason: Fault): void {
    this.#closed ??= reason;
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
  }

  #post(message: Message, transferred: Transferable[] = []): void {
    this.#port.postMessage(message, transferred);
  }

  #receive(message: Message): void {
    if ('call' in message) void this.#run(message);
    else this.#settle(message);
  }

  async #run({ call, id, input }: Call): Promise<void> {
    if (id === null) return void (await this.#find(call)(input as never));
    try {
      const result = await this.#find(call)(input as never);
      if (result instanceof HandedOver) this.#post({ reply: id, result: result.value }, result.transferred);
      else this.#post({ reply: id, result });
    } catch (error) {
      this.#post({ reply: id, error: toPlainError(error) });
    }
  }

  #find(name: string): Functions[string] {
    const found = this.#own[name];
    if (found === undefined) throw new Error(`there is no function ${name}`);
    return found;
  }

  #settle(message: Exclude<Message, Call>): void {
    const pending = this.#pending.get(message.reply);
    this.#pending.delete(message.reply);
    if ('error' in message) pending?.reject(fromPlainError(message.error));
    else pending?.resolve(message.result as never);
  }
}

function toPlainError(error: unknown): PlainError {
  if (error instanceof Refusal) return { refusal: error.toPlain() };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { fault: { kind: error instanceof Fault ? error.kind : 'other', message, stack } };
}

function fromPlainError(plain: PlainError): Refusal | Fault {
  if ('refusal' in plain) return Refusal.from(plain.refusal);
  const { kind, message, stack } = plain.fault;
  const fault = new Fault(kind, message);
  // Where it happened says more than where it arrived.
  if (stack !== undefined) fault.stack = stack;
  return fault;
}
