// A connection: the address of the service, the application and its tokens. Nothing is sent before the first call.

export interface ConnectOptions {
  /** The base address, such as `https://cabinet.example`. */
  url: string;
  /** The key of the calling application. */
  appKey: string;
  /** Where tokens come from: `applicationToken(…)`, `certificateToken()`, `personToken(…)`, or a function of your own. */
  token: TokenSource | (() => string | Promise<string>);
  /** Which space is meant, for a person who is in several. */
  spaceId?: string | undefined;
  /** Instead of the global one; `mutualTls` of `@cabinet/client/node` makes one. */
  fetch?: Fetch | undefined;
  /** How often a request is tried again when the connection is lost or the service asks to wait; 4 by default. */
  retries?: number | undefined;
}

/** Gives an access token. `refused` is a token that the service no longer accepts: give another one. */
export type TokenSource = (request: TokenAsked) => Promise<string>;

export interface TokenAsked {
  cabinet: Cabinet;
  refused: string | null;
}

export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;
  signal?: AbortSignal;
  duplex?: 'half';
}

/** What every operation takes first. */
export interface Cabinet {
  readonly url: string;
  readonly appKey: string;
  readonly token: TokenSource;
  readonly spaceId: string | undefined;
  readonly fetch: Fetch;
  readonly retries: number;
}

/** What every operation takes last. */
export interface CallOptions {
  /** Ends the call; it then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Programs without types get a sentence instead of a property of undefined. */
function checkOptions(options: Partial<ConnectOptions> | undefined): void {
  const { url, appKey, token } = options ?? {};
  if (!/^https?:\/\/[^/]/.test(url ?? '')) throw new TypeError(`connect needs url, an http or https address: ${url}`);
  if (typeof appKey !== 'string' || appKey === '') {
    throw new TypeError('connect needs appKey');
  }
  if (typeof token !== 'function') {
    throw new TypeError('connect needs token, such as applicationToken({ secret })');
  }
}

/** A connection to Cabinet. Make one and keep it: it holds the token. */
export function connect(options: ConnectOptions): Cabinet {
  checkOptions(options);
  const url = options.url.replace(/\/+$/, '');
  return {
    url,
    appKey: options.appKey,
    token: async (request) => options.token(request),
    spaceId: options.spaceId,
    fetch: options.fetch ?? ((address, init) => fetch(address, init)),
    retries: options.retries ?? 4,
  };
}
