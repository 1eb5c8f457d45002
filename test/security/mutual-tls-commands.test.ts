// Certificates on the command line: what is issued, registered, refused and left on the disk.

import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeCa, makeCertificate, Name } from '../../src/certificates/certificates-for-tests.ts';
import { cabinet, cabinetJson } from '../service/here.ts';
import { type Environment, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { findLastDay } from './bad-certificates.ts';
import { makeClient } from './company-ca.ts';
import { Connection } from './connection.ts';
import {
  addIssued,
  ask,
  assertServed,
  fetchBound,
  type Issued,
  readIssued,
  readOwnCa,
  through,
} from './server-applications.ts';

const dataFolder = makeDataFolder();
const folder = join(dataFolder, '..');
const environment: Environment = { CABINET_MTLS_PORT: '0' };
let service: StartedHere;
let billing: Issued;

before(async () => {
  service = await startServiceHere(dataFolder, { environment });
  billing = await addIssued(dataFolder, 'billing');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

interface Failure {
  Code: string;
  Message: string;
  Hint?: string;
}

/** A command that must fail, with exit code 1 and one JSON object that says why. */
async function refused(words: string[], variables: Environment = {}, data = dataFolder): Promise<Failure> {
  const { code, stdout } = await cabinet(data, [...words, '--json'], variables);
  assert.equal(code, 1, stdout);
  assert.equal(stdout.trimEnd().split('\n').length, 1, stdout);
  return (JSON.parse(stdout) as { Error: Failure }).Error;
}

function put(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

interface Listed {
  Certificates: { Thumbprint: string; Subject: string; NotAfter: string; AddedAt: string }[];
}

function list(application: string): Promise<Listed> {
  return ask<Listed>(dataFolder, 'app certificate list', { application });
}

test('an issued certificate comes with its key, which only the owner can read', () => {
  const { Certificate, Key } = billing;
  assert.equal(statSync(Key).mode & 0o777, 0o600);
  assert.equal(statSync(join(Key, '..')).mode & 0o777, 0o700);
  const certificate = new X509Certificate(readFileSync(Certificate));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(readFileSync(Key))));
  assert.ok(certificate.verify(new X509Certificate(readOwnCa(dataFolder)).publicKey));
  assert.equal(certificate.subject, 'CN=billing');
  assert.equal(certificate.ca, false);
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
  assert.equal(statSync(join(dataFolder, 'production/certificates/ca-key.pem')).mode & 0o777, 0o600);
});

test('existing files are not overwritten, and then nothing is registered', async () => {
  const { Certificate, Key } = billing;
  const before = [Certificate, Key].map((path) => readFileSync(path, 'utf8'));
  const words = ['app', 'certificate', 'add', 'billing', '--issue-certificate', join(Key, '..')];
  assert.match((await refused(words)).Message, /billing\.key\.pem is there already/);
  const half = join(folder, 'half');
  await ask(dataFolder, 'app add', { name: 'half', kind: 'server' });
  const first = await cabinetJson<Issued>(dataFolder, [
    'app',
    'certificate',
    'add',
    'half',
    '--issue-certificate',
    half,
  ]);
  rmSync(first.Key);
  const again = ['app', 'certificate', 'add', 'half', '--issue-certificate', half];
  assert.match((await refused(again)).Message, /half\.cert\.pem is there already/);
  assert.equal(existsSync(first.Key), false);
  assert.deepEqual(
    [Certificate, Key].map((path) => readFileSync(path, 'utf8')),
    before,
  );
  assert.equal((await list('billing')).Certificates.length, 1);
  assert.equal((await list('half')).Certificates.length, 1);
});

test('a certificate can be added, listed and removed', async () => {
  const words = ['app', 'certificate', 'add', 'billing', '--issue-certificate', join(folder, 'second')];
  const second = readIssued(dataFolder, await cabinetJson<Issued>(dataFolder, words));
  const { Certificates } = await cabinetJson<Listed>(dataFolder, ['app', 'certificate', 'list', billing.AppKey]);
  assert.deepEqual(
    Certificates.map(({ Thumbprint }) => Thumbprint),
    [billing.thumbprint, second.thumbprint],
  );
  for (const { Subject, NotAfter } of Certificates) {
    assert.equal(Subject, 'CN=billing');
    assert.equal(Math.round((Date.parse(NotAfter) - Date.now()) / 86_400_000), 365);
  }
  const send = through(String(service.mutualTls), second.tls);
  await assertServed(send, await fetchBound(send, billing.AppKey));
  await cabinetJson(dataFolder, ['app', 'certificate', 'remove', 'billing', second.thumbprint]);
  assert.equal((await list('billing')).Certificates.length, 1);
  const remove = ['app', 'certificate', 'remove', 'billing', second.thumbprint];
  assert.equal((await refused(remove)).Code, 'CertificateNotFound');
});

test('a thumbprint that begins with a dash is not parsed as an option', async () => {
  const remove = ['app', 'certificate', 'remove', 'billing', `-${'x'.repeat(42)}`];
  assert.equal((await refused(remove)).Code, 'CertificateNotFound');
});

test('an unusable certificate is not registered, and the error says why', async () => {
  const ca = await makeCa('Company CA');
  const day = 86_400_000;
  const expired = await makeClient('x', ca, { notBefore: Date.now() - 2 * day, notAfter: Date.now() - day });
  const forServers = await makeClient('x', ca, { usages: ['1.3.6.1.5.5.7.3.1'] });
  const weak = await makeClient('x', ca, { rsaBits: 1024 });
  const good = await makeClient('x', ca);
  const texts: [string, RegExp][] = [
    [ca.pem, /is a CA certificate/],
    [expired.pem, /has expired/],
    [forServers.pem, /may not be used by a client/],
    [weak.pem, /too weak/],
    [good.pem.slice(0, 300), /no certificate in PEM/],
    [good.pem.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'), /cannot be read/],
  ];
  for (const [certificate, message] of texts) {
    const added = ask(dataFolder, 'app certificate add', { application: 'billing', certificate });
    await assert.rejects(added, { code: 'InvalidField', message });
  }
  const files: [string, RegExp][] = [
    [put('ca.pem', ca.pem), /is a CA certificate/],
    [billing.Certificate, /is registered already/],
    [billing.Key, /no certificate in PEM/],
    [put('garbage.pem', 'garbage\n'), /./],
    [join(folder, 'nowhere.pem'), /ENOENT.*nowhere\.pem/],
  ];
  const failures = await Promise.all(
    files.map(([path]) => refused(['app', 'certificate', 'add', 'billing', '--certificate', path])),
  );
  for (const [index, { Message }] of failures.entries()) {
    assert.match(Message, files[index]?.[1] as RegExp);
    assert.doesNotMatch(Message, /TypeError|PRIVATE KEY/);
  }
  assert.equal((await list('billing')).Certificates.length, 1);
  const twice = ['app', 'add', 'thief', '--kind', 'server', '--certificate', billing.Certificate];
  assert.match((await refused(twice)).Message, /is registered already/);
  const { Applications } = await ask<{ Applications: { Name: string }[] }>(dataFolder, 'app list', {});
  assert.ok(Applications.every(({ Name: name }) => name !== 'thief'));
});

test('a certificate without a subject, or with an invalid date, is registered, or the error says why', async () => {
  const ca = await makeCa('Company CA');
  const nameless = await makeCertificate({ name: new Name([]) }, ca);
  const dateless = Buffer.from((await makeClient('x', ca)).der);
  // A month with a letter.
  dateless.write('x', findLastDay(dateless) + 2);
  const pem = new X509Certificate(dateless).toString();
  for (const certificate of [nameless.pem, pem]) {
    const outcome = await ask(dataFolder, 'app certificate add', { application: 'billing', certificate }).catch(String);
    assert.doesNotMatch(String(outcome), /TypeError|Fault/);
  }
});

test('only server-based applications of production have certificates', async () => {
  const issue = ['--issue-certificate', join(folder, 'never')];
  await ask(dataFolder, 'app add', { name: 'client' });
  const cases: [string[], RegExp][] = [
    [
      ['app', 'add', 'x', '--env', 'test', '--kind', 'server', ...issue],
      /no mutual-TLS address for the test environment/,
    ],
    [['app', 'add', 'x', ...issue], /--kind server/],
    [['app', 'add', 'x', '--kind', 'server', '--certificate', billing.Certificate, ...issue], /not both/],
    [['app', 'certificate', 'add', 'client', ...issue], /of kind client/],
    [['app', 'certificate', 'add', 'nobody', ...issue], /nobody/],
  ];
  const failures = await Promise.all(cases.map(([words]) => refused(words)));
  for (const [index, { Message }] of failures.entries()) assert.match(Message, cases[index]?.[1] as RegExp);
  const added = ask(dataFolder, 'app add', { name: 'x', env: 'test', kind: 'server' });
  await assert.rejects(added, /no mutual-TLS address for the test environment/);
  const left = existsSync(join(folder, 'never')) ? readdirSync(join(folder, 'never')) : [];
  assert.deepEqual(left, []);
});

test('with an external CA no certificate is issued, and the hint says what to do', async (context) => {
  const other = makeDataFolder();
  context.after(() => removeDataFolder(other));
  const variables: Environment = { CABINET_MTLS_CA: put('company.pem', (await makeCa('Company CA')).pem) };
  const certs = join(other, '..', 'certs');
  const words = ['app', 'add', 'billing', '--kind', 'server', '--issue-certificate', certs];
  const { Message, Hint } = await refused(words, variables, other);
  assert.match(Message, /CABINET_MTLS_CA/);
  assert.match(String(Hint), /--certificate FILE/);
  assert.deepEqual(readdirSync(certs), []);
});

test('a restart keeps the CA, the server certificate and issued certificates', async () => {
  const look = async () => {
    const connection = await Connection.open(String(service.mutualTls), { ca: readOwnCa(dataFolder) });
    const { fingerprint256 } = connection.socket.getPeerCertificate();
    connection.close();
    return [fingerprint256, readOwnCa(dataFolder)];
  };
  const before = await look();
  assert.equal(await service.stop(), 0);
  service = await startServiceHere(dataFolder, { environment });
  assert.deepEqual(await look(), before);
  const send = through(String(service.mutualTls), billing.tls);
  await assertServed(send, await fetchBound(send, billing.AppKey));
});
