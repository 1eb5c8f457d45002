import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { requestToken } from './request-token.ts';

let answer = { status: 200, body: '' };
let authorization = '';
let address = '';
const server = createServer((request, response) => {
  authorization = request.headers.authorization ?? '';
  response.writeHead(answer.status).end(answer.body);
});

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const request = (secret = 'cs_secret') => requestToken(address, { appKey: 'ak_app', secret });

test('the secret is encoded as in a form before it is sent by HTTP Basic', async () => {
  answer = { status: 200, body: '{"access_token":"abc"}' };
  assert.equal((await request('ä%:+ b')).access_token, 'abc');
  const [, encoded = ''] = authorization.split(' ');
  assert.equal(Buffer.from(encoded, 'base64').toString(), 'ak_app:%C3%A4%25%3A%2B+b');
});

test('an error of OAuth, a refusal of the API and anything else are described', async () => {
  for (const [status, body, message] of [
    [
      401,
      '{"error":"invalid_client","error_description":"client authentication failed"}',
      'the AppKey or the secret is wrong (invalid_client)',
    ],
    [400, '{"error":"invalid_scope"}', 'invalid_scope'],
    [
      500,
      '{"Error":{"Code":"InternalError","Message":"This environment is not available."}}',
      'InternalError (This environment is not available.)',
    ],
    [502, '<html>Bad Gateway</html>', `the answer of ${address}/oauth2/token was 502`],
    [404, 'null', `the answer of ${address}/oauth2/token was 404`],
  ] as const) {
    answer = { status, body };
    await assert.rejects(request(), { message: `No token: ${message}` });
  }
});

test('a service that cannot be reached is named, with the reason', async () => {
  const { port } = server.address() as AddressInfo;
  // It does not speak TLS.
  const secure = requestToken(`https://127.0.0.1:${port}`, { appKey: 'ak_app', secret: 'cs_secret' });
  await assert.rejects(secure, (error: Error) => {
    assert.ok(
      error.message.startsWith(`No token: cannot reach https://127.0.0.1:${port}/oauth2/token: `),
      error.message,
    );
    assert.doesNotMatch(error.message, /fetch failed/);
    return true;
  });
});
