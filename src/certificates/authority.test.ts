import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { openAuthority } from './authority.ts';
import { readAuthorities, readSocketCertificate } from './certificates.ts';
import { clientAuth, dayMs, makeCa, makeCertificate, serverAuth } from './certificates-for-tests.ts';

const root = mkdtempSync(join(tmpdir(), 'cabinet-authority-'));
let folders = 0;

after(() => rmSync(root, { recursive: true }));

function newFolder(): string {
  folders += 1;
  return join(root, `data-${folders}`, 'authority');
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function readAll(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, read(folder, name)]));
}

function certificateOf(folder: string, name: string): X509Certificate {
  return new X509Certificate(read(folder, name));
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }) as string;
}

function makeP256(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function newRequest(publicKeyPem = toPem(makeP256().publicKey)) {
  return { name: 'reports', publicKeyPem, days: 30 };
}

async function openAfter(days: number, folder: string): Promise<void> {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + days * dayMs });
  try {
    await openAuthority(folder, []);
  } finally {
    mock.timers.reset();
  }
}

test('what is made at first stays as it is', async () => {
  const folder = newFolder();
  const made = await openAuthority(folder, ['cabinet.example.org']);
  const files = readAll(folder);
  assert.deepEqual(Object.keys(files).sort(), ['ca-key.pem', 'ca.pem', 'server-key.pem', 'server.pem']);
  const again = await openAuthority(folder, ['cabinet.example.org']);
  assert.deepEqual(readAll(folder), files);
  assert.equal(again.caPath, join(folder, 'ca.pem'));
  assert.equal(made.serverCertPath, join(folder, 'server.pem'));
  assert.equal(made.serverKeyPath, join(folder, 'server-key.pem'));
});

test('only the owner can read the keys, also where the folder was there before', async () => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  await openAuthority(folder, []);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of ['ca-key.pem', 'server-key.pem']) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
});

test('the CA is one for ten years, with a name of its own', async () => {
  const [folder, other] = [newFolder(), newFolder()];
  await openAuthority(folder, []);
  await openAuthority(other, []);
  const ca = certificateOf(folder, 'ca.pem');
  assert.match(ca.subject, /^CN=Cabinet development CA [0-9a-f]{8}\nO=Cabinet$/);
  assert.notEqual(ca.subject, certificateOf(other, 'ca.pem').subject);
  assert.equal(ca.ca, true);
  assert.match(ca.serialNumber, /^[4-7][0-9A-F]{31}$/);
  assert.equal(Math.round((ca.validToDate.getTime() - Date.now()) / dayMs), 3652);
  assert.equal(ca.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
});

test('the server certificate is for two years and for every name: given ones and those of the machine itself', async () => {
  const folder = newFolder();
  await openAuthority(folder, [
    'Cabinet.example.org',
    '192.0.2.7',
    '[2001:db8::7]',
    'bücher.example',
    '*.wild.example',
  ]);
  const server = certificateOf(folder, 'server.pem');
  for (const name of ['cabinet.example.org', 'localhost', 'xn--bcher-kva.example', 'a.wild.example']) {
    assert.ok(server.checkHost(name), name);
  }
  for (const address of ['192.0.2.7', '2001:db8::7', '127.0.0.1', '::1']) assert.ok(server.checkIP(address), address);
  assert.equal(server.checkHost('other.example.org'), undefined);
  assert.equal(server.ca, false);
  assert.deepEqual(server.keyUsage, [serverAuth]);
  assert.equal(Math.round((server.validToDate.getTime() - Date.now()) / dayMs), 730);
});

test('what is no name for a certificate is not taken', async () => {
  for (const name of ['', 'a b', 'a,DNS:b', 'http://x'])
    await assert.rejects(openAuthority(newFolder(), [name]), /host name/);
});

test('the server certificate is made anew for a name that it lacks, and not for one that it has', async () => {
  const folder = newFolder();
  await openAuthority(folder, ['a.example', '192.0.2.7']);
  const { 'server.pem': first, 'ca.pem': ca } = readAll(folder);
  await openAuthority(folder, ['192.0.2.7', 'A.example']);
  assert.equal(read(folder, 'server.pem'), first);
  await openAuthority(folder, ['b.example']);
  assert.notEqual(read(folder, 'server.pem'), first);
  assert.equal(read(folder, 'ca.pem'), ca);
});

test('the server certificate is made anew when it has less than 90 days left', async () => {
  const folder = newFolder();
  await openAuthority(folder, []);
  const first = read(folder, 'server.pem');
  await openAfter(730 - 91, folder);
  assert.equal(read(folder, 'server.pem'), first);
  await openAfter(730 - 89, folder);
  assert.notEqual(read(folder, 'server.pem'), first);
});

test('no certificate outlives the CA', async () => {
  const folder = newFolder();
  await openAuthority(folder, []);
  await openAfter(3652 - 30, folder);
  assert.deepEqual(certificateOf(folder, 'server.pem').validToDate, certificateOf(folder, 'ca.pem').validToDate);
});

test('a server pair that is half made, mixed up or from another CA heals', async () => {
  const folder = newFolder();
  await openAuthority(folder, []);
  const other = newFolder();
  await openAuthority(other, []);
  const breaks = [
    () => rmSync(join(folder, 'server.pem')),
    () => rmSync(join(folder, 'server-key.pem')),
    () => writeFileSync(join(folder, 'server-key.pem'), read(other, 'server-key.pem')),
    () => writeFileSync(join(folder, 'server.pem'), ''),
    () => {
      for (const name of ['server.pem', 'server-key.pem']) writeFileSync(join(folder, name), read(other, name));
    },
  ];
  for (const damage of breaks) {
    damage();
    await openAuthority(folder, []);
    const server = certificateOf(folder, 'server.pem');
    assert.ok(server.checkPrivateKey(createPrivateKey(read(folder, 'server-key.pem'))));
    assert.ok(server.verify(certificateOf(folder, 'ca.pem').publicKey));
  }
});

test('a CA that was never completed is made anew', async () => {
  const folder = newFolder();
  await openAuthority(folder, []);
  const key = read(folder, 'ca-key.pem');
  for (const name of ['ca.pem', 'server.pem', 'server-key.pem']) rmSync(join(folder, name));
  await openAuthority(folder, []);
  assert.notEqual(read(folder, 'ca-key.pem'), key);
  assert.ok(certificateOf(folder, 'ca.pem').checkPrivateKey(createPrivateKey(read(folder, 'ca-key.pem'))));
});

test('a CA that was complete is never replaced', async () => {
  const folder = newFolder();
  await openAuthority(folder, []);
  rmSync(join(folder, 'ca.pem'));
  const files = readAll(folder);
  await assert.rejects(openAuthority(folder, []), /ca\.pem is gone/);
  assert.deepEqual(readAll(folder), files);
});

test('without its key, or with another, the CA issues nothing, and what is there is served on', async () => {
  const folder = newFolder();
  await openAuthority(folder, []);
  const ca = read(folder, 'ca.pem');
  const other = makeP256().privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const breaks = [() => writeFileSync(join(folder, 'ca-key.pem'), other), () => rmSync(join(folder, 'ca-key.pem'))];
  for (const damage of breaks) {
    damage();
    const authority = await openAuthority(folder, []);
    await assert.rejects(authority.issue(newRequest()), { name: 'Refusal', code: 'InvalidField' });
    await openAfter(729, folder);
    await assert.rejects(openAfter(731, folder), /must be made \(it expires\)/);
    await assert.rejects(openAuthority(folder, ['new.example']), /must be made \(it is not for new\.example\)/);
    assert.equal(read(folder, 'ca.pem'), ca);
  }
});

test('a CA with a key of another kind is not taken', async () => {
  const folder = newFolder();
  await openAuthority(folder, []);
  const foreign = await makeCertificate({ isCa: true, rsaBits: 2048 }, await makeCa('root'));
  writeFileSync(join(folder, 'ca.pem'), foreign.pem);
  writeFileSync(join(folder, 'ca-key.pem'), foreign.keyPem);
  await assert.rejects(openAuthority(folder, []), /not an ECDSA P-256 key/);
});

test('a client certificate is for the requested key, name and days', async () => {
  const folder = newFolder();
  const authority = await openAuthority(folder, []);
  const { publicKey } = makeP256();
  const issued = new X509Certificate(
    await authority.issue({ name: '#4, O="x"', publicKeyPem: toPem(publicKey), days: 30 }),
  );
  assert.equal(issued.toLegacyObject().subject.CN, '#4, O="x"');
  assert.ok(issued.publicKey.equals(publicKey));
  assert.ok(issued.verify(certificateOf(folder, 'ca.pem').publicKey));
  assert.equal(issued.ca, false);
  assert.deepEqual(issued.keyUsage, [clientAuth]);
  assert.equal(Math.round((Date.now() - issued.validFromDate.getTime()) / 60_000), 1);
  assert.equal(Math.round((issued.validToDate.getTime() - Date.now()) / dayMs), 30);
  assert.match(issued.serialNumber, /^[4-7][0-9A-F]{31}$/);
});

test('a client certificate is trusted by the service, and the service by the client', async () => {
  const folder = newFolder();
  const authority = await openAuthority(folder, []);
  const ca = readFileSync(authority.caPath);
  const own = { cert: readFileSync(authority.serverCertPath), key: readFileSync(authority.serverKeyPath) };
  const server = createServer({ ...own, ca, requestCert: true, rejectUnauthorized: false }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ed25519 = generateKeyPairSync('ed25519');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const { publicKey, privateKey } of [makeP256(), ed25519, rsa]) {
    const cert = await authority.issue(newRequest(toPem(publicKey)));
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, cert, key });
    const [[socket]] = (await Promise.all([once(server, 'secureConnection'), once(client, 'secureConnect')])) as [
      [TLSSocket],
      unknown,
    ];
    assert.equal(client.authorized, true);
    const judge = { authorities: readAuthorities(ca.toString()), isHandshakes: false, now: Date.now() };
    assert.equal(readSocketCertificate(socket, judge)?.problem, null);
    client.destroy();
  }
  server.close();
});

test('strong keys are certified, others are refused', async () => {
  const authority = await openAuthority(newFolder(), []);
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
  for (const { publicKey } of [ec('P-384'), ec('P-521'), pss]) await authority.issue(newRequest(toPem(publicKey)));
  const { publicKey, privateKey } = makeP256();
  const wrong = [
    ...[rsa(1024), ec('secp256k1'), ec('P-224'), generateKeyPairSync('x25519')].map((pair) => toPem(pair.publicKey)),
    '',
    'nothing',
    privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    await authority.issue(newRequest()),
    `${toPem(publicKey)}${toPem(publicKey)}`,
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
  ];
  for (const pem of wrong) {
    await assert.rejects(authority.issue(newRequest(pem)), { name: 'Refusal', code: 'InvalidField' }, pem);
  }
});

test('a certificate has a name that fits and a number of days', async () => {
  const authority = await openAuthority(newFolder(), []);
  await authority.issue({ ...newRequest(), name: '😀'.repeat(64) });
  for (const wrong of [
    { name: '' },
    { name: 'x'.repeat(65) },
    { days: 0 },
    { days: 1.5 },
    { days: Number.NaN },
    { days: 3651 },
  ]) {
    await assert.rejects(authority.issue({ ...newRequest(), ...wrong }), { name: 'Refusal', code: 'InvalidField' });
  }
});
