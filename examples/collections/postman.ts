// The collection as Postman imports it (format v2.1).

import { type Ask, type AskBody, type Field, listAsks, variables } from './asks.ts';

export function renderPostman(): string {
  const folders = Map.groupBy(listAsks(), ({ folder }) => folder);
  const collection = {
    info: {
      name: 'Cabinet',
      description: 'Made from /openapi.json. Fill in appKey and secret, then run "A walk through" from top to bottom.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: [...folders].map(([name, asks]) => ({ name, item: asks.map(toItem) })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function toItem(ask: Ask): object {
  const { name, method, description, body } = ask;
  return {
    name,
    request: {
      method,
      ...(ask.auth !== 'token' && { auth: toAuth(ask) }),
      header: toHeaders(ask),
      url: toUrl(ask),
      ...(body !== null && { body: toBody(body) }),
      description,
    },
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: toScript(ask) } }],
  };
}

function toAuth({ auth }: Ask): object {
  if (auth === 'none') return { type: 'noauth' };
  const basic = [
    { key: 'username', value: '{{appKey}}', type: 'string' },
    { key: 'password', value: '{{secret}}', type: 'string' },
  ];
  return { type: 'basic', basic };
}

function toHeaders({ auth, headers, body }: Ask): object[] {
  const own = auth === 'token' ? [{ key: 'AppKey', value: '{{appKey}}' }] : [];
  const type = body?.kind === 'json' ? 'application/json' : body?.kind === 'text' ? 'text/plain' : null;
  return [...own, ...(type === null ? [] : [{ key: 'Content-Type', value: type }]), ...headers.map(toPair)];
}

function toPair({ name, value, isOptional, description }: Field): object {
  return { key: name, value, ...(description !== '' && { description }), ...(isOptional && { disabled: true }) };
}

function toUrl({ path, query, pathValues }: Ask): object {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(.*)\}$/, ':$1'));
  const sent = query.filter(({ isOptional }) => !isOptional).map(({ name, value }) => `${name}=${value}`);
  return {
    raw: `{{baseUrl}}/${segments.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
    host: ['{{baseUrl}}'],
    path: segments,
    ...(query.length > 0 && { query: query.map(toPair) }),
    ...(pathValues.length > 0 && { variable: pathValues.map(({ name, value }) => ({ key: name, value })) }),
  };
}

function toBody(body: AskBody): object {
  if (body.kind === 'json') return { mode: 'raw', raw: body.text, options: { raw: { language: 'json' } } };
  if (body.kind === 'text') return { mode: 'raw', raw: body.text };
  const fields = body.fields.map(({ name, value }) => ({ key: name, value, type: 'text' }));
  return body.kind === 'form' ? { mode: 'urlencoded', urlencoded: fields } : { mode: 'formdata', formdata: fields };
}

function toScript({ captures }: Ask): string[] {
  const kept = captures.map(({ variable, header, field }) => {
    const value = header === undefined ? toAccess('pm.response.json()', field) : `pm.response.headers.get('${header}')`;
    return `if (pm.response.code === 200) pm.collectionVariables.set('${variable}', ${value});`;
  });
  return ["pm.test('it is answered with 200', () => pm.response.to.have.status(200));", ...kept];
}

/** `a.0.b` of a value, or nothing where there is none. */
function toAccess(value: string, field = ''): string {
  const steps = field.split('.').map((name) => (/^\d+$/.test(name) ? `?.[${name}]` : `?.${name}`));
  return `${value}${steps.join('')}`;
}
