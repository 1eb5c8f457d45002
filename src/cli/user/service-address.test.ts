import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from './exit-codes.ts';
import { toServiceUrl } from './service-address.ts';

test('an address may lack its scheme', () => {
  for (const [typed, url] of [
    ['https://files.example.com/', 'https://files.example.com'],
    ['https://files.example.com/cabinet/', 'https://files.example.com/cabinet'],
    ['files.example.com', 'https://files.example.com'],
    ['files.example.com:8443/cabinet', 'https://files.example.com:8443/cabinet'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['localhost:8080', 'http://localhost:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['http://cabinet', 'http://cabinet'],
  ] as const) {
    assert.equal(toServiceUrl(typed), url);
  }
});

test('what is no address is a usage error', () => {
  for (const typed of [
    'notaurl',
    '',
    'ftp://files.example.com',
    'https://',
    'https://a b',
    'files.example.com?x=1',
    'https://u:p@files.example.com',
    'not a url',
  ]) {
    assert.throws(() => toServiceUrl(typed), UsageError, typed);
  }
});
