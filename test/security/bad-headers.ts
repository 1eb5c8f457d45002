// A valid token in a wrong place or a wrong encoding, and wrong AppKeys.

import { encode, type Forge, seal } from './forge.ts';
import { authorizationInvalid, type Family, type Refused, show, tokenInvalid, withoutError } from './refused.ts';

export const requestFamilies: Family[] = [
  { title: 'An Authorization that is not "Bearer <token>" is refused', make: makeWrappings },
  { title: 'A token in another alphabet than base64url is refused', make: makeAlphabets },
  { title: 'A token with padding is refused', make: makePadded },
  { title: 'A token anywhere but in Authorization is none', make: makeElsewhere },
  { title: 'Credentials that are sent twice, or that are no HTTP, are refused as such', make: makeMalformed },
  { title: 'A good token without its own AppKey is refused', make: makeAppKeys },
];

function makeWrappings(forge: Forge): Refused[] {
  const good = forge.token();
  const { AppKey, Secret } = forge.application;
  const basic = Buffer.from(`${AppKey}:${Secret}`).toString('base64');
  const texts: Record<string, string> = {
    'the scheme alone': 'Bearer',
    'the scheme and spaces': 'Bearer   ',
    'the token alone': good,
    'a tab between': `Bearer\t${good}`,
    'nothing between': `Bearer${good}`,
    'a colon between': `Bearer: ${good}`,
    'an equals sign between': `Bearer=${good}`,
    'the scheme twice': `Bearer Bearer ${good}`,
    'quotes around': `Bearer "${good}"`,
    'angle brackets around': `Bearer <${good}>`,
    'a parameter': `Bearer token=${good}`,
    'a parameter behind': `Bearer ${good} realm=x`,
    'two tokens': `Bearer ${good} ${good}`,
    'two tokens with a comma': `Bearer ${good},${good}`,
    'two credentials with a comma': `Bearer ${good}, Bearer ${good}`,
    'a token, then Basic': `Bearer ${good}, Basic ${basic}`,
    'Basic, then a token': `Basic ${basic}, Bearer ${good}`,
    'a semicolon behind': `Bearer ${good};`,
    'a comma behind': `Bearer ${good},`,
    Basic: `Basic ${basic}`,
    'Basic with the token as its secret': `Basic ${Buffer.from(`${AppKey}:${good}`).toString('base64')}`,
    'Basic with the token': `Basic ${good}`,
    DPoP: `DPoP ${good}`,
    Token: `Token ${good}`,
    Negotiate: `Negotiate ${good}`,
    JWT: `JWT ${good}`,
    'the secret as token': `Bearer ${Secret}`,
    'the AppKey as token': `Bearer ${AppKey}`,
    'the words null, undefined and true': 'Bearer null',
    'a text of 15 KB': `Bearer ${'x'.repeat(15 * 1024)}`,
    '15 KB of dots': `Bearer ${'.'.repeat(15 * 1024)}`,
    '10 KB of equals signs': `Bearer x${'='.repeat(10 * 1024)}`,
  };
  return Object.entries(texts).map(([name, text]) => authorizationInvalid(name, text));
}

function makeAlphabets(forge: Forge): Refused[] {
  // Its base64 has the letters in which the two alphabets differ.
  const odd = { x: '~~~???>>>' };
  const [head = '', claims = '', signature = ''] = findSignatureWith(/[-_]/, forge).split('.');
  const toBase64 = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/');
  const good = `${head}.${claims}.${signature}`;
  const signed = (input: string) => seal(input, forge.key);
  const texts: Record<string, string> = {
    'the signature in base64': `${head}.${claims}.${toBase64(signature)}`,
    'the header in base64': signed(`${toBase64(encode({ ...forge.header, ...odd }))}.${claims}`),
    'the claims in base64': signed(`${head}.${toBase64(encode({ ...forge.claims, ...odd }))}`),
    'a space in the claims': `${head}.${claims.slice(0, 9)} ${claims.slice(9)}.${signature}`,
    'a tab in the claims': `${head}.${claims.slice(0, 9)}\t${claims.slice(9)}.${signature}`,
    'a space before the signature': `${head}.${claims}. ${signature}`,
    'a space inside, signed': signed(`${head}.${claims.slice(0, 9)} ${claims.slice(9)}`),
    'a letter beyond ASCII behind': `${good}\xe9`,
    'a letter beyond ASCII inside': `${head}.${claims.slice(0, 9)}\xe9${claims.slice(9)}.${signature}`,
    'a byte order mark in front': `\xef\xbb\xbf${good}`,
    'a no-break space in front': `\xa0${good}`,
    'percent-encoded dots': good.replaceAll('.', '%2E'),
    'a tilde': `${good}~`,
    'a plus sign': `${good}+`,
    'a slash': `${good}/`,
    'one letter too many': `${good}AAA`,
    'as hexadecimal text': good
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.'),
  };
  return Object.entries(texts).map(([name, text]) => tokenInvalid(name, text));
}

/** RFC 7515, section 2: base64url "with all trailing '=' characters omitted". */
function makePadded(forge: Forge): Refused[] {
  const [head = '', claims = '', signature = ''] = forge.token().split('.');
  const pad = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=');
  const padded = toPaddable(forge.claims);
  const texts: Record<string, string> = {
    'a padded signature': `${head}.${claims}.${pad(signature)}`,
    'one sign too few': `${head}.${claims}.${signature}=`,
    'one sign too many': `${head}.${claims}.${signature}===`,
    'padded claims, signed': seal(`${head}.${pad(padded)}`, forge.key),
    'padded claims': `${head}.${pad(padded)}.${signature}`,
  };
  return Object.entries(texts).map(([name, text]) => tokenInvalid(name, text));
}

function makeElsewhere(forge: Forge): Refused[] {
  const good = forge.token();
  const missing = (name: string, more: Partial<Refused>): Refused => ({
    name,
    status: 401,
    code: 'TokenMissing',
    challenge: withoutError,
    ...more,
    headers: { Authorization: undefined, ...more.headers },
  });
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return [
    missing('nowhere', {}),
    missing('an empty Authorization', { headers: { Authorization: '' } }),
    missing('an Authorization of spaces', { headers: { Authorization: '   ' } }),
    ...['access_token', 'token', 'Authorization', 'bearer_token'].map((name) =>
      missing(`${name} in the address`, { query: `?${name}=${good}` }),
    ),
    missing('in a form', { headers: form, body: `access_token=${good}&FolderName=x` }),
    missing('in JSON', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ access_token: good }),
    }),
    ...['Proxy-Authorization', 'X-Authorization', 'Authorization2', 'X-Forwarded-Authorization'].map((name) =>
      missing(`in ${name}`, { headers: { [name]: `Bearer ${good}` } }),
    ),
    ...['X-Access-Token', 'access_token', 'Token'].map((name) => missing(`in ${name}`, { headers: { [name]: good } })),
    missing('in a cookie', { headers: { Cookie: `access_token=${good}; Authorization=Bearer ${good}` } }),
    missing('in Sec-WebSocket-Protocol', { headers: { 'Sec-WebSocket-Protocol': `bearer, ${good}` } }),
  ];
}

function makeMalformed(forge: Forge): Refused[] {
  const { AppKey } = forge.application;
  const [good, bad] = [`Bearer ${forge.token()}`, 'Bearer x'];
  const refused = (code: string, changes: Record<string, Refused['headers']>): Refused[] =>
    Object.entries(changes).map(([name, headers]) => ({ name, headers, status: 400, code, challenge: undefined }));
  return [
    ...refused('DuplicateHeader', {
      'the same Authorization twice': { Authorization: [good, good] },
      'a good one, then a bad one': { Authorization: [good, bad] },
      'a bad one, then a good one': { Authorization: [bad, good] },
      'a good one, then an empty one': { Authorization: [good, ''] },
      'a good one, then Basic': { Authorization: [good, 'Basic eDp5'] },
      'in two spellings': { Authorization: good, authorization: bad },
      'the same AppKey twice': { AppKey: [AppKey, AppKey] },
      'another AppKey first': { AppKey: [forge.neighbour.AppKey, AppKey] },
      'another AppKey behind': { AppKey: [AppKey, forge.neighbour.AppKey] },
      'AppKey in two spellings': { AppKey, APPKEY: AppKey },
      'both twice': { Authorization: [good, good], AppKey: [AppKey, AppKey] },
    }),
    ...refused('MalformedRequest', {
      'NUL in the token': { Authorization: `${good}\0` },
      'NUL in the AppKey': { AppKey: `${AppKey}\0` },
      'a bare carriage return in the token': { Authorization: `${good}\rx` },
      'a space before the colon': { 'Authorization ': good },
    }),
    ...refused('HeadersTooLarge', {
      'a token of 16 KB': { Authorization: `Bearer ${'x'.repeat(16 * 1024)}` },
      'an AppKey of 16 KB': { AppKey: 'x'.repeat(16 * 1024) },
    }),
  ];
}

function makeAppKeys(forge: Forge): Refused[] {
  const { AppKey, Name, RootFolderId } = forge.application;
  const unknown = [
    'x',
    Name,
    RootFolderId,
    `ak_${'0'.repeat(32)}`,
    AppKey.toUpperCase(),
    AppKey.slice(0, -1),
    `${AppKey}x`,
    `${AppKey} x`,
    `${AppKey}, ${AppKey}`,
    `"${AppKey}"`,
    `${AppKey}%00`,
    `${AppKey}\xe9`,
    AppKey.replace('ak_', ''),
    encodeURIComponent(` ${AppKey}`),
    '*',
    "x' OR '1'='1",
    '__proto__',
    'undefined',
    'k'.repeat(8000),
  ];
  const Authorization = `Bearer ${forge.token()}`;
  const refused = (name: string, value: string | undefined, code: string): Refused => ({
    name,
    headers: { Authorization, AppKey: value },
    status: 401,
    code,
    challenge: withoutError,
  });
  return [
    refused('no AppKey', undefined, 'AppKeyMissing'),
    refused('an empty AppKey', '', 'AppKeyMissing'),
    refused('an AppKey of spaces', '   ', 'AppKeyMissing'),
    ...unknown.map((value) => refused(`AppKey ${show(value)}`, value, 'AppKeyUnknown')),
    refused('another application’s AppKey', forge.neighbour.AppKey, 'AppKeyMismatch'),
    {
      ...refused('X-AppKey instead', undefined, 'AppKeyMissing'),
      headers: { Authorization, AppKey: undefined, 'X-AppKey': AppKey },
    },
    { ...refused('AppKey in the address', undefined, 'AppKeyMissing'), query: `?AppKey=${AppKey}` },
  ];
}

/** A good token whose signature has such a letter; nearly all have. */
function findSignatureWith(letters: RegExp, forge: Forge): string {
  for (;;) {
    const token = forge.token();
    if (letters.test(token.split('.')[2] ?? '')) return token;
  }
}

/** The claims, if need be with a space behind, so that their base64 would be padded. */
function toPaddable(claims: object): string {
  const text = JSON.stringify(claims);
  return encode(text.length % 3 === 0 ? `${text} ` : text);
}
