// One request to the API: its URL and headers, the token, retries, and the answer or the error. The name of an operation, such as
// `GET /folders/{id}`, is a key of the generated description, so the compiler checks parameters and answers against it.

import type { Cabinet, CallOptions, FetchInit } from './connect.ts';
import type { Operations } from './description.ts';
import { CabinetError, toError } from './errors.ts';
import { sendWithRetries } from './retry.ts';

export type OperationName = keyof Operations;

type Parameters<Name extends OperationName> = (keyof Operations[Name]['path'] extends never
  ? { path?: undefined }
  : { path: Operations[Name]['path'] }) & {
  query?: Operations[Name]['query'] | undefined;
  headers?: (Operations[Name]['headers'] & { 'Content-Type'?: string; Accept?: string }) | undefined;
};

export type Request<Name extends OperationName> = Parameters<Name> &
  CallOptions & {
    json?: Operations[Name]['body'] | undefined;
    /** A body that is not JSON. A function opens it anew for every attempt. */
    body?: FetchInit['body'] | (() => FetchInit['body']);
    /** Whether sending it twice has the same effect as sending it once; always so for GET. */
    isRepeatable?: boolean | undefined;
    isStreamed?: boolean | undefined;
    /** Without token, AppKey and space. */
    isAnonymous?: boolean | undefined;
  };

/** The answer as JSON. */
export async function call<Name extends OperationName>(
  cabinet: Cabinet,
  name: Name,
  request: Request<Name>,
): Promise<Operations[Name]['answer']> {
  return readJson(await send(cabinet, name, request));
}

export async function readJson<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Answer;
  } catch (cause) {
    const message = `The answer is not JSON, so it is not from Cabinet: ${text.slice(0, 200) || 'empty'}`;
    throw new CabinetError('UnexpectedAnswer', message, { status: response.status, cause });
  }
}

/** The response if it succeeds; otherwise throws its error. */
export async function send<Name extends OperationName>(
  cabinet: Cabinet,
  name: Name,
  request: Request<Name>,
): Promise<Response> {
  const response = await sendRequest(cabinet, name, request);
  if (!response.ok) throw await toError(response);
  return response;
}

/** The response, whatever its status. */
export async function sendRequest<Name extends OperationName>(
  cabinet: Cabinet,
  name: Name,
  request: Request<Name>,
): Promise<Response> {
  const [method = '', template = ''] = name.split(' ');
  return sendTo(cabinet, { ...request, method, url: toUrl(cabinet, template, request) });
}

interface PlainRequest extends CallOptions {
  method: string;
  url: string;
  headers?: object | undefined;
  json?: unknown;
  body?: FetchInit['body'] | (() => FetchInit['body']);
  isRepeatable?: boolean | undefined;
  isStreamed?: boolean | undefined;
  isAnonymous?: boolean | undefined;
}

/** Sends a request with the caller's token, and once more with a new token if the service rejects the old one. */
async function sendTo(cabinet: Cabinet, request: PlainRequest): Promise<Response> {
  if (request.isAnonymous === true) return sendWith(cabinet, request, null);
  const token = await awaitToken(cabinet, null, request.signal);
  const response = await sendWith(cabinet, request, token);
  if (response.status !== 401 || !isBodyRepeatable(request)) return response;
  const { code } = await toError(response.clone());
  if (code !== 'TokenInvalid') return response;
  const other = await awaitToken(cabinet, token, request.signal);
  return other === token ? response : sendWith(cabinet, request, other);
}

/** A stream can be sent once. */
function isBodyRepeatable({ body }: PlainRequest): boolean {
  return typeof body === 'function' || !(body instanceof ReadableStream);
}

function sendWith(cabinet: Cabinet, request: PlainRequest, token: string | null): Promise<Response> {
  const { method, url, json, signal } = request;
  const headers = toHeaders(cabinet, request, token);
  // Throws for an invalid header now; inside the attempts it would look like a lost connection.
  new Headers(headers);
  const open = () => (typeof request.body === 'function' ? request.body() : request.body);
  return sendWithRetries(cabinet, {
    signal,
    isStreamed: request.isStreamed,
    isRepeatable: (request.isRepeatable ?? (method === 'GET' || method === 'HEAD')) && isBodyRepeatable(request),
    send: () => {
      const body = json === undefined ? open() : JSON.stringify(json);
      const duplex = body instanceof ReadableStream ? ('half' as const) : undefined;
      return cabinet.fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
        ...(duplex && { duplex }),
      });
    },
  });
}

function toHeaders(cabinet: Cabinet, { headers, json }: PlainRequest, token: string | null): Record<string, string> {
  const given = Object.entries({ ...headers }).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...(token !== null && toCredentials(cabinet, token)),
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  };
}

function toCredentials({ appKey, spaceId }: Cabinet, token: string): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    AppKey: appKey,
    ...(spaceId !== undefined && { SpaceId: spaceId }),
  };
}

/** Other callers wait for the same token, so aborting this call does not abort the fetch. */
async function awaitToken(cabinet: Cabinet, refused: string | null, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const token = cabinet.token({ cabinet, refused });
  if (signal === undefined) return token;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  return Promise.race([token, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

/** A request without a token. */
export async function callAnonymously<Name extends OperationName>(
  cabinet: Cabinet,
  name: Name,
  options: CallOptions,
): Promise<Operations[Name]['answer']> {
  const response = await sendAnonymously(cabinet, name, options);
  if (!response.ok) throw await toError(response);
  return readJson(response);
}

export function sendAnonymously(
  cabinet: Cabinet,
  name: OperationName,
  { signal, headers = {} }: CallOptions & { headers?: Record<string, string> },
): Promise<Response> {
  const [method = '', template = ''] = name.split(' ');
  const init = { method, headers, ...(signal && { signal }) };
  return sendWithRetries(cabinet, {
    signal,
    isRepeatable: true,
    send: () => cabinet.fetch(toUrl(cabinet, template, {}), init),
  });
}

export function toUrl(
  cabinet: Cabinet,
  template: string,
  given: { path?: object | undefined; query?: object | undefined },
): string {
  const values = given.path as Record<string, string | number> | undefined;
  const path = template
    .replace(/^\{base\}|^/, (base) => (base === '' ? `${cabinet.url}/v1/contentmanagement` : cabinet.url))
    .replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values?.[key] ?? '')));
  const query = Object.entries(given.query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (query.length === 0) return path;
  return `${path}?${new URLSearchParams(query.map(([key, value]) => [key, String(value)]))}`;
}
