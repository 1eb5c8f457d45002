// Access tokens: fetched when first needed, shared by all callers, renewed before they expire.

import type { Cabinet, TokenAsked, TokenSource } from './connect.ts';
import type { OAuthError, TokenAnswer } from './description.ts';
import { CabinetError, toError } from './errors.ts';
import { sendWithRetries } from './retry.ts';

/** How long before its end a token is replaced, at most. */
const renewalMs = 60_000;

export interface ApplicationCredentials {
  secret: string;
  /** Fewer scopes than the application has, separated by spaces; all of them by default. */
  scope?: string | undefined;
}

/** Tokens that an application gets for itself by its secret (client credentials). */
export function applicationToken({ secret, scope }: ApplicationCredentials): TokenSource {
  if (typeof secret !== 'string' || secret === '') {
    throw new TypeError('applicationToken needs secret');
  }
  return keepToken(({ cabinet }) => {
    const credentials = `${encodeForm(cabinet.appKey)}:${encodeForm(secret)}`;
    return requestToken(cabinet, { grant_type: 'client_credentials', scope }, `Basic ${toBase64(credentials)}`);
  });
}

/** Tokens that a server-based application gets by its certificate, on the mutual-TLS address. */
export function certificateToken({ scope }: { scope?: string | undefined } = {}): TokenSource {
  return keepToken(({ cabinet }) =>
    requestToken(cabinet, { grant_type: 'client_credentials', client_id: cabinet.appKey, scope }),
  );
}

/** Keeps what `fetchToken` gives until shortly before it expires or is refused. Many callers wait for one fetch. */
export function keepToken(fetchToken: (request: TokenAsked) => Promise<TokenAnswer>): TokenSource {
  let current: { token: string; renewAt: number; expiresAt: number } | null = null;
  let pending: Promise<string> | null = null;
  const renew = async (request: TokenAsked) => {
    const { access_token: token, expires_in: seconds } = await fetchToken(request);
    const expiresAt = Date.now() + seconds * 1000;
    current = { token, expiresAt, renewAt: expiresAt - Math.min(renewalMs, seconds * 100) };
    return token;
  };
  return async (request) => {
    const now = Date.now();
    if (current?.token === request.refused) current = null;
    if (current !== null && now < current.renewAt) return current.token;
    pending ??= renew(request).finally(() => {
      pending = null;
    });
    const previous = current;
    // A token that is still valid is used while the issuer cannot be reached.
    return previous !== null && now < previous.expiresAt ? pending.catch(() => previous.token) : pending;
  };
}

type TokenForm = Record<string, string | undefined>;

/** Asks the token endpoint. */
export async function requestToken(cabinet: Cabinet, form: TokenForm, authorization?: string): Promise<TokenAnswer> {
  const response = await postForm(cabinet, '/oauth2/token', { form, authorization });
  return (await response.json()) as TokenAnswer;
}

interface FormRequest {
  form: TokenForm;
  authorization?: string | undefined;
}

export async function postForm(
  cabinet: Cabinet,
  path: string,
  { form, authorization }: FormRequest,
): Promise<Response> {
  const given = Object.entries(form).filter((field): field is [string, string] => field[1] !== undefined);
  const headers: Record<string, string> = { 'Content-Type': 'application/x-www-form-urlencoded' };
  if (authorization !== undefined) headers.Authorization = authorization;
  const body = new URLSearchParams(given).toString();
  const response = await sendWithRetries(cabinet, {
    isRepeatable: true,
    send: () => cabinet.fetch(cabinet.url + path, { method: 'POST', headers, body }),
  });
  if (!response.ok) throw await toTokenError(response);
  return response;
}

async function toTokenError(response: Response): Promise<CabinetError> {
  const answer = (await response
    .clone()
    .json()
    .catch(() => null)) as Partial<OAuthError> | null;
  if (typeof answer?.error !== 'string') return toError(response);
  const { error, error_description: text = 'no token was given' } = answer;
  const trackingId = response.headers.get('requesttrackingid') ?? undefined;
  return new CabinetError('TokenRefused', `${error}: ${text}`, { status: response.status, trackingId });
}

/** RFC 6749, section 2.3.1: id and secret are encoded like a form before they become Basic credentials. */
function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
