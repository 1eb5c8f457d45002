// One TLS connection that stays open: every request uses it, and none is sent after it was closed.

import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { type Answer, headerLines, type Request } from '../interface/client.ts';

const answerTimeoutMs = 10_000;

export class Connection {
  readonly socket: TLSSocket;
  /** What it got to resume the session with; the last one. */
  session: Buffer | null = null;
  readonly #host: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Rejects then; a request over a connection that is gone would otherwise wait for ever. */
  readonly #closed: Promise<never>;
  #isTaken = false;

  private constructor(base: string, options: ConnectionOptions) {
    const { host, hostname, port } = new URL(base);
    this.#host = host;
    this.socket = connect({ host: hostname, port: Number(port), ...options });
    this.socket.on('error', () => undefined);
    this.#closed = new Promise((_, reject) => {
      this.socket.once('close', () => reject(new Error('the connection was closed')));
    });
    this.#closed.catch(() => undefined);
    this.socket.on('session', (session) => {
      this.session = session;
    });
    this.#agent.createConnection = (_options, callback) => {
      if (this.#isTaken) {
        callback?.(new Error('the connection was closed'), this.socket);
        return undefined;
      }
      this.#isTaken = true;
      return this.socket;
    };
  }

  /** Rejects when the handshake fails; with TLS 1.3 a server that dislikes the certificate says so only afterwards. */
  static async open(base: string, options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(base, options);
    await once(connection.socket, 'secureConnect');
    return connection;
  }

  send = (path: string, request: Request = {}): Promise<Answer> =>
    Promise.race([this.#closed, this.#exchange(path, request)]);

  #exchange(path: string, { method = 'GET', headers = {}, body }: Request): Promise<Answer> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const length = bytes === undefined ? {} : { 'Content-Length': String(bytes.byteLength) };
    const lines = headerLines({ Host: this.#host, ...length, ...headers });
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const outgoing = httpRequest({ agent: this.#agent, path, method, headers: lines.flat(), signal });
      outgoing.on('error', reject);
      outgoing.on('response', async (incoming) => {
        try {
          const body = Buffer.concat(await incoming.toArray());
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
        } catch (error) {
          reject(error);
        }
      });
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.socket.destroy();
  }
}
