// The request that the reader has filled in: `send` sends it, `toCurl` writes it as a curl command.

/** The address that serves this page, with a slash at the end. From the page's own URL, so that it works behind a proxy. */
export const base = new URL('.', location.href).href;

/** The reader's credentials. Kept in memory only. */
export const identity = { appKey: '', token: '' };

/** `{ method, path, isOpen, values: [{ in, name, value }], body }`; body: `{ type, text | file | form }` or null. */
export function toUrl({ path, values }) {
  const named = values.filter((value) => value.in === 'path');
  const filled = named.reduce((text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(
    values.filter((value) => value.in === 'query' && value.value !== '').map(({ name, value }) => [name, value]),
  );
  const suffix = query.toString() === '' ? '' : `?${query}`;
  return base + filled.slice(1) + suffix;
}

function toHeaders({ isOpen, values, body }, { appKey, token }) {
  const headers = isOpen
    ? []
    : [
        ['Authorization', `Bearer ${token}`],
        ['AppKey', appKey],
      ];
  for (const value of values) {
    if (value.in === 'header' && value.value !== '') headers.push([value.name, value.value]);
  }
  // The content type of a form contains the boundary, which the browser or curl chooses.
  if (body !== null && body.form === undefined && body.type !== '') headers.push(['Content-Type', body.type]);
  return headers;
}

export function send(request) {
  const { method, body } = request;
  return fetch(toUrl(request), {
    method,
    headers: toHeaders(request, identity),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'manual',
    ...(body !== null && { body: toBody(body) }),
  });
}

function toBody({ text, file, form }) {
  if (form === undefined) return file ?? text;
  const data = new FormData();
  for (const { name, value } of form) {
    if (value !== '') data.append(name, value);
  }
  return data;
}

export function toCurl(request) {
  const { method, body } = request;
  const lines = [`curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quote(toUrl(request))}`];
  for (const [name, value] of toHeaders(request, { appKey: '$APPKEY', token: '$TOKEN' })) {
    const line = `${name}: ${value}`;
    lines.push(`-H ${/^(Bearer )?\$[A-Z]+$/.test(value) ? `"${line}"` : quote(line)}`);
  }
  if (body?.form !== undefined) lines.push(...body.form.filter(({ value }) => value !== '').map(toFormWord));
  else if (body?.file !== undefined) lines.push(`--data-binary ${quote(`@${body.file.name}`)}`);
  else if (body !== null) lines.push(`--data-binary ${quote(body.text)}`);
  return lines.join(' \\\n  ');
}

function toFormWord({ name, value }) {
  return typeof value === 'string' ? `-F ${quote(`${name}=${value}`)}` : `-F ${quote(`${name}=@${value.name}`)}`;
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Requests a token by client credentials; the secret is not kept. Resolves to the lifetime of the token in seconds. */
export async function fetchToken(appKey, secret) {
  const credentials = btoa(`${encodeURIComponent(appKey)}:${encodeURIComponent(secret)}`);
  const answer = await fetch(`${base}oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    credentials: 'omit',
    cache: 'no-store',
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.error_description ?? body.Error?.Message ?? `The answer was ${answer.status}.`);
  identity.appKey = appKey;
  identity.token = body.access_token;
  return body.expires_in;
}
