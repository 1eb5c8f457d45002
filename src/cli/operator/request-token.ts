// The request of `cabinet token`, and what its failures mean. Whatever answers, the message says what happened.

export interface Credentials {
  appKey: string;
  secret: string;
}

export interface TokenAnswer {
  access_token: string;
}

export async function requestToken(address: string, credentials: Credentials): Promise<TokenAnswer> {
  const url = `${address}/oauth2/token`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: toBasic(credentials) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  }).catch((error: Error) => {
    throw new Error(`No token: cannot reach ${url}: ${describeCause(error)}.`);
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as TokenAnswer;
  throw new Error(`No token: ${describeRefusal(text) ?? `the answer of ${url} was ${response.status}`}`);
}

/** RFC 6749, section 2.3.1: both are encoded as in a form before they are joined. */
function toBasic({ appKey, secret }: Credentials): string {
  const [name, password] = [appKey, secret].map((text) => new URLSearchParams([['', text]]).toString().slice(1));
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** `fetch` says only that it failed; the cause says why. One for each address, where a name has several. */
function describeCause({ message, cause }: Error): string {
  const errors: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return errors.map((error) => (error instanceof Error ? error.message : message)).join('; ');
}

/** From an answer by the rules of OAuth, or one of the API. Null: it is neither. */
function describeRefusal(text: string): string | null {
  try {
    const { error, error_description: description, Error: refusal } = JSON.parse(text);
    if (error === 'invalid_client') return 'the AppKey or the secret is wrong (invalid_client)';
    if (typeof error === 'string') return description === undefined ? error : `${error} (${description})`;
    return typeof refusal?.Code === 'string' ? `${refusal.Code} (${refusal.Message})` : null;
  } catch {
    return null;
  }
}
