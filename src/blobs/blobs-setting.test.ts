import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobsSettingMistakes, parseBlobsSetting, withoutSecret } from './blobs-setting.ts';

const plain = { kind: 's3', bucket: 'files', prefix: '', endpoint: null, region: null, isPathStyle: false } as const;

test('a bucket is all that Amazon needs', () => {
  assert.deepEqual(parseBlobsSetting('file:'), { kind: 'file' });
  assert.deepEqual(parseBlobsSetting('s3://files'), { ...plain, credentials: null });
  assert.deepEqual(parseBlobsSetting('s3://files/'), { ...plain, credentials: null });
  const region = 'eu-central-1';
  assert.deepEqual(parseBlobsSetting(`s3://files?region=${region}`), { ...plain, region, credentials: null });
});

test('a prefix ends in a slash, written or not', () => {
  for (const text of ['s3://files/a/b', 's3://files/a/b/']) {
    assert.deepEqual(parseBlobsSetting(text), { ...plain, prefix: 'a/b/', credentials: null });
  }
});

test('a self-hosted server is addressed by path unless configured otherwise', () => {
  const endpoint = 'https://s3.example:9000';
  const own = { ...plain, endpoint, region: 'us-east-1', credentials: null };
  assert.deepEqual(parseBlobsSetting(`s3://files?endpoint=${endpoint}/`), { ...own, isPathStyle: true });
  const encoded = encodeURIComponent(endpoint);
  assert.deepEqual(parseBlobsSetting(`s3://files?endpoint=${encoded}&pathStyle=no&region=garage`), {
    ...own,
    region: 'garage',
  });
});

test('a key and its secret can hold any character', () => {
  const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'a/b+c%@' };
  const text = `s3://${encodeURIComponent('test:tester')}:${encodeURIComponent('a/b+c%@')}@files`;
  assert.deepEqual(parseBlobsSetting(text), { ...plain, credentials });
});

test('plain http is for loopback, or for whoever says that it is safe', () => {
  for (const host of ['localhost:8080', '127.0.0.1:8080', '127.1.2.3', '[::1]:8080']) {
    assert.equal(parseBlobsSetting(`s3://files?endpoint=http://${host}`).kind, 's3');
  }
  assert.equal(parseBlobsSetting('s3://files?endpoint=http://s3.example&insecure=yes').kind, 's3');
  for (const host of ['s3.example', '10.0.0.1', '127.example', 'localhost.example']) {
    assertMistakes(`s3://files?endpoint=http://${host}`, [/would send everything in the clear/]);
  }
});

test('all mistakes are reported together', () => {
  const wrong: [string, ...RegExp[]][] = [
    ['', /"" is neither file: nor s3:/],
    ['file:/srv/blobs', /neither file: nor s3:/],
    ['https://files.example', /neither file: nor s3:/],
    ['s3:files', /neither file: nor s3:/],
    ['s3://', /the bucket is missing/],
    ['s3:///prefix', /the bucket is missing/],
    ['s3://fi', /"fi" is not the name of a bucket/],
    ['s3://s3.example:9000/files', /"s3.example:9000" is not the name of a bucket; a server is named by endpoint=/],
    ['s3://files/a//b', /is not a prefix/],
    ['s3://files/a b', /is not a prefix/],
    ['s3://files/.../b', /is not a prefix/],
    [`s3://files/${'a'.repeat(513)}`, /is not a prefix/],
    ['s3://key@files', /a key goes with a secret/],
    ['s3://:secret@files', /a key goes with a secret/],
    ['s3://key:%zz@files', /has a % that no two hexadecimal digits follow/],
    ['s3://files#a', /behind a #/],
    ['s3://files?zone=1', /"zone" is not one of endpoint, region, pathStyle, insecure/],
    ['s3://files?region=a&region=b', /region is said twice/],
    ['s3://files?region=a_b', /"a_b" is not the name of a region/],
    ['s3://files?pathStyle=true', /pathStyle="true" is neither yes nor no/],
    ['s3://files?endpoint=s3.example', /endpoint="s3.example" is not an http or https address/],
    ['s3://files?endpoint=https://a:b@s3.example', /is not an http or https address/],
    ['s3://fi/a b?pathStyle=1&x=2', /"x" is not one of/, /"fi" is not/, /is not a prefix/, /neither yes nor no/],
  ];
  for (const [text, ...expected] of wrong) assertMistakes(text, expected);
});

test('no mistake and nothing that is shown has a secret in it', () => {
  const texts = [
    's3://key:hidden@x',
    's3://key:hidden/@x',
    'S3://key:hidden@files',
    's3://files?endpoint=https://k:hidden@h',
  ];
  for (const text of texts) {
    assert.throws(
      () => parseBlobsSetting(text),
      (error) => error instanceof BlobsSettingMistakes && !error.message.includes('hidden'),
      text,
    );
  }
  assert.equal(withoutSecret('s3://key:hidden@files/a?region=b'), 's3://key:…@files/a?region=b');
  assert.equal(withoutSecret('s3://files?endpoint=https://s3.example'), 's3://files?endpoint=https://s3.example');
});

function assertMistakes(text: string, expected: readonly RegExp[]): void {
  assert.throws(
    () => parseBlobsSetting(text),
    (error) => {
      assert.ok(error instanceof BlobsSettingMistakes, `${error}`);
      assert.equal(error.mistakes.length, expected.length, error.message);
      for (const pattern of expected) assert.match(error.message, pattern);
      return true;
    },
    text,
  );
}
