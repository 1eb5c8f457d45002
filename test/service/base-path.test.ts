// `CABINET_PUBLIC_URL` with a path, behind nginx, Caddy and Apache: production beneath a path that the proxy passes on, test
// beneath one that it strips.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  addShare,
  addUser as addUserByRequest,
  applicationToken,
  type Cabinet,
  connect,
  createFolder,
  createLink,
  listChildren,
  readDescription,
  readText,
  saveFile,
} from '@cabinet/client';
import { findFreePort } from '../free-ports.ts';
import { Browser, type Page } from '../security/browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from '../security/people.ts';
import { addApplication, addUser, type Person, type Registered, setUp } from './operator.ts';
import { skipWithout } from './programs.ts';
import { readExample, startReverseProxy } from './reverse-proxies.ts';
import { makeDataFolder, removeDataFolder } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const content = '/v1/contentmanagement';
const metadataNames = ['openid-configuration', 'oauth-authorization-server'];
const skip = skipWithout('nginx');
const dataFolder = makeDataFolder();
/** Where nginx listens. */
let origin: string;
let service: StartedHere;
let stopNginx = async () => {};

interface Beneath {
  /** The public address. */
  base: string;
  cabinet: Cabinet;
  token: string;
  office: Registered;
}

/** The path is passed on. */
let kept: Beneath;
let stripped: Beneath;

before(async () => {
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  service = await startServiceHere(dataFolder, {
    environment: {
      CABINET_PUBLIC_URL: `${origin}/cabinet`,
      CABINET_TEST_PUBLIC_URL: `${origin}/trial/box`,
      CABINET_TEST_PORT: '0',
      CABINET_PROXIES: '127.0.0.1',
    },
  });
  if (skip !== false) return;
  const more = toStripping(readExample('nginx', String(service.test)));
  stopNginx = await startReverseProxy('nginx', { port, target: service.production, more });
  kept = await openBeneath(`${origin}/cabinet`, 'production');
  stripped = await openBeneath(`${origin}/trial/box`, 'test');
});

after(async () => {
  await stopNginx();
  await service.stop();
  removeDataFolder(dataFolder);
});

/** The example of the documentation as a location that strips the path. */
function toStripping(example: string): string {
  const [, ...lines] = example.split('\n');
  return `location /trial/box/ {\n${lines.join('\n').replace(/(proxy_pass [^;]+);/, '$1/;')}`;
}

async function openBeneath(base: string, env: string): Promise<Beneath> {
  const scopes = 'content.read content.write content.admin';
  const office = await addApplication(dataFolder, 'office', { env, scopes });
  const source = applicationToken({ secret: office.Secret });
  const cabinet = connect({ url: base, appKey: office.AppKey, token: source });
  return { base, cabinet, office, token: await source({ cabinet, refused: null }) };
}

async function readMetadata(address: string): Promise<Record<string, unknown>> {
  const answer = await fetch(address);
  assert.equal(answer.status, 200, address);
  return (await answer.json()) as Record<string, unknown>;
}

function toHeaders({ token, office }: Beneath): Record<string, string> {
  return { Authorization: `Bearer ${token}`, AppKey: office.AppKey };
}

test('the issuer and all of its endpoints are beneath the path', { skip }, async () => {
  for (const { base } of [kept, stripped]) {
    for (const name of metadataNames) {
      const metadata = await readMetadata(`${base}/.well-known/${name}`);
      assert.equal(metadata.issuer, base);
      const addresses = Object.entries(metadata).filter(([key]) => /_(endpoint|uri)$/.test(key));
      assert.ok(addresses.length >= 4);
      for (const [key, address] of addresses) assert.ok(String(address).startsWith(`${base}/oauth2/`), key);
      assert.ok((await fetch(String(metadata.jwks_uri))).ok);
    }
  }
});

test('the metadata is also where the path stands behind its name (RFC 8414, section 3.1)', { skip }, async () => {
  for (const name of metadataNames) {
    const metadata = await readMetadata(`${origin}/.well-known/${name}/cabinet`);
    assert.deepEqual(metadata, await readMetadata(`${origin}/cabinet/.well-known/${name}`));
  }
});

test('save, list, follow and read: every address in an answer works', { skip }, async () => {
  for (const beneath of [kept, stripped]) {
    const { base, cabinet } = beneath;
    for (const name of ['a.txt', 'b.txt']) await saveFile(cabinet, { name, content: name });
    const names: string[] = [];
    for await (const { Name } of listChildren(cabinet, '-root-', { pageSize: 1 })) names.push(Name);
    assert.deepEqual(names, ['a.txt', 'b.txt']);
    const page = await fetch(`${base}${content}/folders/-root-?limit=1`, { headers: toHeaders(beneath) });
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
    assert.ok(next.startsWith(`${base}${content}/folders/`), next);
    assert.ok((await fetch(next, { headers: toHeaders(beneath) })).ok);
    const { Children: [child] = [] } = (await page.json()) as { Children: { Id: string }[] };
    assert.equal(await readText(cabinet, String(child?.Id)), 'a.txt');
    const { Url } = await createLink(cabinet, { id: String(child?.Id) });
    assert.ok(Url.startsWith(`${base}/links/`), Url);
    assert.equal(await (await fetch(Url)).text(), 'a.txt');
    const { servers } = (await readDescription(cabinet)) as unknown as { servers: { url: string }[] };
    assert.equal(servers[0]?.url, base);
  }
});

test('uploads go on at their Location, by tus and by the IETF draft', { skip }, async () => {
  for (const beneath of [kept, stripped]) {
    const { base } = beneath;
    const tus = { ...toHeaders(beneath), 'Tus-Resumable': '1.0.0' };
    const begun = await fetch(`${base}${content}/uploads`, {
      method: 'POST',
      headers: { ...tus, 'Upload-Length': '3', 'Upload-Metadata': `filename ${btoa('tus.txt')}` },
    });
    assert.equal(begun.status, 201);
    const location = new URL(begun.headers.get('location') ?? '', base);
    assert.ok(location.href.startsWith(`${base}${content}/uploads/`), location.href);
    const type = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    const ended = await fetch(location, { method: 'PATCH', headers: { ...tus, ...type }, body: 'tus' });
    assert.equal(ended.status, 204, await ended.text());

    const partial = await fetch(`${base}${content}/files`, {
      method: 'POST',
      headers: { ...toHeaders(beneath), FileName: 'draft.txt', 'Upload-Complete': '?0' },
      body: 'dra',
    });
    assert.equal(partial.status, 201, await partial.text());
    const upload = new URL(partial.headers.get('location') ?? '', base);
    assert.ok(upload.href.startsWith(`${base}${content}/uploads/`), upload.href);
    const rest = { 'Content-Type': 'application/partial-upload', 'Upload-Offset': '3', 'Upload-Complete': '?1' };
    const whole = await fetch(upload, { method: 'PATCH', headers: { ...toHeaders(beneath), ...rest }, body: 'ft' });
    assert.equal(whole.status, 200, await whole.text());
  }
});

test('links for people without an account lead beneath the path, with their pages, files, cookies and uploads', {
  skip,
}, async () => {
  for (const { base, cabinet } of [kept, stripped]) {
    const { pathname } = new URL(base);
    const folder = await createFolder(cabinet, { name: 'shared' });
    for (const name of ['1.txt', '2.txt']) await saveFile(cabinet, { name, folder: folder.Id, content: name });
    const read = await addShare(cabinet, { entry: folder.Id, access: 'read', password: 'open sesame' });
    const url = String(read.Url);
    assert.ok(url.startsWith(`${base}/s/`), url);

    const form = {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ password: 'open sesame' }),
    } as const;
    const opened = await fetch(url, form);
    assert.equal(new URL(opened.headers.get('location') ?? '', url).href, url);
    const cookie = opened.headers.get('set-cookie') ?? '';
    assert.match(cookie, new RegExp(`; Path=${pathname}/;`));
    const headers = { Cookie: cookie.replace(/;.*/, '') };
    await checkAddresses(url, { base, headers });
    const listing = await fetch(`${base}${content}/shared/${url.split('/').at(-1)}?limit=1`, {
      headers: { SharePassword: 'open%20sesame' },
    });
    assert.match(listing.headers.get('link') ?? '', new RegExp(`^<${base}${content}/shared/.*>; rel="next"$`));

    const sending = await addShare(cabinet, { entry: folder.Id, access: 'upload' });
    await checkAddresses(String(sending.Url), { base, headers: {} });
    const tus = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '3', FileName: 'sent.txt' };
    const uploads = `${base}${content}/shared/${sending.Url?.split('/').at(-1)}/uploads`;
    const begun = await fetch(uploads, { method: 'POST', headers: tus });
    const location = new URL(begun.headers.get('location') ?? '', uploads).href;
    assert.ok(location.startsWith(`${uploads}/`), location);
    assert.equal((await fetch(location, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } })).status, 200);
  }
});

/** The page, and all that it refers to. */
async function checkAddresses(
  page: string,
  { base, headers }: { base: string; headers: Record<string, string> },
): Promise<void> {
  const answer = await fetch(page, { headers });
  assert.equal(answer.status, 200, page);
  const addresses = [...(await answer.text()).matchAll(/ (?:src|href)="([^"#]+)"/g)].map(
    ([, address]) => new URL(String(address), page).href,
  );
  assert.ok(addresses.length > 0, page);
  for (const address of addresses) {
    assert.ok(address.startsWith(`${base}/`), address);
    assert.equal((await fetch(address, { headers })).status, 200, address);
  }
}

test('a setup link leads beneath the path, and its form sets the password', { skip }, async () => {
  for (const { base, cabinet } of [kept, stripped]) {
    const { SetupUrl } = await addUserByRequest(cabinet, { id: 'eve', role: 'viewer' });
    assert.ok(SetupUrl.startsWith(`${base}/setup/`), SetupUrl);
    assert.equal((await fetch(SetupUrl)).status, 200);
    assert.equal(await setUp(SetupUrl, 'four words nobody expects'), 200);
  }
});

test('WebDAV and MCP name addresses beneath the path', { skip }, async () => {
  for (const beneath of [kept, stripped]) {
    const { base } = beneath;
    const { pathname } = new URL(base);
    const listing = await fetch(`${base}/dav/`, { method: 'PROPFIND', headers: { ...toHeaders(beneath), Depth: '1' } });
    const hrefs = [...(await listing.text()).matchAll(/<D:href>([^<]+)</g)].map(([, href]) => String(href));
    assert.ok(hrefs.length >= 2);
    for (const href of hrefs) assert.ok(href.startsWith(`${pathname}/dav/`), href);
    const refused = await fetch(`${base}/mcp`, { method: 'POST', body: '{}' });
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    assert.ok(metadata.startsWith(`${base}/.well-known/`), metadata);
    const { resource, authorization_servers: issuers } = await readMetadata(metadata);
    assert.deepEqual([resource, issuers], [`${base}/mcp`, [base]]);
  }
});

test('people sign in and out beneath the path, with cookies that stay there', { skip }, async () => {
  const page = await addPage(dataFolder, 'page');
  const ann: Person = await addUser(dataFolder, 'ann');
  const base = `${origin}/cabinet`;
  const configuration = await discover(base, page);
  const browser = new Browser();
  const tokens = await signIn(configuration, ann, browser);
  assert.equal(tokens.claims()?.iss, base);
  assert.ok(browser.cookies.length > 0);
  for (const { name, path } of browser.cookies) assert.match(path, /^\/cabinet\//, name);

  const again = await begin(configuration, { prompt: 'none' });
  assert.equal((await finish(configuration, (await browser.open(again.url)).url, again)).claims()?.sub, 'ann');

  const [address, form] = String((await begin(configuration, { prompt: 'login' })).url).split('?');
  const asked: Page = await browser.open(String(address), { method: 'POST', body: new URLSearchParams(form) });
  assert.match(asked.url.pathname, /^\/cabinet\/oauth2\/login\//);
  const back = await browser.submit(asked, { user: 'ann', password: ann.Password });
  assert.equal(back.url.origin, new URL(redirectUri).origin, back.text);

  const leaving = await browser.open(`${base}/oauth2/logout?id_token_hint=${tokens.id_token}`);
  const left = await browser.submit(leaving, { logout: 'yes' });
  assert.equal(left.url.pathname, '/cabinet/oauth2/logout/success');
  assert.ok(!browser.cookies.some(({ name }) => name === 'cabinet_production_session'));
});

test('the console and the docs page load everything from beneath the path', { skip }, async () => {
  for (const base of [kept.base, stripped.base]) {
    const { pathname } = new URL(base);
    for (const path of ['/', '/files/x', '/docs']) {
      const page = await fetch(base + path);
      const text = await page.text();
      assert.equal(page.status, 200);
      const addresses = [...text.matchAll(/ (?:src|href)="([^"#]+)"/g)].map(
        ([, address]) => new URL(String(address), base + path),
      );
      assert.ok(addresses.length > 3, path);
      for (const address of addresses) {
        assert.ok(address.href.startsWith(`${base}/`), address.href);
        assert.equal((await fetch(address)).status, 200, address.href);
      }
      if (path !== '/docs') assert.ok(text.includes(`<meta name="base-path" content="${pathname}"`));
    }
  }
});

test('the page of the console is compressed and revalidated beneath a path too', { skip }, async () => {
  const page = await fetch(`${kept.base}/`, { headers: { 'Accept-Encoding': 'br' } });
  assert.equal(page.headers.get('content-encoding'), 'br');
  assert.match(await page.text(), /base-path/);
  const headers = { 'Accept-Encoding': 'br', 'If-None-Match': page.headers.get('etag') ?? '' };
  assert.equal((await fetch(`${kept.base}/`, { headers })).status, 304);
});

test('without the proxy the service answers with and without the path', async () => {
  for (const path of ['/health/live', '/cabinet/health/live', '/cabinet', '/cabinet/docs']) {
    assert.equal((await fetch(service.production + path)).status, 200, path);
  }
  for (const path of [
    '/cabinets/health/live',
    '/other/health/live',
    '/cabinet/cabinet/health/live',
    '/cabinet/nothing',
  ]) {
    assert.equal((await fetch(service.production + path)).status, 404, path);
  }
});

for (const [name, title] of [
  ['nginx', 'nginx'],
  ['caddy', 'Caddy'],
  ['apache2', 'Apache'],
] as const) {
  test(`the example for ${title} passes requests on as they came`, {
    skip: skipWithout('nginx', name),
  }, async (context) => {
    const port = await findFreePort();
    context.after(await startReverseProxy(name, { port, target: service.production }));
    const base = `http://127.0.0.1:${port}/cabinet`;
    for (const known of metadataNames) {
      assert.equal((await readMetadata(`http://127.0.0.1:${port}/.well-known/${known}/cabinet`)).issuer, kept.base);
    }
    const resource = await readMetadata(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource/cabinet/mcp`);
    assert.equal(resource.resource, `${kept.base}/mcp`);
    assert.equal((await fetch(`${base}/health/live`)).status, 200);
    assert.doesNotMatch(await (await fetch(`http://127.0.0.1:${port}/cabinets/health/live`)).text(), /live/);
    assert.equal((await fetch(`${base}/metrics`)).status, 403);
    const headers = toHeaders(kept);
    // An id that is not decoded on the way: decoded, it would be two segments.
    const member = await fetch(`${base}${content}/users/company%2Fann`, { method: 'PATCH', headers, body: '{}' });
    assert.notEqual(((await member.json()) as { Code: string }).Code, 'RouteNotFound');
    const body = 'x'.repeat(2_000_000);
    const saved = await fetch(`${base}${content}/files`, {
      method: 'POST',
      headers: { ...headers, FileName: `${name}.txt` },
      body,
    });
    assert.equal(saved.status, 200);
    const address = `${base}${content}/files/${saved.headers.get('entryid')}/content`;
    assert.equal(await (await fetch(address, { headers })).text(), body);
    // In requests of the IETF draft, with interim answers.
    const through = { ...kept.cabinet, url: base, retries: 0 };
    const entry = await saveFile(through, { name: `resumable ${name}`, content: body }, { resumableFrom: 1000 });
    assert.equal(entry.Size, body.length);
  });
}
