// Tokens signed by the service's own key with one wrong claim, and strings that are no JWT.

import { deflateRawSync } from 'node:zlib';
import { encode, type Forge, seal, toAudience, toInput } from './forge.ts';
import {
  claimsInvalid,
  type Family,
  invalidToken,
  type Refused,
  show,
  tokenInvalid,
  valuesInvalid,
  withoutError,
} from './refused.ts';

const unknownKey = `ak_${'0'.repeat(32)}`;
const thumbprint = 'A'.repeat(43);

export const claimFamilies: Family[] = [
  { title: 'A token for another audience is refused', make: makeAudiences },
  { title: 'A token of another issuer is refused', make: makeIssuers },
  { title: 'A token that has expired, or does not say when it will, is refused', make: makeExpiries },
  { title: 'A token that is not valid yet, or does not say since when, is refused', make: makeBeginnings },
  { title: 'A token of a later hour is refused', make: makeLater },
  { title: 'A token that outlives its hour is refused', make: makeUndying },
  { title: 'A token of an unclear subject or without an id is refused', make: makeSubjects },
  { title: 'A token of no application, of an unclear one or of another is refused', make: makeClients },
  { title: 'A token of scopes that are no text is refused', make: makeScopes },
  { title: 'A token that is bound to anything is refused where no certificate is shown', make: makeBound },
  { title: 'A token of a sign-in that never was is refused', make: makeGrants },
  { title: 'A token whose names stand twice is refused when the last of them is wrong', make: makeDoubled },
];

function makeAudiences(forge: Forge): Refused[] {
  const own = toAudience(forge.issuer);
  const near = [
    `${own}/`,
    own.slice(0, -1),
    `${own}x`,
    own.toUpperCase(),
    ` ${own}`,
    `${own} ${own}`,
    `${own}\0`,
    `${own}#`,
  ];
  const foreign = [
    forge.issuer,
    toAudience(forge.foreignIssuer),
    forge.application.AppKey,
    'https://other.example',
    '*',
    '',
  ];
  const shapes = [undefined, null, 5, true, {}, { [own]: true }, [], [[own]], [null], near, foreign];
  return valuesInvalid(forge, 'aud', [...near, ...foreign, ...shapes]);
}

function makeIssuers(forge: Forge): Refused[] {
  const own = forge.issuer;
  const { port } = new URL(own);
  const near = [
    `${own}/`,
    own.slice(0, -1),
    own.toUpperCase(),
    own.replace('http:', 'https:'),
    ` ${own}`,
    `${own}\0`,
    `${own}?`,
  ];
  const hosts = [
    `http://localhost:${port}`,
    `http://127.1:${port}`,
    `${own}@evil.example`,
    `${own}/.well-known/openid-configuration`,
  ];
  const shapes = [forge.foreignIssuer, 'https://issuer.example', '', undefined, null, 5, [own], { iss: own }];
  return valuesInvalid(forge, 'iss', [...near, ...hosts, ...shapes]);
}

function makeExpiries(forge: Forge): Refused[] {
  const { nowSeconds: now } = forge;
  const past = [now - 31, now - 60, now - 3600, now - 86_400.5, 1.5, 1, 0, -1, -1e300];
  const shapes = [
    undefined,
    null,
    String(now + 3600),
    'NaN',
    '',
    'never',
    true,
    false,
    [now + 3600],
    { exp: now + 3600 },
  ];
  const raw = ['NaN', 'Infinity', '-1e999', '0x7fffffff', '"1e300"'].map((text) =>
    tokenInvalid(`exp ${text} as it is`, forge.token({ claims: withRaw(forge, 'exp', text) })),
  );
  return [...valuesInvalid(forge, 'exp', [...past, ...shapes]), ...raw];
}

/** Ours live an hour: what would live on is none of ours, whoever signed it. */
function makeUndying(forge: Forge): Refused[] {
  const { nowSeconds: now } = forge;
  const years = [1, 10, 1000].map((count) => now + count * 31_536_000);
  return [
    ...valuesInvalid(forge, 'exp', [now + 2 * 86_400, ...years, Number.MAX_SAFE_INTEGER, 1e300]),
    tokenInvalid('exp beyond all numbers', forge.token({ claims: withRaw(forge, 'exp', '1e999') })),
  ];
}

function makeBeginnings(forge: Forge): Refused[] {
  const { nowSeconds: now } = forge;
  return [
    ...valuesInvalid(forge, 'nbf', [now + 120, now + 3600, 1e300, String(now), 'NaN', null, true, [now], {}]),
    ...valuesInvalid(forge, 'iat', [undefined, null, String(now), 'NaN', true, [now], {}]),
  ];
}

function makeLater(forge: Forge): Refused[] {
  const { nowSeconds: now } = forge;
  const later = { iat: now + 7200, exp: now + 10_800 };
  return [
    ...valuesInvalid(forge, 'iat', [now + 120, now + 3599, now + 86_400, 1e300]),
    ...claimsInvalid(forge, { 'an hour that begins in two': later }),
  ];
}

function makeSubjects(forge: Forge): Refused[] {
  const own = forge.application.AppKey;
  const others = [
    forge.neighbour.AppKey,
    unknownKey,
    'ann',
    '',
    `${own} `,
    own.toUpperCase(),
    `app:${forge.application.Name}`,
  ];
  return [
    ...valuesInvalid(forge, 'sub', [...others, undefined, null, 5, true, [own], { sub: own }]),
    ...claimsInvalid(forge, {
      'jti missing': { jti: undefined },
      'nothing but who it is': { iss: undefined, aud: undefined, exp: undefined, iat: undefined, jti: undefined },
    }),
  ];
}

function makeClients(forge: Forge): Refused[] {
  const own = forge.application.AppKey;
  const { AppKey: other } = forge.neighbour;
  const unlike = [undefined, null, 5, true, [own], { own }, '', ` ${own}`, own.toUpperCase(), other, unknownKey];
  const elsewhere = [other, unknownKey, `${own}x`, own.toUpperCase(), ''];
  return [
    ...valuesInvalid(forge, 'client_id', unlike),
    ...claimsInvalid(forge, { 'azp instead of client_id': { client_id: undefined, azp: own, appid: own } }),
    ...elsewhere.map((clientId) => ({
      ...tokenInvalid(`a token of ${show(clientId)}`, forge.token({ claims: { client_id: clientId, sub: clientId } })),
      code: 'AppKeyMismatch',
      challenge: withoutError,
    })),
    {
      ...tokenInvalid(
        'an application that does not exist',
        forge.token({ claims: { client_id: unknownKey, sub: unknownKey } }),
      ),
      headers: {
        Authorization: `Bearer ${forge.token({ claims: { client_id: unknownKey, sub: unknownKey } })}`,
        AppKey: unknownKey,
      },
      code: 'AppKeyUnknown',
      challenge: withoutError,
    },
  ];
}

function makeScopes(forge: Forge): Refused[] {
  return valuesInvalid(forge, 'scope', [
    5,
    true,
    null,
    ['content.read', 'content.write'],
    { 'content.read': true },
    [],
  ]);
}

/** A token that is bound to a certificate is refused elsewhere with the code of the certificate (docs/contract.md §5.3). */
function makeBound(forge: Forge): Refused[] {
  const x5t = 'x5t#S256';
  const unclear = [
    null,
    {},
    [],
    '',
    thumbprint,
    5,
    true,
    { jkt: thumbprint },
    { jwk: forge.strangersJwk },
    { kid: forge.kid },
    { [x5t]: null },
    { [x5t]: 5 },
    { [x5t]: '' },
    { [x5t]: [thumbprint] },
    { [x5t]: thumbprint.slice(1) },
    { [x5t]: `${thumbprint}=` },
    { [x5t]: thumbprint, jkt: thumbprint },
    { 'X5T#s256': thumbprint },
    { x5t: thumbprint },
  ];
  const bound = { Authorization: `Bearer ${forge.token({ claims: { cnf: { [x5t]: thumbprint } } })}` };
  return [
    ...valuesInvalid(forge, 'cnf', unclear),
    { name: 'bound', headers: bound, status: 401, code: 'CertificateInvalid', challenge: invalidToken },
  ];
}

function makeGrants(forge: Forge): Refused[] {
  const own = forge.application.AppKey;
  const people = ['ann', 'no-one', own, '', '-root-', "x' OR '1'='1", 'a\0b'];
  const grants = ['x', '', 'A'.repeat(43), "x' OR '1'='1"];
  const texts = people.flatMap((sub) => grants.map((grant) => ({ sub, grant })));
  const shapes = [5, true, null, ['x'], {}].map((grant) => ({ sub: 'ann', grant }));
  return [...texts, ...shapes].map((claims) =>
    tokenInvalid(`sub ${show(claims.sub)}, grant ${show(claims.grant)}`, forge.token({ claims })),
  );
}

/** RFC 7519, section 4: the last one counts, or all is refused; never the first. */
function makeDoubled(forge: Forge): Refused[] {
  const { kid, nowSeconds } = forge;
  const claim = (name: string, last: unknown) =>
    `${JSON.stringify(forge.claims).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(last)}}`;
  const header = `{"alg":"ES256","typ":"at+jwt","kid":"${kid}"`;
  const inClaims = [
    ['exp', nowSeconds - 3600],
    ['aud', 'https://other.example'],
    ['iss', forge.foreignIssuer],
    ['client_id', forge.neighbour.AppKey],
    ['sub', 'ann'],
  ] as const;
  const inHeader = ['"alg":"none"', '"alg":"HS256"', '"typ":"JWT"', '"kid":"x"', '"crit":["x"]'];
  return [
    ...inClaims.map(([name, last]) => tokenInvalid(`${name} twice`, forge.token({ claims: claim(name, last) }))),
    ...inHeader.map((last) => tokenInvalid(`then ${last}`, forge.token({ header: `${header},${last}}` }))),
    tokenInvalid('none first, and no signature', `${toInput(`{"alg":"none",${header.slice(1)}}`, forge.claims)}.`),
    tokenInvalid('exp in the prototype', forge.token({ claims: withPrototype(forge) })),
  ];
}

function withRaw({ claims }: Forge, claim: string, text: string): string {
  return JSON.stringify({ ...claims, [claim]: 0 }).replace(`"${claim}":0`, `"${claim}":${text}`);
}

function withPrototype({ claims, nowSeconds }: Forge): string {
  const rest = JSON.stringify({ ...claims, exp: undefined });
  return `{"__proto__":{"exp":${nowSeconds + 3600}},${rest.slice(1)}`;
}

export const shapeFamilies: Family[] = [
  { title: 'A token whose parts are not what they should be is refused, though signed', make: makeShapes },
  { title: 'A token of another number of parts is refused', make: makeParts },
];

function makeShapes(forge: Forge): Refused[] {
  const { header, claims, key } = forge;
  const json = JSON.stringify(claims);
  const texts = [
    '',
    'x',
    'null',
    '5',
    '"text"',
    '[]',
    `[${json}]`,
    `"${encode(claims)}"`,
    `${json}x`,
    json.slice(0, -1),
    `${json}${json}`,
  ];
  const heads = ['', 'x', 'null', '5', '[]', `[${JSON.stringify(header)}]`, `${JSON.stringify(header)}x`];
  const inner = forge.token();
  const deflated = deflateRawSync(json).toString('base64url');
  const latin1 = Buffer.from(`${json.slice(0, -1)},"name":"\xe9"}`, 'latin1').toString('base64url');
  const utf16 = Buffer.from(json, 'utf16le').toString('base64url');
  const head = encode(header);
  return [
    ...texts.map((text) => tokenInvalid(`claims ${show(text)}`, forge.token({ claims: text }))),
    ...heads.map((text) => tokenInvalid(`header ${show(text)}`, seal(toInput(text, claims), key))),
    tokenInvalid('a token in a token', forge.token({ header: { cty: 'JWT' }, claims: inner })),
    tokenInvalid('a token in a token, as text', forge.token({ header: { cty: 'JWT' }, claims: JSON.stringify(inner) })),
    tokenInvalid('compressed claims', seal(`${encode({ ...header, zip: 'DEF' })}.${deflated}`, key)),
    tokenInvalid('claims in latin1', seal(`${head}.${latin1}`, key)),
    tokenInvalid('claims in UTF-16', seal(`${head}.${utf16}`, key)),
    tokenInvalid('claims encoded twice', seal(`${head}.${encode(encode(claims))}`, key)),
    tokenInvalid('claims and header swapped', seal(`${encode(claims)}.${head}`, key)),
  ];
}

function makeParts(forge: Forge): Refused[] {
  const [head = '', claims = '', signature = ''] = forge.token().split('.');
  const encrypted = encode({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt', kid: forge.kid });
  const agreed = encode({ alg: 'ECDH-ES', enc: 'A256GCM', typ: 'at+jwt', epk: forge.strangersJwk });
  const texts: Record<string, string> = {
    'one part': head,
    'a dot alone': '.',
    'two dots alone': '..',
    'two parts': `${head}.${claims}`,
    'no header': `.${claims}.${signature}`,
    'no claims': `${head}..${signature}`,
    'four parts': `${head}.${claims}.${signature}.`,
    'four full parts': `${head}.${claims}.${signature}.${signature}`,
    'five parts': `${head}.${claims}.${signature}..`,
    'seven parts': `${head}.${claims}.${signature}.${head}.${claims}.${signature}.x`,
    'a dot in front': `.${head}.${claims}.${signature}`,
    'two dots between': `${head}..${claims}.${signature}`,
    'encrypted, with a shared key': `${encrypted}..${'A'.repeat(16)}.${claims}.${'A'.repeat(22)}`,
    'encrypted, with an agreed key': `${agreed}..${'A'.repeat(16)}.${claims}.${'A'.repeat(22)}`,
    'a token behind a token': `${head}.${claims}.${signature}${head}.${claims}.${signature}`,
  };
  return Object.entries(texts).map(([name, text]) => tokenInvalid(name, text));
}
