// The collection as Bruno opens it: a folder of `.bru` files. Names of files are those of the requests.

import { type Ask, type AskBody, type Field, listAsks, variables } from './asks.ts';

/** Each file by its path in the collection. */
export function renderBruno(): Map<string, string> {
  const files = new Map<string, string>([
    ['bruno.json', `${JSON.stringify({ version: '1', name: 'Cabinet', type: 'collection' }, null, 2)}\n`],
    ['collection.bru', join([block('auth', ['mode: bearer']), block('auth:bearer', ['token: {{token}}'])])],
    ['environments/local.bru', join([block('vars', toLines(Object.entries(variables)))])],
  ]);
  const folders = Map.groupBy(listAsks(), ({ folder }) => folder);
  for (const [folder, asks] of folders) {
    files.set(`${folder}/folder.bru`, join([block('meta', [`name: ${folder}`])]));
    for (const [index, ask] of asks.entries()) files.set(`${folder}/${toFileName(ask)}.bru`, toRequest(ask, index + 1));
  }
  return files;
}

function toFileName({ name }: Ask): string {
  return name.replaceAll(/[^A-Za-z0-9 -]/g, '');
}

function toRequest(ask: Ask, place: number): string {
  const { name, method, path, auth, body } = ask;
  const query = ask.query.filter(({ isOptional }) => !isOptional).map((sent) => `${sent.name}=${sent.value}`);
  const url = `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const kind = body === null ? 'none' : bodyKinds[body.kind];
  const how = { token: 'inherit', basic: 'basic', none: 'none' }[auth];
  return join([
    block('meta', [`name: ${name}`, 'type: http', `seq: ${place}`]),
    block(method.toLowerCase(), [`url: ${url}`, `body: ${kind}`, `auth: ${how}`]),
    block('params:query', ask.query.map(toLine)),
    block('params:path', ask.pathValues.map(toLine)),
    block('headers', [...(auth === 'token' ? ['AppKey: {{appKey}}'] : []), ...ask.headers.map(toLine)]),
    auth === 'basic' ? block('auth:basic', ['username: {{appKey}}', 'password: {{secret}}']) : '',
    body === null ? '' : toBody(body),
    block('assert', ['res.status: eq 200']),
    block('script:post-response', ask.captures.map(toCapture)),
    block('docs', ask.description.split('\n')),
  ]);
}

const bodyKinds: Record<AskBody['kind'], string> = {
  json: 'json',
  text: 'text',
  form: 'formUrlEncoded',
  multipart: 'multipartForm',
};

function toBody(body: AskBody): string {
  if (body.kind === 'json' || body.kind === 'text') return block(`body:${body.kind}`, body.text.split('\n'));
  return block(body.kind === 'form' ? 'body:form-urlencoded' : 'body:multipart-form', body.fields.map(toLine));
}

function toCapture({ variable, header, field = '' }: Ask['captures'][number]): string {
  const steps = field.split('.').map((name) => (/^\d+$/.test(name) ? `?.[${name}]` : `?.${name}`));
  const value = header === undefined ? `res.getBody()${steps.join('')}` : `res.getHeader('${header}')`;
  return `if (res.getStatus() === 200) bru.setVar('${variable}', ${value});`;
}

function toLine({ name, value, isOptional }: Field): string {
  return `${isOptional ? '~' : ''}${name}: ${value}`.trimEnd();
}

function toLines(pairs: [string, string][]): string[] {
  return pairs.map(([name, value]) => `${name}: ${value}`.trimEnd());
}

/** Nothing for what has no lines. */
function block(name: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}

function join(blocks: readonly string[]): string {
  return blocks.filter((text) => text !== '').join('\n');
}
