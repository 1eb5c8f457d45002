// The console as it is served (docs/contract.md §10.14): one page at each of its addresses, without credentials, with assets
// that browsers cache. Its behaviour is tested in a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { send } from './client.ts';
import { target } from './target.ts';

const { Production, Test } = target();

const pages = [
  '/',
  '/files',
  '/files/x',
  '/search',
  '/starred',
  '/recent',
  '/trash',
  '/changes',
  '/shared',
  '/links',
  '/account',
  '/manage',
  '/manage/people',
  '/manage/people/x',
];

for (const [name, base] of Object.entries({ production: Production, test: Test })) {
  test(`The console of ${name} is one page at each of its addresses, and allows no inline or foreign content`, async () => {
    const bodies = new Set<string>();
    for (const path of pages) {
      const page = await send(base, path);
      assert.equal(page.status, 200, path);
      assert.match(String(page.headers['content-type']), /^text\/html/);
      const policy = String(page.headers['content-security-policy']);
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe|http|\*/);
      bodies.add(page.body.toString());
    }
    assert.equal(bodies.size, 1);
    assert.doesNotMatch([...bodies].join(), /<style|style=|<script(?![^>]*src=)|\son\w+=|https?:/);
  });
}

test('Assets are cached forever, compressed if the browser accepts that, and other files are not served', async () => {
  const html = (await send(Production, '/')).body.toString();
  const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
  assert.ok(assets.length >= 2, html);
  for (const path of assets) {
    const plain = await send(Production, path);
    assert.equal(plain.status, 200, path);
    assert.match(String(plain.headers['cache-control']), /immutable/);
    assert.equal(plain.headers['x-content-type-options'], 'nosniff');
    const again = await send(Production, path, { headers: { 'If-None-Match': String(plain.headers.etag) } });
    assert.equal(again.status, 304);
  }
  const script = assets.find((path) => path.endsWith('.js')) as string;
  const packed = await send(Production, script, { headers: { 'Accept-Encoding': 'gzip, br' } });
  assert.equal(packed.headers['content-encoding'], 'br');
  for (const name of ['nothing.js', '..%2Findex.html', '%2e%2e%2fstamp', 'stamp'])
    assertRefusal(await send(Production, `/assets/${name}`), 404, 'RouteNotFound');
});
