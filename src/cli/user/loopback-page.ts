// What the browser sees at the loopback port of a sign-in: nothing until the sign-in is complete, then that it is. If the person is in
// several spaces, a page that lets them choose one. Requests of other sign-ins are answered with 404.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { escapeHtml, layout, toPageHeaders } from '../../auth/pages.ts';
import { commandLineRedirectUri } from '../../domain/built-in-applications.ts';

const redirectPath = new URL(commandLineRedirectUri).pathname;
const maxFormLength = 1000;

export interface Choice {
  Id: string;
  Name: string;
}

export class LoopbackPage implements AsyncDisposable {
  readonly #server: Server;
  readonly #signal: AbortSignal;
  #state = '';
  /** The browser waits for it. Null: nobody does. */
  #waiting: ServerResponse | null = null;
  #onAnswer: (address: string) => void = () => undefined;
  #onChosen: ((id: string) => void) | null = null;
  /** Shown again when the browser loads the page again. */
  #choicePage = '';

  private constructor(server: Server, signal: AbortSignal) {
    this.#server = server;
    this.#signal = signal;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async open(signal: AbortSignal): Promise<LoopbackPage> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoopbackPage(server, signal);
  }

  get redirectUri(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${redirectPath}`;
  }

  /** Whether a browser came back, so that it can answer. */
  get hasBrowser(): boolean {
    return this.#waiting !== null;
  }

  /** The address that the browser was redirected to. Its answer waits for `choose` or `end`. */
  waitForAnswer(state: string): Promise<string> {
    this.#state = state;
    return this.#unlessAborted((resolve) => {
      this.#onAnswer = resolve;
    });
  }

  /** Asks in the browser; resolves to the id. */
  choose(title: string, choices: readonly Choice[]): Promise<string> {
    const buttons = choices.map(
      ({ Id, Name }) => `<button name="choice" value="${escapeHtml(Id)}" class="other">${escapeHtml(Name)}</button>`,
    );
    const action = `${redirectPath}?state=${encodeURIComponent(this.#state)}`;
    const form = `<form method="post" action="${escapeHtml(action)}">\n${buttons.join('\n')}\n</form>`;
    this.#choicePage = layout(title, `<h1>${escapeHtml(title)}</h1>\n${form}`);
    this.#send(200, this.#choicePage);
    const ids = new Set(choices.map(({ Id }) => Id));
    return this.#unlessAborted((resolve) => {
      this.#onChosen = (id) => ids.has(id) && resolve(id);
    });
  }

  /** The last page; resolves when the browser has it. */
  async end(title: string, message: string): Promise<void> {
    const response = this.#waiting;
    if (response === null) return;
    const finished = Promise.race([once(response, 'finish'), once(response, 'close')]);
    this.#send(200, layout(title, `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(message)}</p>`));
    await finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #unlessAborted<Result>(run: (resolve: (result: Result) => void) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#signal.addEventListener('abort', () => reject(this.#signal.reason as Error), { once: true });
      run(resolve);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const address = new URL(request.url ?? '/', this.redirectUri);
    const isOurs = address.pathname === redirectPath && address.searchParams.get('state') === this.#state;
    const isChoice = request.method === 'POST' && this.#onChosen !== null;
    if (!isOurs || this.#state === '' || (this.#waiting !== null && !isChoice)) {
      sendPage(response, 404, layout('Not found', '<h1>There is nothing here.</h1>'));
      return;
    }
    this.#waiting = response;
    response.once('close', () => {
      if (this.#waiting === response) this.#waiting = null;
    });
    if (isChoice) void this.#readChoice(request);
    else if (this.#choicePage !== '') this.#send(200, this.#choicePage);
    else this.#onAnswer(address.href);
  }

  async #readChoice(request: IncomingMessage): Promise<void> {
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (length > maxFormLength) return void request.destroy();
    const form = new URLSearchParams(await text(request).catch(() => ''));
    this.#onChosen?.(form.get('choice') ?? '');
  }

  #send(status: number, page: string): void {
    const response = this.#waiting;
    this.#waiting = null;
    if (response !== null) sendPage(response, status, page);
  }
}

function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { ...toPageHeaders(null), Connection: 'close' }).end(page);
}
