// What a scanner finds on the mutual-TLS address: Debian's sslscan, which tries every protocol, cipher and group that it knows.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { skipWithout } from '../service/programs.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';

const leastBits = 128;
const strongCiphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
];

const scanned = { skip: skipWithout('sslscan') };
const dataFolder = makeDataFolder();
let service: StartedHere | null = null;
let xml = '';

before(async () => {
  if (scanned.skip) return;
  service = await startServiceHere(dataFolder, { environment: { CABINET_MTLS_PORT: '0' } });
  const { host } = new URL(String(service.mutualTls));
  xml = (await promisify(execFile)('sslscan', ['--timeout=60', '--xml=-', host])).stdout;
});

after(async () => {
  await service?.stop();
  removeDataFolder(dataFolder);
});

function find(element: string): Record<string, string>[] {
  return Array.from(xml.matchAll(new RegExp(`<${element} ([^>]*?)/?>`, 'g')), ([, text]) =>
    Object.fromEntries(Array.from(String(text).matchAll(/([\w-]+)="([^"]*)"/g), ([, name, value]) => [name, value])),
  );
}

test('a scanner finds TLS 1.2 and 1.3 and no other protocol', scanned, () => {
  const protocols = Object.groupBy(find('protocol'), ({ enabled }) => (enabled === '0' ? 'off' : 'on'));
  const toNames = (found: Record<string, string>[] = []) =>
    found.map(({ type, version }) => `${type} ${version}`).sort();
  assert.deepEqual(toNames(protocols.on), ['tls 1.2', 'tls 1.3']);
  assert.deepEqual(toNames(protocols.off), ['ssl 2', 'ssl 3', 'tls 1.0', 'tls 1.1']);
});

test('a scanner finds ciphers with forward secrecy and authenticated encryption, and no other', scanned, () => {
  const ciphers = find('cipher');
  assert.deepEqual(ciphers.map(({ cipher }) => cipher).sort(), strongCiphers.toSorted());
  for (const { sslversion, bits, cipher } of ciphers) {
    assert.match(String(sslversion), /^TLSv1\.[23]$/);
    assert.ok(Number(bits) >= leastBits, `${cipher}: ${bits} bits`);
  }
});

test('a scanner finds no group for the key exchange that is weaker than 128 bits', {
  ...scanned,
}, () => {
  const groups = find('group');
  assert.ok(groups.length > 0);
  for (const { name, bits } of groups) assert.ok(Number(bits) >= leastBits, `${name}: ${bits} bits`);
});

test('a scanner finds no compression, no insecure renegotiation and no Heartbleed', scanned, () => {
  // Debian's own cannot try compression and says nothing of it.
  for (const { supported } of find('compression')) assert.equal(supported, '0');
  const [renegotiation] = find('renegotiation');
  assert.ok(renegotiation?.supported === '0' || renegotiation?.secure === '1', JSON.stringify(renegotiation));
  const bleeding = find('heartbleed');
  assert.ok(bleeding.length > 0);
  for (const { vulnerable } of bleeding) assert.equal(vulnerable, '0');
});

test('a scanner finds a certificate with a strong key and a strong signature', scanned, () => {
  const [key] = find('pk');
  assert.equal(key?.type, 'EC');
  assert.ok(Number(key?.bits) >= leastBits, JSON.stringify(key));
  assert.match(xml, /<signature-algorithm>ecdsa-with-SHA256<\/signature-algorithm>/);
});
