// Sends one message to a receiver of webhooks. Managers choose the addresses, so this must not reach what they could not reach
// themselves: the name is resolved, every address is checked, and the connection goes to the very address that was checked. TLS
// verifies the name. Redirects and proxies are not followed, and little of the answer is read.

import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import { Refusal } from '../domain/refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import { isPublicAddress, type Resolve, toAddresses } from '../runtime/private-addresses.ts';

/** Until the status arrives, with resolving and connecting. */
const statusTimeoutMs = 10_000;
const bodyTimeoutMs = 1000;
const maxBodyBytes = 64 * 1024;
const shownBytes = 1024;
const maxUrlChars = 2048;
/** Connections to one host and port at a time. */
const maxPerHost = 16;
/** How long a connection without a message is kept: so briefly that its receiver keeps it for longer. */
const keptMs = 1000;
const maxRetryAfterMs = 24 * 60 * 60 * 1000;

export interface SenderOptions {
  clock: Clock;
  resolve: Resolve;
  /** Whether an operator allows the address, though it is not public or the connection is not encrypted. */
  isAllowed(address: string): boolean;
}

export interface Message {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Selects one of several addresses: 1 for the first attempt. */
  attempt: number;
}

export interface Outcome {
  /** Null: there was no answer, and `error` says why. */
  status: number | null;
  durationMs: number;
  error: string | null;
  /** The beginning of the body. */
  response: string | null;
  /** What the receiver wants; null: it says nothing. */
  retryAfterMs: number | null;
}

/** Why nothing can be sent to an address; the message is for managers. */
class ReceiverProblem extends Error {}

export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #hosts = new Map<string, HostSlots>();
  /** Connections are kept by the address that was checked, and for TLS by the name that was verified. No proxy is used. */
  readonly #agents = {
    plain: new PlainAgent({ keepAlive: true, timeout: keptMs }),
    tls: new TlsAgent({ keepAlive: true, timeout: keptMs }),
  };

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Refuses an address that is not one, or that nothing may be sent to. */
  async checkUrl(text: string): Promise<void> {
    try {
      // A parser of URLs removes them, so that what is kept and shown would not be what is used.
      if (/[\p{Cc}\s]/u.test(text)) throw new ReceiverProblem('The address must have no spaces or line breaks.');
      const url = parse(text);
      const addresses = await this.#findAddresses(url);
      // What does not resolve now is checked when something is sent. Without TLS it must be known that it is allowed.
      if (addresses.length === 0 && url.protocol === 'http:') throw unencrypted();
    } catch (error) {
      if (!(error instanceof ReceiverProblem)) throw error;
      throw new Refusal('InvalidField', error.message, {
        target: 'Url',
        hint: 'Send an https address of a public host. CABINET_WEBHOOK_NETWORKS can allow other networks.',
      });
    }
  }

  /** Resolves when the status is known and the body was read, as far as it is. */
  async send(message: Message, signal?: AbortSignal): Promise<Outcome> {
    const url = parse(message.url);
    const slots = this.#slotsOf(url.host);
    await slots.acquire();
    const begunAt = performance.now();
    const timeout = new AbortController();
    const timer = this.#options.clock.after(statusTimeoutMs, () => timeout.abort());
    const signals = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]);
    try {
      const answer = await this.#request(url, message, signals);
      timer.cancel();
      const response = await this.#readBody(answer);
      const retryAfterMs = toRetryAfter(answer.headers['retry-after'], this.#options.clock.now());
      const { statusCode: status = 0 } = answer;
      const error = status >= 200 && status < 300 ? null : `The receiver answered ${status}.`;
      return { status, durationMs: since(begunAt), error, response, retryAfterMs };
    } catch (error) {
      const isLate = timeout.signal.aborted && signal?.aborted !== true;
      const text = isLate ? `No answer within ${statusTimeoutMs / 1000} s.` : toText(error);
      return { status: null, durationMs: since(begunAt), error: text, response: null, retryAfterMs: null };
    } finally {
      timer.cancel();
      if (slots.release()) this.#hosts.delete(url.host);
    }
  }

  #slotsOf(host: string): HostSlots {
    const slots = this.#hosts.get(host) ?? new HostSlots();
    this.#hosts.set(host, slots);
    return slots;
  }

  /** The addresses of the host, all of which are allowed. */
  async #findAddresses(url: URL): Promise<readonly string[]> {
    const addresses = await toAddresses(url.hostname, this.#options.resolve);
    for (const address of addresses) {
      if (this.#options.isAllowed(address)) continue;
      if (url.protocol === 'http:') throw unencrypted();
      if (!isPublicAddress(address)) throw new ReceiverProblem('The host has an address that is not public.');
    }
    return addresses;
  }

  async #request(url: URL, { headers, body, attempt }: Message, signal: AbortSignal): Promise<IncomingMessage> {
    const addresses = await unlessAborted(this.#findAddresses(url), signal);
    const address = addresses[(attempt - 1) % addresses.length];
    if (address === undefined) throw new ReceiverProblem('The name of the host cannot be resolved.');
    const name = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const options: RequestOptions & { servername?: string } = {
      host: address,
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      method: 'POST',
      headers: { Host: url.host, 'Content-Length': Buffer.byteLength(body), ...headers },
      agent: url.protocol === 'https:' ? this.#agents.tls : this.#agents.plain,
      signal,
      ...(isIP(name) === 0 && { servername: name }),
    };
    const request = url.protocol === 'https:' ? requestTls(options) : requestPlain(options);
    return await toAnswer(request, body);
  }

  async #readBody(answer: IncomingMessage): Promise<string> {
    const timer = this.#options.clock.after(bodyTimeoutMs, () => answer.destroy());
    const shown: Buffer[] = [];
    let [read, kept] = [0, 0];
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        read += chunk.byteLength;
        if (kept < shownBytes) shown.push(chunk.subarray(0, shownBytes - kept));
        kept = Math.min(shownBytes, kept + chunk.byteLength);
        if (read >= maxBodyBytes) break;
      }
    } catch {
      // The status counts. The rest of the body does not matter.
    } finally {
      timer.cancel();
      // After a whole body the connection stays.
      answer.destroy();
    }
    return toShown(Buffer.concat(shown));
  }
}

/** Limits the connections to one host. */
class HostSlots {
  #used = 0;
  readonly #waiting: (() => void)[] = [];

  async acquire(): Promise<void> {
    this.#used += 1;
    if (this.#used > maxPerHost) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Returns whether nobody uses or waits for one. */
  release(): boolean {
    this.#used -= 1;
    this.#waiting.shift()?.();
    return this.#used === 0;
  }
}

function parse(text: string): URL {
  const url = text.length <= maxUrlChars ? URL.parse(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ReceiverProblem(`The address must be an https URL of at most ${maxUrlChars} characters.`);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new ReceiverProblem('The address must have no user name, password or fragment.');
  return url;
}

function unencrypted(): ReceiverProblem {
  return new ReceiverProblem('Without TLS, events are sent only to networks that are allowed.');
}

function toAnswer(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // It stays: errors after the answer concern nobody.
    request.on('error', reject);
    request.end(body);
  });
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function since(begunAt: number): number {
  return Math.round(performance.now() - begunAt);
}

/** Cut between characters. What is not text shows replacement characters. */
function toShown(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd');
  return bytes.byteLength < shownBytes ? text : text.replace(/\ufffd{1,3}$/, '');
}

function toText(error: unknown): string {
  if (error instanceof ReceiverProblem) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `${message} (${code})`.slice(0, 500);
}

/** Seconds or an HTTP date, at most a day. */
function toRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) || ms <= 0 ? null : Math.min(ms, maxRetryAfterMs);
}
