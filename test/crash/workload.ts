// Clients that save, overwrite, trash and delete permanently, in all sizes, and keep a ledger of the responses. Some large
// contents are the same for all of them, so that one blob has several owners that come and go.

import { hash } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Caller } from '../interface/client.ts';
import type { Ledger, Step, StepKind, Story } from './ledger.ts';
import type { Random } from './random.ts';

/** Whoever waits longer has given up, which decides nothing. A machine at half speed must never come near it. */
const patienceMs = 120_000;
const content = '/v1/contentmanagement';
/** Larger files are sometimes sent as uploads that are gone on with. */
const resumedFromBytes = 70_000;
/** Refusals after which nothing was done, by the word of the service. */
const refusals = new Set(['StorageFull', 'ShuttingDown', 'StorageUnavailable', 'TooManyRequests']);

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface HttpRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

class GaveUp extends Error {}

/** One client: a caller with connections of its own. */
export class Client {
  readonly caller: Caller;
  readonly #agent: Agent;

  constructor(caller: Caller, connections: number) {
    this.caller = caller;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  ask({ method, path, headers = {}, body }: HttpRequest): Promise<Answer> {
    const { hostname, port } = new URL(this.caller.base);
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({
        agent: this.#agent,
        hostname,
        port,
        method,
        path: content + path,
        headers: {
          Authorization: `Bearer ${this.caller.token}`,
          AppKey: this.caller.application.AppKey,
          'Content-Length': String(body?.length ?? 0),
          ...headers,
        },
      });
      outgoing.setTimeout(patienceMs, () => outgoing.destroy(new GaveUp()));
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('error', reject);
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
        );
      });
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export interface Load {
  client: Client;
  ledger: Ledger;
  random: Random;
  writers: number;
  /** Begins every name. */
  prefix: string;
  /** Set to end it after the steps that are under way. */
  isOver: () => boolean;
}

/** Runs until it is over or the service is gone; every writer then has its last step decided or in doubt. */
export async function runLoad(load: Load): Promise<void> {
  const shared = sharedContents(load.random.fork());
  const writers = Array.from({ length: load.writers }, (_, index) =>
    new Writer(load, `${load.prefix}-${index}`, shared, load.random.fork()).run(),
  );
  await Promise.all(writers);
}

function sharedContents(random: Random): Buffer[] {
  return Array.from({ length: 3 }, () => random.bytes(random.between(70_000, 120_000)));
}

class Writer {
  readonly #load: Load;
  readonly #name: string;
  readonly #shared: readonly Buffer[];
  readonly #random: Random;
  readonly #own: Story[] = [];
  #count = 0;

  constructor(load: Load, name: string, shared: readonly Buffer[], random: Random) {
    this.#load = load;
    this.#name = name;
    this.#shared = shared;
    this.#random = random;
  }

  async run(): Promise<void> {
    while (!this.#load.isOver() && (await this.#step()));
  }

  /** False when the service is gone. */
  async #step(): Promise<boolean> {
    const random = this.#random;
    const dice = random.next();
    const own = this.#own.length === 0 ? null : random.pick(this.#own);
    if (own === null || dice < 0.6) return await this.#begin(dice < 0.04 ? 'folder' : 'file');
    if (dice < 0.8) return await take(this.#load, own, 'version', this.#bytes());
    this.#own.splice(this.#own.indexOf(own), 1);
    return await take(this.#load, own, dice < 0.9 ? 'trash' : 'purge', null);
  }

  async #begin(kind: 'file' | 'folder'): Promise<boolean> {
    this.#count += 1;
    const story = this.#load.ledger.begin(`${this.#name}-${this.#count}`);
    const isDone = await take(this.#load, story, kind, kind === 'file' ? this.#bytes() : null);
    if (kind === 'file' && story.id !== null) this.#own.push(story);
    return isDone;
  }

  #bytes(): Buffer {
    const random = this.#random;
    const dice = random.next();
    if (dice < 0.7) return random.bytes(random.between(0, 5000));
    if (dice < 0.82) return random.bytes(random.between(5000, 60_000));
    if (dice < 0.9) return random.pick(this.#shared);
    return random.bytes(random.between(70_000, 250_000));
  }
}

/** Asks for one step and writes down how it ended; false when no answer came, or one that says that the service ends. */
export async function take(
  load: Pick<Load, 'client' | 'ledger' | 'random'>,
  story: Story,
  kind: StepKind,
  body: Buffer | null,
): Promise<boolean> {
  const step: Step = {
    request: toUuid(load.random),
    kind,
    sha256: body === null ? null : hash('sha256', body),
    sizeBytes: body?.length ?? 0,
    outcome: 'requested',
    hasGivenUp: false,
  };
  story.steps.push(step);
  const isResumed = kind === 'file' && body !== null && body.length > resumedFromBytes && load.random.isTrue(0.3);
  let answer: Answer;
  try {
    const request = toRequest(story, step, body);
    answer = isResumed ? await uploadInTwo(load.client, request, body) : await load.client.ask(request);
  } catch (error) {
    step.outcome = 'doubt';
    step.hasGivenUp = error instanceof GaveUp;
    return false;
  }
  return settle(load.ledger, story, step, answer);
}

/** As a resumed upload; the second half requests the step. A failure of the first leaves nothing. */
async function uploadInTwo(client: Client, { headers, ...request }: HttpRequest, body: Buffer): Promise<Answer> {
  const half = Math.floor(body.length / 2);
  const { requesttrackingid = '', ...rest } = headers ?? {};
  const version = { 'Upload-Draft-Interop-Version': '6' };
  const begun = await client.ask({
    ...request,
    headers: { ...rest, ...version, 'Upload-Complete': '?0' },
    body: body.subarray(0, half),
  });
  const upload = /\/uploads\/[^/?]+$/.exec(begun.headers.location ?? '')?.[0];
  if (upload === undefined || begun.headers['upload-offset'] !== String(half)) return begun;
  return await client.ask({
    method: 'PATCH',
    path: upload,
    headers: {
      ...version,
      requesttrackingid,
      Prefer: 'return=minimal',
      'Content-Type': 'application/partial-upload',
      'Upload-Offset': String(half),
      'Upload-Complete': '?1',
    },
    body: body.subarray(half),
  });
}

function settle(ledger: Ledger, story: Story, step: Step, { status, headers, body }: Answer): boolean {
  if (status === 200 || status === 204) {
    step.outcome = 'done';
    if (typeof headers.entryid === 'string') story.id ??= headers.entryid;
    else if (step.kind === 'folder') story.id ??= 'known';
    return true;
  }
  const code = /"Code":\s*"(\w+)"/.exec(body.toString())?.[1] ?? '';
  if (refusals.has(code)) {
    step.outcome = 'refused';
    return code === 'StorageFull';
  }
  step.outcome = 'doubt';
  if (status < 500) ledger.surprises.push(`${step.kind} of ${story.name}: ${status} ${body}`);
  return false;
}

function toRequest(story: Story, step: Step, body: Buffer | null): HttpRequest {
  const headers: Record<string, string> = { requesttrackingid: step.request };
  if (step.kind === 'folder') {
    const fields = Buffer.from(JSON.stringify({ FolderName: story.name }));
    return {
      method: 'POST',
      path: '/folders',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: fields,
    };
  }
  if (step.kind === 'trash') return { method: 'DELETE', path: `/entries/${story.id}`, headers };
  if (step.kind === 'purge') return { method: 'DELETE', path: `/entries/${story.id}?permanent=true`, headers };
  const bytes = body ?? Buffer.alloc(0);
  headers['Content-Type'] = 'application/octet-stream';
  if (step.kind === 'version') {
    return { method: 'PUT', path: `/files/${story.id}/content`, headers, body: bytes };
  }
  const more = { FileName: story.name, Prefer: 'return=minimal' };
  return { method: 'POST', path: '/files', headers: { ...headers, ...more }, body: bytes };
}

function toUuid(random: Random): string {
  const hex = random.bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
