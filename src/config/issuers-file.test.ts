import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { outsideAlgorithms } from '../auth/outside-rules.ts';
import { IssuersMistakes, readIssuersFile } from './issuers-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cabinet-issuers-'));
after(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'issuers.json');
const good = { Name: 'corp', Issuer: 'https://id.example/realm', Audience: 'cabinet' };

function read(entries: unknown) {
  writeFileSync(path, typeof entries === 'string' ? entries : JSON.stringify(entries));
  return readIssuersFile(path);
}

function mistakesOf(entries: unknown): readonly string[] {
  try {
    read(entries);
  } catch (error) {
    if (error instanceof IssuersMistakes) return error.mistakes;
    throw error;
  }
  return [];
}

test('a name, an issuer and an audience are enough', () => {
  assert.deepEqual(read([good]), [
    {
      name: 'corp',
      issuer: 'https://id.example/realm',
      audience: 'cabinet',
      jwksUri: null,
      appKeyClaim: 'client_id',
      userClaim: 'sub',
      scopeClaims: ['scope'],
      ownTokenWhen: null,
      tokenType: 'at+jwt',
      algorithms: outsideAlgorithms,
      environment: 'production',
    },
  ]);
});

test('everything can be configured', () => {
  const entry = {
    Name: 'entra-2',
    Issuer: 'http://127.0.0.1:9000/',
    Audience: 'api://cabinet',
    JwksUri: 'https://id.example/keys?p=1',
    AppKeyClaim: 'azp',
    UserClaim: 'oid',
    ScopeClaims: 'roles',
    OwnTokenWhen: 'idtyp=app=1',
    TokenType: 'JWT',
    Algorithms: ['PS256'],
    Environment: 'test',
  };
  assert.deepEqual(read([entry]), [
    {
      name: 'entra-2',
      issuer: 'http://127.0.0.1:9000/',
      audience: 'api://cabinet',
      jwksUri: 'https://id.example/keys?p=1',
      appKeyClaim: 'azp',
      userClaim: 'oid',
      scopeClaims: ['roles'],
      ownTokenWhen: { claim: 'idtyp', value: 'app=1' },
      tokenType: 'JWT',
      algorithms: ['PS256'],
      environment: 'test',
    },
  ]);
});

test('all mistakes are reported together, with entry and field', () => {
  const mistakes = mistakesOf([good, {}, 7, { ...good, Name: 'App', Issuer: 'http://id.example', Color: 'red' }]);
  assert.deepEqual(
    mistakes.map((mistake) => mistake.split(': ').slice(0, 2).join(': ')),
    [
      'entry 2: Name',
      'entry 2: Issuer',
      'entry 2: Audience',
      'entry 3: not an object',
      'entry 3: Name',
      'entry 3: Issuer',
      'entry 3: Audience',
      'entry 4: Color',
      'entry 4: Name',
      'entry 4: Issuer',
    ],
  );
});

const wrong: Record<string, readonly unknown[]> = {
  Name: ['', 'app', 'operator', 'Corp', 'a:b', 'a b', 'a'.repeat(33), 7, null],
  Issuer: ['', 'x', 'ftp://id.example', 'http://id.example', 'https://id.example/?a=1', 'https://id.example/#a', 7],
  Audience: ['', ' cabinet', ['cabinet'], null],
  JwksUri: ['', 'http://id.example/keys', 'http://127.0.0.1.example/keys', 'https://me:pw@id.example/keys', null],
  AppKeyClaim: ['', 7],
  UserClaim: ['', 7],
  ScopeClaims: ['', 7],
  OwnTokenWhen: ['', '=app', 'idtyp=', 7],
  TokenType: ['', 7],
  Algorithms: [[], 'RS256', ['HS256'], ['RS256', 'none'], [['RS256']], null],
  Environment: ['', 'staging', 7],
  __proto: ['x'],
};

for (const [field, values] of Object.entries(wrong)) {
  test(`a mistake in ${field} is reported`, () => {
    for (const value of values) {
      const mistakes = mistakesOf([{ ...good, [field]: value }]);
      assert.equal(mistakes.length, 1, JSON.stringify(value));
      assert.ok(mistakes[0]?.startsWith(`entry 1: ${field}: `), mistakes.join());
    }
  });
}

test('a name and an issuer are there once in an environment', () => {
  const other = { ...good, Issuer: 'https://other.example' };
  assert.deepEqual(mistakesOf([good, other]), ['entry 2: Name: the same as in entry 1']);
  assert.deepEqual(mistakesOf([good, { ...other, Environment: 'test' }]), []);
  assert.deepEqual(mistakesOf([good, { ...good, Name: 'other' }]), ['entry 2: Issuer: the same as in entry 1']);
  assert.deepEqual(mistakesOf([good, { ...good, Environment: 'test' }]), []);
});

test('a file that is not a JSON array is reported', () => {
  for (const text of ['', '{', '{}', 'null']) assert.equal(mistakesOf(text).length, 1, text);
  assert.throws(() => readIssuersFile(join(folder, 'none.json')), IssuersMistakes);
});
