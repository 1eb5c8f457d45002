// The client is in step with the service's own description: its types are those, and every operation has its function.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listOperations, readDocument, renderDescription } from '../generate.ts';
import { connect } from '../src/cabinet.ts';
import { type Call, calls, forBrowsers } from './operations.ts';

const operations = new Map(listOperations(readDocument()));

test('src/description.ts is what the service describes (node sdk/generate.ts writes it anew)', () => {
  const written = readFileSync(join(import.meta.dirname, '../src/description.ts'), 'utf8');
  assert.equal(written, renderDescription(readDocument()));
});

test('every operation of the description has a function, but for the pages that only a browser opens', () => {
  const covered = [...Object.keys(calls), ...Object.keys(forBrowsers)];
  assert.deepEqual([...operations.keys()].sort(), covered.sort());
});

for (const [name, { functionName, call }] of Object.entries<Call>(calls)) {
  test(`${functionName} asks for ${name}`, async () => {
    const asked: string[] = [];
    const cabinet = connect({
      url: 'http://cabinet.invalid',
      appKey: 'ak_test',
      token: async () => 'token',
      fetch: async (url, { method }) => {
        asked.push(`${method} ${url.replace('http://cabinet.invalid', '').split('?')[0]}`);
        return new Response(JSON.stringify({ Cursor: 'c', access_token: 't', expires_in: 60 }));
      },
    });
    await call(cabinet).catch(() => {});
    assert.match(asked[0] ?? 'nothing', toPattern(name));
  });
}

/** `GET /folders/{id}` → the requests that it stands for. */
function toPattern(name: string): RegExp {
  const [method, template = ''] = name.split(' ');
  const path = template.startsWith('{base}') ? template.slice(6) : `/v1/contentmanagement${template}`;
  return new RegExp(`^${method} ${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
