// Malformed requests to the issuer, on both kinds of address: each gets a response with a tracking id and without a stack
// trace, and the process continues. Requests are drawn at random from a fixed seed, so that a failure can be repeated.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type * as client from 'openid-client';
import { UUID } from '../interface/assertions.ts';
import { send } from '../interface/client.ts';
import { addApplication, addUser, type Person } from '../service/operator.ts';
import { makeDataFolder, type Registered, removeDataFolder, type Started, startService } from '../service/service.ts';
import { sized } from '../size.ts';
import { behindProxy } from './attacks-sign-in.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, redirectUri, signIn } from './people.ts';
import { addIssued, fetchBound, type Issued, through } from './server-applications.ts';
import { tally } from './tally.ts';

const seed = 20_251_115;
/** On each kind of address. */
const requestCount = sized(200, 1000);
const atOnce = 16;

const dataFolder = makeDataFolder();
let service: Started;
let page: Registered;
let own: Registered;
let issued: Issued;
let configuration: client.Configuration;
let ann: Person;

before(async () => {
  service = await startService(dataFolder, {
    environment: { CABINET_MTLS_PORT: '0', ...behindProxy },
  });
  page = await addPage(dataFolder, 'page');
  own = await addApplication(dataFolder, 'own');
  issued = await addIssued(dataFolder, 'till');
  configuration = await discover(service.production, page);
  ann = await addUser(dataFolder, 'ann');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

/** As good as random and always the same (mulberry32). */
class Dice {
  #state = seed;

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  is(chance: number): boolean {
    return this.next() < chance;
  }
}

const stackLike = /\n\s+at |node_modules|node:internal|\.[jt]s:\d+/;

function assertTold(answer: string, what: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  assert.match(head, /^HTTP\/1\.1 \d{3} /, what);
  const [, trackingId] = /\r\nrequesttrackingid: (.*)/i.exec(head) ?? [];
  assert.match(trackingId ?? '', UUID, `${what}\n${answer}`);
  assert.doesNotMatch(body, stackLike, what);
}

const issuerPaths = [
  '/oauth2/token',
  '/oauth2/revoke',
  '/oauth2/jwks',
  '/oauth2/authorize',
  '/oauth2/authorize/x',
  '/oauth2/logout',
  '/oauth2/logout/confirm',
  '/oauth2/logout/success',
  '/oauth2/login/x',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
];

test('a repeated parameter gets a proper response at every path of the issuer', async () => {
  const twice = `client_id=${page.AppKey}&redirect_uri=a&redirect_uri=b`;
  for (const path of issuerPaths) {
    for (const method of ['GET', 'POST', 'HEAD']) {
      const isPost = method === 'POST';
      const { headers, body } = await send(service.production, isPost ? path : `${path}?${twice}`, {
        method,
        headers: { Accept: 'text/html', ...(isPost && { 'Content-Type': 'application/x-www-form-urlencoded' }) },
        ...(isPost && { body: twice }),
      });
      assert.match(String(headers.requesttrackingid), UUID, `${method} ${path}`);
      assert.doesNotMatch(body.toString(), stackLike, `${method} ${path}`);
    }
  }
});

test('continuing a sign-in that was never begun is not a 500', async () => {
  for (const query of [`client_id=${page.AppKey}`, 'client_id=x', 'client_id=x&redirect_uri=a&redirect_uri=b']) {
    const { status, headers } = await send(service.production, `/oauth2/authorize/x?${query}`);
    assert.equal(status, 400, query);
    assert.equal(headers['x-frame-options'], 'DENY');
  }
});

const methods = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'];
const oddPaths = [
  '/oauth2/authorize/%00',
  '/oauth2/authorize/%E0%A4%A',
  '/oauth2/login/%2e%2e',
  '/oauth2/login/__proto__',
  '/oauth2//token',
  '/oauth2/',
  '/oauth2/%ff',
];
const names = (
  'client_id client_secret redirect_uri response_type response_mode scope state nonce prompt max_age login_hint ' +
  'id_token_hint claims request request_uri resource code_challenge code_challenge_method code code_verifier grant_type ' +
  'refresh_token token token_type_hint xsrf logout post_logout_redirect_uri ui_locales acr_values registration display ' +
  'authorization_details __proto__ constructor hasOwnProperty toString user password dpop_jkt client_assertion iss ' +
  'client_assertion_type audience device_code'
).split(' ');
const values = [
  ...['', 'x', '%00', '%', '%zz', '%ff%fe', '[]', '{}', '__proto__', 'constructor', 'A'.repeat(3000), 'https://evil'],
  ...[
    'javascript:alert(1)',
    'openid',
    'content.read',
    'none',
    'login',
    'code',
    'code+id_token',
    'form_post',
    'fragment',
  ],
  ...['web_message', 'S256', 'plain', 'a'.repeat(43), 'eyJhbGciOiJub25lIn0.e30.', 'a.b.c', '..', '%22%3E%3Cscript%3E'],
  ...['%F0%9F%98%80', '%E2%80%AE', '1e309', '-1', '999999999999', 'null', encodeURIComponent(redirectUri)],
];
const types = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-16le',
  'application/x-www-form-urlencoded; charset=nope',
  'application/x-www-form-urlencoded;charset="',
  'application/json',
  'multipart/form-data; boundary=x',
  '*/*',
  '',
];
const grants = ['client_credentials', 'authorization_code', 'refresh_token', 'implicit', 'password'];
const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/** What a request is made of that is known only now. */
interface Known {
  cookies: string[];
  authorizations: string[];
  paths: string[];
}

async function gather(): Promise<Known> {
  const browser = new Browser();
  await signIn(configuration, ann, browser);
  const begun = new Browser();
  const { pathname } = (await begun.open((await begin(configuration)).url)).url;
  const join = ({ cookies }: Browser) => cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const [signedIn, signingIn] = [join(browser), join(begun)];
  const [session = ''] = browser.cookies.map(({ name }) => name);
  return {
    cookies: [
      ...['', '', signedIn, signingIn, `${signedIn}; ${signingIn}`, signedIn.replace(/sig=./, 'sig=Z')],
      ...[`${session}=x`, `${session}=%00; ${session}.sig=`, `${session}="`, `${session}=${'z'.repeat(5000)}`],
      ...['=;=;;;', '\x80\xff=\xff', '__proto__=x'],
    ],
    authorizations: [
      ...['', '', 'Basic', 'Basic %%%', 'Bearer x', 'DPoP x', `Basic ${toBase64(':')}`, `Basic ${toBase64('%ff:%')}`],
      ...[
        `Basic ${toBase64(`${own.AppKey}:${own.Secret}`)}`,
        `Basic ${toBase64(`${page.AppKey}:`)}`,
        `Basic ${toBase64(`${own.AppKey}:x`)}`,
      ],
    ],
    paths: [...issuerPaths, ...issuerPaths, ...oddPaths, pathname],
  };
}

function makeQuery(dice: Dice): string {
  const authorize =
    `client_id=${page.AppKey}&redirect_uri=${encodeURIComponent(redirectUri)}&response_type=code&scope=openid` +
    `&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256`;
  const pairs = Array.from({ length: dice.below(6) }, () => `${dice.one(names)}=${dice.one([...values, page.AppKey])}`);
  const base = dice.one([
    authorize,
    `grant_type=${dice.one(grants)}`,
    `grant_type=${dice.one(grants)}&client_id=${issued.AppKey}`,
  ]);
  return [...(dice.is(0.8) ? [base] : []), ...pairs].join('&');
}

function makeBody(dice: Dice): string {
  const noise = Array.from({ length: 200 }, () => String.fromCharCode(dice.below(256))).join('');
  return dice.one([
    makeQuery(dice),
    makeQuery(dice),
    makeQuery(dice),
    noise,
    'A'.repeat(60_000),
    '',
    '&&&=&',
    'a=%ff&b=%',
  ]);
}

/** In latin1; `isWhole` says that an answer is owed. */
function makeRequest(dice: Dice, known: Known, place: number): { text: string; isWhole: boolean } {
  const path = dice.one(known.paths);
  // The methods that lead somewhere come more often than others.
  const method = dice.is(0.2) ? dice.one(methods) : /token|revoke|confirm|login/.test(path) ? 'POST' : 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const query = !hasBody || dice.is(0.3) ? `?${makeQuery(dice)}` : '';
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    `Host: ${dice.one(['127.0.0.1', 'evil.example', '[::1]', 'a'.repeat(300)])}`,
    'Connection: close',
    // Limits count addresses; they are not what is tried here.
    `X-Forwarded-For: ${dice.is(0.05) ? 'a,b' : `10.9.${place >> 8}.${place & 255}`}`,
  ];
  const add = (name: string, value: string) => value !== '' && lines.push(`${name}: ${value}`);
  add('Cookie', dice.one(known.cookies));
  add('Authorization', dice.one(known.authorizations));
  add('Accept', dice.one(['', 'text/html', 'application/json', 'text/html;q=0', 'x/y']));
  add('Origin', dice.one(['', '', '', 'null', 'https://evil', '\xff']));
  if (dice.is(0.1)) lines.push('X-Forwarded-Proto: javascript', 'X-Forwarded-Host: evil');
  if (!hasBody) return { text: `${lines.join('\r\n')}\r\n\r\n`, isWhole: true };
  add('Content-Type', dice.one(types));
  const body = makeBody(dice);
  const isShort = dice.is(0.05);
  if (dice.is(0.1)) {
    lines.push('Transfer-Encoding: chunked');
    const chunks =
      body === '' ? '0\r\n\r\n' : `${body.length.toString(16)}\r\n${body}\r\n${isShort ? '' : '0\r\n\r\n'}`;
    return { text: `${lines.join('\r\n')}\r\n\r\n${chunks}`, isWhole: !isShort };
  }
  lines.push(`Content-Length: ${body.length + (isShort ? 100 : 0)}`);
  return { text: `${lines.join('\r\n')}\r\n\r\n${body}`, isWhole: !isShort };
}

type Open = () => Promise<Socket>;

function openPlain(): Promise<Socket> {
  const { hostname, port } = new URL(service.production);
  return opened(connect(Number(port), hostname), 'connect');
}

/** With a certificate or without one, by turns. */
function openSecure(dice: Dice): Promise<Socket> {
  const { hostname: host, port } = new URL(String(service.mutualTls));
  const tls = dice.is(0.5) ? issued.tls : { ca: issued.tls.ca };
  return opened(connectTls({ host, port: Number(port), ...tls }), 'secureConnect');
}

async function opened(socket: Socket, event: string): Promise<Socket> {
  await once(socket, event);
  // Who is cut off, or answered before the request is whole, may be reset.
  socket.on('error', () => undefined);
  return socket;
}

/** Everything that comes back until the connection ends. */
function exchange(socket: Socket, text: string): Promise<string> {
  socket.setTimeout(10_000, () => socket.destroy());
  socket.write(text, 'latin1');
  return new Promise((resolve) => {
    let answer = '';
    socket.setEncoding('latin1').on('data', (more: string) => {
      answer += more;
    });
    socket.once('close', () => resolve(answer));
  });
}

async function cut(socket: Socket, text: string, dice: Dice): Promise<void> {
  socket.write(text.slice(0, dice.below(text.length)), 'latin1');
  await new Promise((resolve) => setTimeout(resolve, dice.below(6)));
  if (dice.is(0.5) && !('encrypted' in socket)) socket.resetAndDestroy();
  else socket.destroy();
}

async function storm(open: Open, dice: Dice, known: Known): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  let sent = 0;
  const goOn = async () => {
    while (sent < requestCount) {
      sent += 1;
      const { text, isWhole } = makeRequest(dice, known, sent);
      const isCut = dice.is(0.15) || !isWhole;
      const socket = await open();
      if (isCut) {
        await cut(socket, text, dice);
        continue;
      }
      const answer = await exchange(socket, text);
      assertTold(answer, text.slice(0, 2000));
      const status = answer.slice(9, 12);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, goOn));
  return statuses;
}

test('hundreds of malformed requests each get a proper error', async () => {
  const dice = new Dice();
  const known = await gather();
  for (const open of [openPlain, () => openSecure(dice)]) {
    const statuses = await storm(open, dice, known);
    const answered = statuses.values().reduce((sum, count) => sum + count, 0);
    const found = answered - (statuses.get('404') ?? 0);
    assert.equal(statuses.get('500'), undefined);
    assert.ok(
      answered > requestCount * 0.6 && found > requestCount * 0.1,
      `${answered} answers, ${found} of them by the issuer`,
    );
    assert.equal(service.process.exitCode, null, service.errors());
  }
  await signIn(configuration, ann);
  await fetchBound(through(String(service.mutualTls), issued.tls), issued.AppKey);
  tally('bad credentials');
});
