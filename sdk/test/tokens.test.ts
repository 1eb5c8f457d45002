// Tokens: one fetch for many callers, renewed before they expire and when they are refused; retries as the service asks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type Fetch } from '../src/connect.ts';
import { saveFile } from '../src/files.ts';
import { createFolder, showFolder } from '../src/folders.ts';
import { applicationToken, keepToken } from '../src/tokens.ts';
import { standOnService } from './ground.ts';

const ground = await standOnService();
const { Secret: secret, AppKey: appKey } = ground.application;
const url = ground.service.production;

interface Watched {
  fetch: Fetch;
  asked: string[];
}

/** The real fetch, but for what `instead` answers. */
function watch(instead: (path: string, times: number) => Response | undefined = () => undefined): Watched {
  const asked: string[] = [];
  return {
    asked,
    fetch: async (address, init) => {
      const { pathname } = new URL(address);
      asked.push(pathname);
      const times = asked.filter((path) => path === pathname).length;
      return instead(pathname, times) ?? fetch(address, init as RequestInit);
    },
  };
}

function refuse(Code: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ Error: { Code, Message: 'No.', RequestTrackingId: 'x' } }), {
    status: 500,
    headers,
  });
}

function countTokens({ asked }: Watched): number {
  return asked.filter((path) => path === '/oauth2/token').length;
}

test('many callers at once wait for one token', async () => {
  const watched = watch();
  const cabinet = connect({ url, appKey, token: applicationToken({ secret }), fetch: watched.fetch });
  await Promise.all(Array.from({ length: 20 }, () => showFolder(cabinet, '-root-')));
  assert.equal(countTokens(watched), 1);
});

test('a secret of any characters is sent as it is', async () => {
  const watched = watch();
  const cabinet = connect({
    url,
    appKey,
    token: applicationToken({ secret: 'a:b%41+ *~wrong' }),
    fetch: watched.fetch,
  });
  await assert.rejects(showFolder(cabinet, '-root-'), { code: 'TokenRefused', status: 401, message: /invalid_client/ });
  assert.equal(countTokens(watched), 1, 'a refusal is not tried again');
});

test('fewer scopes than the application has can be asked for', async () => {
  const cabinet = connect({ url, appKey, token: applicationToken({ secret, scope: 'content.read' }) });
  await showFolder(cabinet, '-root-');
  await assert.rejects(createFolder(cabinet, { name: 'not allowed' }), { code: 'InsufficientScope', status: 403 });
});

/** A token that the service takes for so many seconds only, by what the issuer says. */
async function withLifetime(seconds: number) {
  const real = (await (
    await fetch(`${url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${appKey}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
  ).json()) as Record<string, unknown>;
  return watch((path) =>
    path === '/oauth2/token' ? new Response(JSON.stringify({ ...real, expires_in: seconds })) : undefined,
  );
}

test('a token is renewed before it expires, not at every call', async ({ mock }) => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const watched = await withLifetime(4);
  const cabinet = connect({ url, appKey, token: applicationToken({ secret }), fetch: watched.fetch });
  await showFolder(cabinet, '-root-');
  await showFolder(cabinet, '-root-');
  assert.equal(countTokens(watched), 1);
  mock.timers.tick(4100);
  await showFolder(cabinet, '-root-');
  assert.equal(countTokens(watched), 2);
});

test('a token that is refused in the middle is replaced once, and the call goes on', async () => {
  const watched = watch();
  const good = applicationToken({ secret });
  let given = 0;
  const cabinet = connect({
    url,
    appKey,
    fetch: watched.fetch,
    token: async (asked) => (given++ === 0 ? 'expired' : good({ ...asked, refused: null })),
  });
  const saved = await saveFile(cabinet, { name: 'in the middle', content: new Blob(['a']) });
  assert.equal(saved.Name, 'in the middle');
  assert.equal(given, 2);
  assert.equal(watched.asked.filter((path) => path.endsWith('/files')).length, 2);
});

test('a token that stays refused is an error, after one more try', async () => {
  const watched = watch();
  let given = 0;
  const cabinet = connect({
    url,
    appKey,
    fetch: watched.fetch,
    token: async () => `wrong ${given++}`.replace(' ', ''),
  });
  await assert.rejects(showFolder(cabinet, '-root-'), { code: 'TokenInvalid' });
  assert.equal(given, 2);
});

test('a token that still counts is used while the issuer cannot be reached, and no longer', async (context) => {
  context.mock.timers.enable({ apis: ['Date'] });
  let isDown = false;
  let fetched = 0;
  const source = keepToken(async () => {
    fetched++;
    if (isDown) throw new Error('down');
    return { access_token: `token ${fetched}`, expires_in: 3600, token_type: 'Bearer' };
  });
  const asked = { cabinet: ground.connect(), refused: null };
  assert.equal(await source(asked), 'token 1');
  context.mock.timers.tick(3500_000);
  assert.equal(await source(asked), 'token 1');
  assert.equal(fetched, 1);
  isDown = true;
  context.mock.timers.tick(50_000);
  assert.equal(await source(asked), 'token 1');
  assert.equal(fetched, 2);
  context.mock.timers.tick(50_000);
  await assert.rejects(source(asked), /down/);
  isDown = false;
  assert.equal(await source(asked), 'token 4');
});

test('an answer that asks to wait is waited for', async () => {
  const watched = watch((path, times) => {
    if (!path.endsWith('/folders') || times > 2) return;
    return refuse('StorageFull', { 'Retry-After': '0' });
  });
  const cabinet = connect({ url, appKey, token: applicationToken({ secret }), fetch: watched.fetch });
  const created = await createFolder(cabinet, { name: 'after a while' });
  assert.equal(created.Name, 'after a while');
  assert.equal(watched.asked.filter((path) => path.endsWith('/folders')).length, 3);
});

test('a 500 that does not ask to wait is an error at once', async () => {
  const watched = watch((path) => (path.startsWith('/v1/') ? refuse('InternalError') : undefined));
  const cabinet = connect({ url, appKey, token: applicationToken({ secret }), fetch: watched.fetch });
  await assert.rejects(showFolder(cabinet, '-root-'), { code: 'InternalError', trackingId: 'x' });
  assert.equal(watched.asked.length, 2);
});

test('what is not an answer of Cabinet is said to be none', async () => {
  const pages: [number, string][] = [
    [404, '<html>nginx</html>'],
    [200, '<html>Welcome to the hotel</html>'],
  ];
  for (const [status, text] of pages) {
    const watched = watch((path) => (path.startsWith('/v1/') ? new Response(text, { status }) : undefined));
    const cabinet = connect({ url, appKey, token: applicationToken({ secret }), fetch: watched.fetch });
    await assert.rejects(showFolder(cabinet, '-root-'), { code: 'UnexpectedAnswer', status });
  }
});

test('a mistake in a header is a mistake, not a lost connection', async () => {
  const cabinet = connect({ url, appKey: 'ak\nsplit', token: async () => 't' });
  await assert.rejects(showFolder(cabinet, '-root-'), TypeError);
});

test('an address that is none is refused at once', () => {
  assert.throws(
    () => connect({ url: 'cabinet.example', appKey: 'a', token: async () => 't' }),
    /http or https address/,
  );
});
