import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBasePath, withoutBasePath } from './public-url.ts';

test('the base path is the path of the public address', () => {
  assert.equal(toBasePath('https://files.example.org'), '');
  assert.equal(toBasePath('https://files.example.org/'), '');
  assert.equal(toBasePath('https://files.example.org/a/cabinet/'), '/a/cabinet');
});

test('a path beneath the base path is read without it, and no other is', () => {
  assert.equal(withoutBasePath('/cabinet/health/live', '/cabinet'), '/health/live');
  assert.equal(withoutBasePath('/cabinet/', '/cabinet'), '/');
  assert.equal(withoutBasePath('/cabinet', '/cabinet'), '/');
  assert.equal(withoutBasePath('/cabinet/cabinet', '/cabinet'), '/cabinet');
  for (const path of ['/cabinets', '/health/live', '/', '*', '//cabinet/x', '/CABINET/x'])
    assert.equal(withoutBasePath(path, '/cabinet'), null, path);
  assert.equal(withoutBasePath('/health/live', ''), null);
});

test('the metadata of an issuer with a path has that path behind its name', () => {
  const name = '/.well-known/oauth-authorization-server';
  assert.equal(withoutBasePath(`${name}/cabinet`, '/cabinet'), name);
  assert.equal(withoutBasePath(`/cabinet${name}`, '/cabinet'), name);
  assert.equal(withoutBasePath(`${name}/cabinet/more`, '/cabinet'), `${name}/more`);
  for (const path of [name, `${name}/other`, `${name}/cabinets`, '/.well-known/', '/.well-known/cabinet'])
    assert.equal(withoutBasePath(path, '/cabinet'), null, path);
});
