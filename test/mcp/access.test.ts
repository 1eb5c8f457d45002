// Who may do what at the MCP endpoint: callers by tool, the mutual-TLS address, request rates, an address with a path, and the setting.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, type Rpc, toHeaders, toMeta } from '../interface/mcp.ts';
import { addPage, discover, signIn } from '../security/people.ts';
import { addIssued, fetchBound, type Send, through } from '../security/server-applications.ts';
import { addApplication, addUser, command, type Registered, setRole } from '../service/operator.ts';
import { fetchToken, type McpService, startMcp } from './mcp-service.ts';

interface Answer {
  status: number;
  rpc: Rpc;
  challenge: string;
}

interface Message {
  token: string | null;
  method: string;
  params?: Fields;
  path?: string;
}

async function ask(base: string, { token, method, params = {}, path = '/mcp' }: Message): Promise<Answer> {
  const headers = toHeaders(method, params) as Record<string, string>;
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { ...headers, ...(token !== null && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: toMeta(), ...params } }),
  });
  const rpc = (await response.json()) as Rpc;
  return { status: response.status, rpc, challenge: response.headers.get('www-authenticate') ?? '' };
}

function toolsOf({ result = {} }: Rpc): string[] {
  return (result.tools as { name: string }[]).map(({ name }) => name);
}

/** What came of a call: `done`, the code of a refusal, or a status of HTTP. */
async function outcomeOf(base: string, token: string, [name, given]: readonly [string, Fields]): Promise<string> {
  const params = { name, arguments: given };
  const { status, rpc } = await ask(base, { token, method: 'tools/call', params });
  if (status !== 200) return String(status);
  const { isError, content } = rpc.result as { isError: boolean; content: { text: string }[] };
  return isError ? (JSON.parse(content[0]?.text ?? '') as { Error: { Code: string } }).Error.Code : 'done';
}

async function save(base: string, { AppKey }: Registered, token: string): Promise<string> {
  const response = await fetch(`${base}/v1/contentmanagement/files`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, AppKey, FolderId: '-root-', FileName: 'a.txt' },
    body: 'text',
  });
  return ((await response.json()) as { Children: { Id: string }[] }).Children[0]?.Id ?? '';
}

const read = ['search', 'list_folder', 'get_entry', 'read_text', 'list_versions', 'list_changes'];
const write = ['save_text', 'create_folder', 'move_entry', 'make_link'];

async function makeCallers(mcp: McpService): Promise<Record<string, string>> {
  const { dataFolder, service } = mcp;
  const page = await addPage(dataFolder, 'host');
  const configuration = await discover(mcp.proxy.url, page);
  const callers: Record<string, string> = {};
  for (const role of ['viewer', 'editor', 'manager'] as const) {
    const person = await addUser(dataFolder, role);
    await setRole(dataFolder, role, role, 'agent');
    callers[role] = (await signIn(configuration, person)).access_token;
  }
  callers.nobody = (await signIn(configuration, await addUser(dataFolder, 'stranger'))).access_token;
  const stranger = await addApplication(dataFolder, 'stranger');
  callers.stranger = await fetchToken(service.production, stranger);
  const disabled = await addApplication(dataFolder, 'disabled', { space: 'agent' });
  callers.disabled = await fetchToken(service.production, disabled);
  await command(dataFolder, 'app disable', { application: disabled.AppKey });
  callers.reader = await fetchToken(service.production, mcp.agent, { scope: 'content.read' });
  callers.writer = await fetchToken(service.production, mcp.agent);
  return callers;
}

test('every tool by every caller', async () => {
  await using mcp = await startMcp();
  const { production } = mcp.service;
  const callers = await makeCallers(mcp);
  const entryId = await save(production, mcp.agent, callers.writer ?? '');
  const folderId = mcp.agent.RootFolderId;
  const given: Record<string, Fields> = {
    search: { query: 'text' },
    list_folder: { folderId },
    get_entry: { entryId },
    read_text: { entryId },
    list_versions: { entryId },
    list_changes: {},
    save_text: { folderId, name: 'b.txt', text: 'x' },
    create_folder: { parentFolderId: folderId, name: 'c' },
    move_entry: { entryId, name: 'a.txt' },
    make_link: { entryId },
  };
  const all = (expected: string) => Object.fromEntries([...read, ...write].map((name) => [name, expected]));
  const of = (names: string[], expected: string) => Object.fromEntries(names.map((name) => [name, expected]));
  const hidden = {
    ...{ search: 'done', list_folder: 'FolderNotFound', get_entry: 'EntryNotFound', read_text: 'FileNotFound' },
    ...{ list_versions: 'FileNotFound', list_changes: 'done', save_text: 'FolderNotFound' },
    ...{ create_folder: 'FolderNotFound', move_entry: 'EntryNotFound', make_link: 'FileNotFound' },
  };
  const expected: Record<string, Record<string, string>> = {
    nobody: { ...hidden, search: 'Forbidden', list_changes: 'Forbidden' },
    stranger: hidden,
    disabled: all('401'),
    reader: { ...all('done'), ...of(write, '403') },
    // A link is made with the right to read, as over the REST API.
    viewer: { ...all('done'), ...of(['save_text', 'create_folder', 'move_entry'], 'Forbidden') },
    writer: all('done'),
    editor: { ...all('done'), create_folder: 'NameAlreadyExists' },
    manager: { ...all('done'), create_folder: 'NameAlreadyExists' },
  };
  for (const [caller, outcomes] of Object.entries(expected)) {
    for (const [name, outcome] of Object.entries(outcomes)) {
      const token = callers[caller] ?? '';
      assert.equal(await outcomeOf(production, token, [name, given[name] ?? {}]), outcome, `${caller} ${name}`);
    }
  }
  await checkRates(mcp, callers.writer ?? '');
});

/** Requests to the endpoint count like others, and one too many is 429. */
async function checkRates({ dataFolder, service }: McpService, token: string): Promise<void> {
  await command(dataFolder, 'quota set', { space: 'agent', requests: '1' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask(service.production, { token, method: 'tools/list' })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 10 && refused.length < 20, `${refused.length} were refused`);
  assert.equal(refused[0]?.rpc.error?.data?.Code, 'TooManyRequests');
}

test('on the mutual-TLS address with bound tokens, for its own resource', async () => {
  await using mcp = await startMcp({ CABINET_MTLS_PORT: '0' });
  const base = String(mcp.service.mutualTls);
  const billing = await addIssued(mcp.dataFolder, 'billing');
  const send = through(base, billing.tls);
  const { token } = await fetchBound(send, billing.AppKey);
  const listed = await post(send, token);
  assert.equal(toolsOf(listed).length, 10);
  const metadata = await send('/.well-known/oauth-protected-resource/mcp');
  const { resource, tls_client_certificate_bound_access_tokens: isBound } = JSON.parse(
    metadata.body.toString(),
  ) as Fields;
  assert.deepEqual([resource, isBound], [`${base}/mcp`, true]);
  const form = { grant_type: 'client_credentials', client_id: billing.AppKey, resource: `${base}/mcp` };
  const issued = await send('/oauth2/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const { access_token: own } = JSON.parse(issued.body.toString()) as { access_token: string };
  assert.equal(toolsOf(await post(send, own)).length, 10);
  // Neither works on the other address.
  for (const one of [token, own]) {
    const { status } = await ask(mcp.service.production, { token: one, method: 'tools/list' });
    assert.ok(status === 401 || status === 403, String(status));
  }
});

async function post(send: Send, token: string): Promise<Rpc> {
  const answer = await send('/mcp', {
    method: 'POST',
    headers: { ...toHeaders('tools/list', {}), Authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: toMeta() } }),
  });
  return JSON.parse(answer.body.toString()) as Rpc;
}

test('CABINET_MCP=read leaves what reads; an address with a path has everything beneath it', async () => {
  const base = 'https://files.example.org/cabinet';
  await using mcp = await startMcp({ CABINET_MCP: 'read', CABINET_PUBLIC_URL: base });
  const { production } = mcp.service;
  const challenge = `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
  for (const path of ['/mcp', '/cabinet/mcp']) {
    const refused = await ask(production, { token: null, method: 'tools/list', path });
    assert.equal(refused.status, 401);
    assert.ok(refused.challenge.includes(challenge), refused.challenge);
  }
  for (const path of [
    '/.well-known/oauth-protected-resource/mcp',
    '/cabinet/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource/cabinet/mcp',
  ]) {
    const metadata = (await (await fetch(`${production}${path}`)).json()) as Fields;
    assert.deepEqual([metadata.resource, metadata.scopes_supported], [`${base}/mcp`, ['content.read']], path);
  }
  const token = await fetchToken(production, mcp.agent, { resource: `${base}/mcp` });
  const { rpc } = await ask(production, { token, method: 'tools/list', path: '/cabinet/mcp' });
  assert.deepEqual(toolsOf(rpc), read);
  for (const name of write) {
    const called = await ask(production, { token, method: 'tools/call', params: { name, arguments: {} } });
    assert.equal(called.rpc.error?.code, -32602, name);
  }
});

test('CABINET_MCP=off: the endpoint and its metadata do not exist, and nobody gets a token for it', async () => {
  await using mcp = await startMcp({ CABINET_MCP: 'off' });
  const { production } = mcp.service;
  const { status, rpc } = await ask(production, { token: null, method: 'tools/list' });
  assert.deepEqual([status, (rpc as unknown as { Error: { Code: string } }).Error.Code], [404, 'RouteNotFound']);
  assert.equal((await fetch(`${production}/.well-known/oauth-protected-resource/mcp`)).status, 404);
  assert.equal(await fetchToken(production, mcp.agent, { resource: `${mcp.proxy.url}/mcp` }), undefined);
});

test('CABINET_MCP_SPACES: in a space agents may only read, or it does not exist for them', async () => {
  await using mcp = await startMcp();
  const [open, readable, closed] = [
    mcp.agent,
    await addApplication(mcp.dataFolder, 'readable'),
    await addApplication(mcp.dataFolder, 'closed'),
  ];
  const before = await fetchToken(mcp.service.production, readable);
  const idOf = async (application: Registered) => {
    const headers = { Authorization: `Bearer ${await fetchToken(mcp.service.production, application)}` };
    const listed = await fetch(`${mcp.service.production}/v1/contentmanagement/spaces`, {
      headers: { ...headers, AppKey: application.AppKey },
    });
    return ((await listed.json()) as { Spaces: { Id: string }[] }).Spaces[0]?.Id ?? '';
  };
  const ids = { open: await idOf(open), readable: await idOf(readable), closed: await idOf(closed) };
  const entryId = await save(mcp.service.production, readable, before);
  const person = await addUser(mcp.dataFolder, 'ann');
  for (const space of ['agent', 'readable', 'closed']) await setRole(mcp.dataFolder, 'ann', 'editor', space);
  const host = await addPage(mcp.dataFolder, 'host');
  await mcp.restart({ CABINET_MCP_SPACES: `${ids.readable}=read, ${ids.closed.toUpperCase()}=off` });
  const { production } = mcp.service;
  const token = (await signIn(await discover(mcp.proxy.url, host), person)).access_token;
  const call = (name: string, given: Fields, as = token) => outcomeOf(production, as, [name, given]);
  const listed = await ask(production, { token, method: 'tools/call', params: { name: 'list_folder', arguments: {} } });
  const { Spaces } = (listed.rpc.result as { structuredContent: { Spaces: { Id: string }[] } }).structuredContent;
  assert.deepEqual(new Set(Spaces.map(({ Id }) => Id)), new Set([ids.open, ids.readable]));
  const text = { name: 'b.txt', text: 'x' };
  assert.equal(await call('save_text', { folderId: open.RootFolderId, ...text }), 'done');
  assert.equal(await call('read_text', { entryId }), 'done');
  const writing: [string, Fields][] = [
    ['save_text', { folderId: readable.RootFolderId, ...text }],
    ['create_folder', { parentFolderId: readable.RootFolderId, name: 'c' }],
    ['move_entry', { entryId, name: 'd.txt' }],
    ['make_link', { entryId }],
  ];
  for (const [name, given] of writing) assert.equal(await call(name, given), 'Forbidden', name);
  assert.equal(await call('list_folder', { folderId: closed.RootFolderId }), 'FolderNotFound');
  assert.equal(await call('search', { query: 'x', spaceId: ids.closed }), 'SpaceNotFound');
  // An application of its own, by whatever name it calls its root.
  const own = await fetchToken(production, readable);
  for (const folderId of ['-root-', '', readable.RootFolderId])
    assert.equal(await call('save_text', { folderId, ...text }, own), 'Forbidden', folderId);
  assert.equal(await call('list_folder', { folderId: '-root-' }, await fetchToken(production, closed)), 'Forbidden');
  // Only agents are meant: the REST API works on.
  assert.notEqual(await save(production, readable, own), '');
});

test('CABINET_TEST_MCP is for the test environment', async () => {
  await using mcp = await startMcp({ CABINET_TEST_PORT: '0', CABINET_TEST_MCP: 'off' });
  const { production, test: other } = mcp.service;
  assert.equal((await fetch(`${production}/.well-known/oauth-protected-resource/mcp`)).status, 200);
  assert.equal((await fetch(`${other}/.well-known/oauth-protected-resource/mcp`)).status, 404);
});
