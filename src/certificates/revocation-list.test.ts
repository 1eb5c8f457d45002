import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { readFields } from './certificate-fields.ts';
import { dayMs, Extension, makeCa, makeCertificate, makeList, Name, toName, toPem } from './certificates-for-tests.ts';
import { readRevocationLists } from './revocation-list.ts';

const ca = await makeCa('Company CA');
const authorities = [new X509Certificate(ca.der)];

test('a list has the issuer and the serial numbers in the form in which certificates have them', async () => {
  const names = [
    new Name([{ CN: [{ utf8String: 'Zoë Müller 漢字 😀' }] }]),
    new Name([
      { C: ['NO'] },
      { O: ['Company'] },
      { OU: ['a'], CN: ['b'] },
      { DC: ['example'] },
      { E: ['ca@example.org'] },
    ]),
    new Name([{ CN: [{ utf8String: 'Smith, "Jones" + \\Sons; <x>=#y/z' }] }, { O: [{ utf8String: 'A"],["B' }] }]),
    new Name([{ CN: [{ bmpString: 'Firma Ærlig' }] }, { O: [{ printableString: 'Company' }] }]),
  ];
  for (const name of names) {
    const issuer = await makeCa(name);
    for (const serial of [
      '01',
      '7f',
      '80',
      '00ff00',
      '0102030405060708090a0b0c0d0e0f10',
      'ffeeddccbbaa99887766554433221100',
    ]) {
      const made = await makeCertificate({ serial }, issuer);
      const [list] = await readRevocationLists(await makeList(issuer, { serials: [serial] }), [
        new X509Certificate(issuer.der),
      ]);
      const fields = readFields(made.der);
      assert.equal(list?.issuer, fields.issuer);
      assert.deepEqual([...(list?.revoked ?? [])], [fields.serial]);
      assert.equal(fields.serial, new X509Certificate(made.der).serialNumber.replace(/^0+/, ''));
    }
  }
});

test('a name is the same in every encoding, case and spacing of its text, and no other name is', async () => {
  const same = [
    toName('Company CA'),
    new Name([{ CN: [{ printableString: 'Company CA' }] }]),
    new Name([{ CN: [{ bmpString: 'company  ca ' }] }]),
  ];
  const others = [
    toName('CompanyCA'),
    new Name([{ O: [{ utf8String: 'Company CA' }] }]),
    new Name([{ CN: ['Company CA'] }, { CN: ['Company CA'] }]),
    new Name([{ CN: ['Company CA', 'Company CA'] }]),
  ];
  const made = await Promise.all([...same, ...others].map((name) => makeCa(name)));
  const forms = made.map(({ der }) => readFields(der).subject);
  assert.equal(new Set(forms.slice(0, same.length)).size, 1);
  assert.equal(new Set(forms).size, 1 + others.length);
});

test('a list that writes the name of its CA in another encoding is a list of that CA', async () => {
  const name = new Name([{ CN: [{ printableString: 'COMPANY CA' }] }]);
  const [list] = await readRevocationLists(await makeList(ca, { name, serials: ['05'] }), authorities);
  assert.equal(list?.issuer, readFields((await makeCertificate({}, ca)).der).issuer);
});

test('a list says when the next one comes, or that it does not say', async () => {
  for (const nextUpdate of [Math.floor(Date.now() / 1000) * 1000 + dayMs, Date.parse('2051-02-03T04:05:06Z')]) {
    const [list] = await readRevocationLists(await makeList(ca, { nextUpdate, serials: ['05'] }), authorities);
    assert.equal(list?.nextUpdate, nextUpdate);
    assert.equal(list?.revoked.size, 1);
  }
  const [silent] = await readRevocationLists(await makeList(ca, { serials: ['05', '06'] }), authorities);
  assert.equal(silent?.nextUpdate, null);
  assert.deepEqual([...(silent?.revoked ?? [])], ['5', '6']);
});

test('a list may be empty, and several may stand in one PEM file', async () => {
  const pem = toPem(await makeList(ca, { nextUpdate: Date.now() })) + toPem(await makeList(ca, { serials: ['07'] }));
  const lists = await readRevocationLists(Buffer.from(`A comment\n${pem}`), authorities);
  assert.deepEqual(
    lists.map(({ revoked }) => [...revoked]),
    [[], ['7']],
  );
});

test('a list that a trusted CA has not signed is not taken, whatever name is on it', async () => {
  const list = await makeList(ca, { serials: ['05'] });
  const changed = Buffer.from(list);
  changed[changed.indexOf(Buffer.from([2, 1, 5])) + 2] = 6;
  const namesake = await makeCa('Company CA');
  const foreign = await makeCa('Other CA');
  const wrong = [
    changed,
    await makeList(namesake, {}),
    await makeList(foreign, {}),
    await makeList(ca, { name: toName('x') }),
  ];
  for (const der of wrong) await assert.rejects(readRevocationLists(der, authorities), /not signed by a trusted CA/);
  await assert.rejects(readRevocationLists(list, []), /not signed by a trusted CA/);
  await readRevocationLists(list, [new X509Certificate(namesake.der), ...authorities]);
});

test('a list may be signed with RSA, but not with SHA-1', async () => {
  for (const hash of ['SHA-1', 'SHA-256'] as const) {
    const issuer = await makeCa('RSA CA', undefined, { rsaBits: 2048, hash });
    const reading = readRevocationLists(await makeList(issuer, {}), [new X509Certificate(issuer.der)]);
    if (hash === 'SHA-1') await assert.rejects(reading, /not signed by a trusted CA/);
    else assert.equal((await reading).length, 1);
  }
});

test('a list with something critical that is not known is not taken: delta lists, indirect lists', async () => {
  const delta = new Extension('2.5.29.27', true, Buffer.from([2, 1, 1]));
  const indirect = new Extension('2.5.29.28', true, Buffer.from([0x30, 3, 0x84, 1, 0xff]));
  const certificateIssuer = new Extension('2.5.29.29', true, Buffer.from([0x30, 0]));
  for (const wish of [{ extensions: [delta] }, { extensions: [indirect] }, { entryExtensions: [certificateIssuer] }]) {
    await assert.rejects(
      readRevocationLists(await makeList(ca, { serials: ['05'], ...wish }), authorities),
      /delta list/,
    );
  }
  const usersOnly = new Extension('2.5.29.28', true, Buffer.from([0x30, 3, 0x81, 1, 0xff]));
  const [list] = await readRevocationLists(
    await makeList(ca, { extensions: [usersOnly], serials: ['05'] }),
    authorities,
  );
  assert.equal(list?.revoked.size, 1);
});

test('what is no list is not taken', async () => {
  const list = await makeList(ca, {});
  await assert.rejects(readRevocationLists(Buffer.from('nothing'), authorities), /no revocation list/);
  await assert.rejects(readRevocationLists(Buffer.alloc(0), authorities), /no revocation list/);
  await assert.rejects(readRevocationLists(ca.der, authorities), /cannot be read/);
  await assert.rejects(readRevocationLists(list.subarray(0, -1), authorities), /cannot be read/);
  await assert.rejects(readRevocationLists(Buffer.concat([list, list]), authorities), /cannot be read/);
});
