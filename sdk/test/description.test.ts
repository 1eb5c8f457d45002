// The client is in step with the service's own description: its types are those, and every operation has its function.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listOperations, type Operation, readDocument, renderDescription } from '../generate.ts';
import { connect } from '../src/cabinet.ts';
import { type Call, calls } from './operations.ts';

const operations = new Map(listOperations(readDocument()));

test('src/description.ts is what the service describes (bin/pinned-node sdk/generate.ts writes it anew)', () => {
  const written = readFileSync(join(import.meta.dirname, '../src/description.ts'), 'utf8');
  assert.equal(written, renderDescription(readDocument()));
});

/** What a person opens in a browser: pages, what they are made of, what their forms send, and links that were given away. */
function isForBrowsers([name, { responses }]: [string, Operation]): boolean {
  const types = Object.keys(responses['200']?.content ?? {});
  const isTold = types.some((type) => /^application\/(.+\+)?json$|^text\/plain$/.test(type));
  return name.includes('{base}') && !isTold && name !== 'POST {base}/oauth2/revoke';
}

/** What speaks tus has a client of its own, load balancers and scanners too; OPTIONS is what browsers and such clients ask by themselves. */
function isForOthers([name]: [string, Operation]): boolean {
  const isForMachines = name === 'GET {base}/health/ready/write' || name === 'GET {base}/.well-known/security.txt';
  return isForMachines || name === 'POST /uploads' || name.startsWith('OPTIONS ');
}

test('every operation of the description has a function, but for what only browsers and tus clients ask', () => {
  const asked = [...operations]
    .filter((operation) => !isForBrowsers(operation) && !isForOthers(operation))
    .map(([name]) => name);
  assert.ok(asked.length > 50);
  assert.deepEqual(asked.sort(), Object.keys(calls).sort());
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
        return new Response(
          JSON.stringify({ Cursor: 'c', access_token: 't', expires_in: 60, Offset: 0, EntryId: null }),
        );
      },
    });
    await call(cabinet).catch(() => {});
    assert.ok(
      asked.some((request) => toPattern(name).test(request)),
      `asked for ${asked}`,
    );
  });
}

/** `GET /folders/{id}` → the requests that it stands for. */
function toPattern(name: string): RegExp {
  const [method, template = ''] = name.split(' ');
  const path = template.startsWith('{base}') ? template.slice(6) : `/v1/contentmanagement${template}`;
  return new RegExp(`^${method} ${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
