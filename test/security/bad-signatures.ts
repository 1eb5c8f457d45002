// Tokens with valid claims and an invalid signature: algorithms, signatures and keys.

import {
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type SignKeyObjectInput,
  sign,
} from 'node:crypto';
import { encode, type Forge, type Part, seal, toInput } from './forge.ts';
import { type Family, headersInvalid, type Refused, show, tokenInvalid } from './refused.ts';

/** The order of the group of P-256. */
const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

export const signatureFamilies: Family[] = [
  { title: 'A token that asks for no algorithm is refused, signed or not', make: makeUnsigned },
  { title: 'A token whose secret is the public key is refused', make: makeHmacs },
  { title: 'A token that names another algorithm than its key’s is refused', make: makeMislabelled },
  { title: 'A token of another kind of key is refused', make: makeOtherKinds },
  { title: 'A token whose signature was left out, cut or made longer is refused', make: makeResized },
  {
    title: 'A token whose signature is of special numbers, of another form or of another text is refused',
    make: makeSpecial,
  },
  { title: 'A token of a foreign kid is refused, whoever signed it', make: makeKids },
  { title: 'A token that brings its own key is refused', make: makeOwnKeys },
];

function makeUnsigned(forge: Forge): Refused[] {
  const spellings = [
    'none',
    'None',
    'NONE',
    'nOnE',
    'noNE',
    ' none',
    'none ',
    'none\0',
    'n\u043ene',
    '',
    null,
    undefined,
  ];
  return spellings.flatMap((alg) => {
    const input = toInput({ ...forge.header, alg }, forge.claims);
    const name = `alg ${show(alg)}`;
    return [
      tokenInvalid(`${name}, no signature`, `${input}.`),
      tokenInvalid(`${name}, signed`, seal(input, forge.key)),
    ];
  });
}

function makeHmacs(forge: Forge): Refused[] {
  const pem = String(forge.publicKey.export({ format: 'pem', type: 'spki' }));
  const der = forge.publicKey.export({ format: 'der', type: 'spki' });
  const jwk = forge.publicKey.export({ format: 'jwk' });
  const secrets: Record<string, string | Buffer> = {
    'the PEM text': pem,
    'the PEM text without its last newline': pem.trimEnd(),
    'the PEM text after a newline': `\n${pem}`,
    'the PEM text after a space': ` ${pem}`,
    'the PEM text with a space behind': `${pem} `,
    'the PEM text with CRLF': pem.replaceAll('\n', '\r\n'),
    'the DER bytes': der,
    'the DER bytes in base64': der.toString('base64'),
    'the JWK': JSON.stringify(jwk),
    'the JWK as published': JSON.stringify({ ...jwk, kid: forge.kid, alg: 'ES256', use: 'sig' }),
    'the x coordinate': Buffer.from(String(jwk.x), 'base64url'),
    'the x coordinate in base64url': String(jwk.x),
    'the kid': forge.kid,
    nothing: '',
  };
  return ['256', '384', '512'].flatMap((bits) =>
    Object.entries(secrets).map(([name, secret]) => {
      const input = toInput({ ...forge.header, alg: `HS${bits}` }, forge.claims);
      const mac = createHmac(`sha${bits}`, secret).update(input).digest('base64url');
      return tokenInvalid(`HS${bits} with ${name}`, `${input}.${mac}`);
    }),
  );
}

function makeMislabelled(forge: Forge): Refused[] {
  const names = 'RS256 RS384 RS512 PS256 PS384 PS512 ES384 ES512 ES256K EdDSA Ed25519 HS256 dir A256GCMKW es256'.split(
    ' ',
  );
  const values = [...names, 'ES256 ', 'ES256\0', ['ES256'], { alg: 'ES256' }, 256, true];
  return values.map((alg) => tokenInvalid(`${show(alg)} over ES256`, forge.token({ header: { alg } })));
}

function makeOtherKinds(forge: Forge): Refused[] {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const ed = generateKeyPairSync('ed25519').privateKey;
  const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
  const kinds: [string, string | null, SignKeyObjectInput][] = [
    ['RS256', 'sha256', { key: rsa }],
    ['RS512', 'sha512', { key: rsa }],
    ['PS256', 'sha256', { key: rsa, padding: 6, saltLength: 32 }],
    ['ES384', 'sha384', { key: curve('P-384'), dsaEncoding: 'ieee-p1363' }],
    ['ES512', 'sha512', { key: curve('P-521'), dsaEncoding: 'ieee-p1363' }],
    ['ES256K', 'sha256', { key: curve('secp256k1'), dsaEncoding: 'ieee-p1363' }],
    ['EdDSA', null, { key: ed }],
    ['Ed25519', null, { key: ed }],
  ];
  const honest = kinds.map(([alg, digest, key]) => [`${alg} by a key of its own`, signAs(forge, alg, digest, key)]);
  const posing = kinds.map(([alg, digest, key]) => [`ES256 made by ${alg}`, signAs(forge, 'ES256', digest, key)]);
  return [...honest, ...posing].map(([name = '', token = '']) => tokenInvalid(name, token));
}

function signAs(forge: Forge, alg: string, digest: string | null, key: SignKeyObjectInput): string {
  const input = toInput({ ...forge.header, alg }, forge.claims);
  return `${input}.${sign(digest, Buffer.from(input), key).toString('base64url')}`;
}

function makeResized(forge: Forge): Refused[] {
  const { input, signature } = split(forge.token());
  const cut = [1, 2, 16, 31, 32, 33, 48, 62, 63].map((bytes): [string, Buffer] => [
    `${bytes} bytes cut off`,
    signature.subarray(0, -bytes),
  ]);
  const begun = [1, 32].map((bytes): [string, Buffer] => [`${bytes} bytes cut in front`, signature.subarray(bytes)]);
  const longer = [1, 2, 32, 64, 1000].flatMap((bytes): [string, Buffer][] => [
    [`${bytes} zeros behind`, Buffer.concat([signature, Buffer.alloc(bytes)])],
    [`${bytes} zeros in front`, Buffer.concat([Buffer.alloc(bytes), signature])],
  ]);
  const twice: [string, Buffer] = ['the signature twice', Buffer.concat([signature, signature])];
  return [
    tokenInvalid('no third part', input),
    tokenInvalid('an empty signature', `${input}.`),
    ...[...cut, ...begun, ...longer, twice].map(([name, bytes]) => withSignature(name, input, bytes)),
  ];
}

function makeSpecial(forge: Forge): Refused[] {
  const { input, signature } = split(forge.token());
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const [zero, ones] = [Buffer.alloc(32), Buffer.alloc(32, 0xff)];
  const one = Buffer.concat([Buffer.alloc(31), Buffer.from([1])]);
  const pairs: Record<string, [Buffer, Buffer]> = {
    'r and s zero': [zero, zero],
    'r zero': [zero, s],
    's zero': [r, zero],
    'r and s one': [one, one],
    'r the order of the group': [order, s],
    's the order of the group': [r, order],
    'r and s the order of the group': [order, order],
    'r and s beyond the group': [ones, ones],
    'r and s swapped': [s, r],
    'r twice': [r, r],
    's twice': [s, s],
  };
  const other = split(forge.token({ claims: { jti: 'another' } }));
  const over = (text: string, digest = 'sha256') =>
    sign(digest, Buffer.from(text), { key: forge.key, dsaEncoding: 'ieee-p1363' });
  const [head = '', claims = ''] = input.split('.');
  const forms: Record<string, Buffer> = {
    'in DER': sign('sha256', Buffer.from(input), { key: forge.key, dsaEncoding: 'der' }),
    'as hexadecimal text': Buffer.from(signature.toString('hex')),
    reversed: Buffer.from(signature).reverse(),
    'of another token': other.signature,
    'over the header alone': over(head),
    'over the claims alone': over(claims),
    'over both without the dot': over(head + claims),
    'over the digest': over(createHash('sha256').update(input).digest('latin1')),
    'with SHA-1': over(input, 'sha1'),
    'with SHA-384': over(input, 'sha384'),
    'with SHA-512': over(input, 'sha512'),
    'by a stranger under our kid': split(forge.token({ key: forge.strangersKey })).signature,
  };
  return [
    ...Object.entries(pairs).map(([name, pair]) => withSignature(name, input, Buffer.concat(pair))),
    ...Object.entries(forms).map(([name, bytes]) => withSignature(`the signature ${name}`, input, bytes)),
  ];
}

function makeKids(forge: Forge): Refused[] {
  const { kid, strangersKey } = forge;
  const foreign = [
    '',
    'x',
    kid.slice(0, -1),
    `${kid}x`,
    `${kid} `,
    `${kid}\0`,
    `\0${kid}`,
    swapCase(kid),
    '../../../../../../dev/null',
    '/dev/null',
    `../production/keys.json`,
    "x' OR '1'='1",
    `${kid}' UNION SELECT '`,
    '__proto__',
    'constructor',
    'k'.repeat(10 * 1024),
  ];
  const notTexts = [null, 5, true, [kid], { kid }];
  return [
    ...[...foreign, ...notTexts].map((value) =>
      tokenInvalid(`our key under kid ${show(value)}`, forge.token({ header: { kid: value } })),
    ),
    ...[...foreign, ...notTexts, undefined].map((value) =>
      tokenInvalid(
        `a stranger’s key under kid ${show(value)}`,
        forge.token({ header: { kid: value }, key: strangersKey }),
      ),
    ),
    tokenInvalid('HS256 of the empty file that kid leads to', withEmptyKey(forge)),
  ];
}

function withEmptyKey(forge: Forge): string {
  const input = toInput({ ...forge.header, alg: 'HS256', kid: '/dev/null' }, forge.claims);
  return `${input}.${createHmac('sha256', '').update(input).digest('base64url')}`;
}

/** Each is signed by the key that it brings or points at; without a kid, too, and under ours. */
function makeOwnKeys(forge: Forge): Refused[] {
  const { strangersKey, strangersJwk, attackerUrl } = forge;
  const der = strangersKey.export({ format: 'der', type: 'pkcs8' });
  const certificate = forge.strangersCertificate;
  const thumbprint = (hash: string) => createHash(hash).update(Buffer.from(certificate, 'base64')).digest('base64url');
  const ways: Record<string, Record<string, unknown>> = {
    jwk: { jwk: strangersJwk },
    'jwk with our kid in it': { jwk: { ...strangersJwk, kid: forge.kid } },
    'jwk with the private half': {
      jwk: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' }),
    },
    jku: { jku: `${attackerUrl}/keys` },
    'jku behind our own address': { jku: `${forge.issuer}@${new URL(attackerUrl).host}/keys` },
    x5u: { x5u: `${attackerUrl}/certificate` },
    x5c: { x5c: [certificate] },
    'x5c and its thumbprints': { x5c: [certificate], x5t: thumbprint('sha1'), 'x5t#S256': thumbprint('sha256') },
    'all of them': { jwk: strangersJwk, jku: `${attackerUrl}/keys`, x5u: `${attackerUrl}/c`, x5c: [certificate] },
  };
  const kids: Record<string, Part> = {
    'our kid': {},
    'no kid': { kid: undefined },
    'its own kid': { kid: 'stranger' },
  };
  return Object.entries(ways).flatMap(([way, header]) =>
    Object.entries(kids).map(([name, kid]) =>
      tokenInvalid(`${way}, ${name}`, forge.token({ header: { ...header, ...(kid as object) }, key: strangersKey })),
    ),
  );
}

export const headerFamilies: Family[] = [
  { title: 'A token with extensions that must be understood is refused', make: makeCritical },
  { title: 'A token of another type is refused', make: makeTypes },
];

function makeCritical(forge: Forge): Refused[] {
  const raw = `${encode({ ...forge.header, b64: false, crit: ['b64'] })}.${JSON.stringify(forge.claims)}`;
  return [
    ...headersInvalid(forge, {
      'crit unknown': { crit: ['x'], x: 1 },
      'crit unknown and absent': { crit: ['x'] },
      'crit known and unknown': { crit: ['b64', 'x'], b64: true, x: 1 },
      'crit empty': { crit: [] },
      'crit null': { crit: null },
      'crit a text': { crit: 'b64' },
      'crit a number': { crit: [5] },
      'crit of an empty name': { crit: [''] },
      'crit of alg': { crit: ['alg'] },
      'crit of exp': { crit: ['exp'], exp: 9e9 },
      'b64 false': { crit: ['b64'], b64: false },
      'b64 a text': { crit: ['b64'], b64: 'false' },
      'b64 absent': { crit: ['b64'] },
    }),
    tokenInvalid('claims that are not encoded', seal(raw, forge.key)),
  ];
}

/** RFC 9068 and RFC 7515: upper case, and `application/` in front, are other spellings of the right one. */
function makeTypes(forge: Forge): Refused[] {
  const texts = [
    'JWT',
    'jwt',
    'JWS',
    'JOSE',
    'JOSE+JSON',
    '',
    'at',
    'at+jw',
    'at+jwtx',
    'at jwt',
    ' at+jwt',
    'at+jwt ',
    'at+jwt\0',
  ];
  const media = [
    'application/jwt',
    'application/at+jwt;v=1',
    'application/',
    'application/application/at+jwt',
    'text/at+jwt',
  ];
  const others = ['id_token+jwt', 'logout+jwt', 'dpop+jwt', 'rt+jwt', 'token-introspection+jwt', 'secevent+jwt'];
  const values = [...texts, ...media, ...others, undefined, null, 5, true, ['at+jwt'], { typ: 'at+jwt' }];
  const idToken = { aud: forge.application.AppKey, client_id: undefined, scope: undefined, sub: 'ann', auth_time: 1 };
  return [
    ...values.map((typ) => tokenInvalid(`typ ${show(typ)}`, forge.token({ header: { typ } }))),
    tokenInvalid('an ID token', forge.token({ header: { typ: undefined }, claims: idToken })),
    tokenInvalid('an ID token of the right type', forge.token({ claims: idToken })),
  ];
}

function split(token: string): { input: string; signature: Buffer } {
  const dot = token.lastIndexOf('.');
  return { input: token.slice(0, dot), signature: Buffer.from(token.slice(dot + 1), 'base64url') };
}

function withSignature(name: string, input: string, signature: Buffer): Refused {
  return tokenInvalid(name, `${input}.${signature.toString('base64url')}`);
}

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
}
