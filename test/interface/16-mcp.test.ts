// MCP, the protocol (docs/contract.md §16): one JSON-RPC request per POST, with headers that match it, credentials, origins, limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicAuthorization, call, fetchToken, identity, makeFolder, send, signIn } from './client.ts';
import {
  ask,
  callTool,
  eventsOf,
  must,
  post,
  REVISION,
  type Rpc,
  refused,
  toHeaders,
  toMeta,
  tool,
  toRpc,
} from './mcp.ts';

const main = await signIn('Main');
const reader = await signIn('Reader');
const admin = await signIn('Administrator');

const reading = ['search', 'list_folder', 'get_entry', 'read_text', 'list_versions', 'list_changes'];
const writing = ['save_text', 'create_folder', 'move_entry', 'make_link'];

type Tool = {
  name: string;
  inputSchema: { type: string };
  outputSchema: { type: string };
  annotations: { readOnlyHint: boolean };
};

async function listTools(caller: typeof main): Promise<Tool[]> {
  return (await must(caller, 'tools/list')).tools as Tool[];
}

test('server/discover names the revision, tools and resources', async () => {
  const result = await must(main, 'server/discover');
  assert.deepEqual(result.supportedVersions, [REVISION]);
  assert.deepEqual(result.capabilities, { tools: {}, resources: {} });
  const { name, version } = (result._meta as Record<string, { name: string; version: string }>)[
    'io.modelcontextprotocol/serverInfo'
  ] as { name: string; version: string };
  assert.deepEqual([name, typeof version], ['cabinet', 'string']);
});

test('There are ten tools with schemas; the first six only read, and none deletes', async () => {
  const tools = await listTools(main);
  assert.deepEqual(
    tools.map(({ name }) => name),
    [...reading, ...writing],
  );
  for (const { name, annotations, inputSchema, outputSchema } of tools) {
    assert.equal(annotations.readOnlyHint, reading.includes(name), name);
    assert.deepEqual([inputSchema.type, outputSchema.type], ['object', 'object'], name);
  }
  assert.doesNotMatch(JSON.stringify(tools.map(({ name }) => name)), /delete|remove|trash|purge/);
});

test('A token without content.write sees the six, and calling another is 403 insufficient_scope', async () => {
  assert.deepEqual(
    (await listTools(reader)).map(({ name }) => name),
    reading,
  );
  const narrowed = { ...main, token: await fetchToken(main.base, main.application, 'content.read') };
  for (const caller of [reader, narrowed]) {
    const params = { name: 'create_folder', arguments: { parentFolderId: '-root-', name: 'x' } };
    const answer = await ask(caller, 'tools/call', params);
    assert.equal(answer.status, 403);
    const challenge = String(answer.headers['www-authenticate']);
    assert.match(challenge, /^Bearer .*error="insufficient_scope"/);
    assert.match(challenge, /scope="content\.write"/);
    assert.match(challenge, /resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource\/mcp"/);
  }
});

test('Without a valid token it is 401 and names the metadata, which names resource and issuer', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: toMeta() } };
  for (const Authorization of [undefined, '', 'Bearer x', basicAuthorization('a', 'b')]) {
    const answer = await post(main, body, { ...toHeaders('tools/list', {}), Authorization });
    assert.equal(answer.status, 401, String(Authorization));
    const challenge = String(answer.headers['www-authenticate']);
    const [, url = ''] = /^Bearer .*resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    assert.equal(new URL(url).pathname, '/.well-known/oauth-protected-resource/mcp');
  }
  const answer = await send(main.base, '/.well-known/oauth-protected-resource/mcp');
  assert.equal(answer.status, 200);
  const metadata = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  assert.equal(metadata.resource, `${main.base}/mcp`);
  assert.deepEqual(metadata.authorization_servers, [main.base]);
  assert.deepEqual(metadata.scopes_supported, ['content.read', 'content.write']);
  assert.deepEqual(metadata.bearer_methods_supported, ['header']);
});

test('The issuer accepts the endpoint as resource; such tokens work there and nowhere else', async () => {
  const form = new URLSearchParams({ grant_type: 'client_credentials', resource: `${main.base}/mcp` });
  const { AppKey, Secret } = main.application;
  const issued = await send(main.base, '/oauth2/token', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: basicAuthorization(AppKey, Secret),
    },
    body: form.toString(),
  });
  assert.equal(issued.status, 200, issued.body.toString());
  const { access_token: token } = JSON.parse(issued.body.toString()) as { access_token: string };
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { aud: string };
  assert.equal(payload.aud, `${main.base}/mcp`);
  const caller = { ...main, token };
  assert.equal((await listTools(caller)).length, 10);
  const elsewhere = await call(caller, '/folders/-root-?limit=1');
  assert.equal(elsewhere.status, 401);
});

test('An AppKey may be sent, and must be the right one', async () => {
  assert.equal((await ask(main, 'tools/list', {}, identity(main))).status, 200);
  const { status, rpc } = await askWrongly({ AppKey: reader.application.AppKey });
  assert.deepEqual([status, rpc.error?.data?.Code], [401, 'AppKeyMismatch']);
});

async function askWrongly(headers: Record<string, string>, body?: unknown): Promise<{ status: number; rpc: Rpc }> {
  const sound = { jsonrpc: '2.0', id: 'one', method: 'tools/list', params: { _meta: toMeta() } };
  const answer = await post(main, body ?? sound, { ...toHeaders('tools/list', {}), ...headers });
  return { status: answer.status, rpc: toRpc(answer) };
}

test('Pages of our own address may call it, others get 403, whatever their credentials', async () => {
  assert.equal((await ask(main, 'tools/list', {}, { Origin: main.base })).status, 200);
  for (const Origin of [
    'https://evil.example.com',
    'null',
    'file://',
    `${main.base}.evil.example`,
    main.base.toUpperCase(),
  ]) {
    assert.equal((await askWrongly({ Origin })).status, 403, Origin);
    assert.equal((await askWrongly({ Origin, Authorization: 'Bearer x' })).status, 403, Origin);
  }
});

test('Only POST is taken', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    const answer = await send(main.base, '/mcp', { method, headers: identity(main) });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.allow, 'POST');
  }
});

test('Methods of other revisions, and unknown ones, are 404 with -32601', async () => {
  const old = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'prompts/list', 'subscriptions/listen'];
  for (const method of [...old, 'unknown/method', 'constructor', '__proto__', 'toString']) {
    const { status, rpc } = await ask(main, method);
    assert.deepEqual([status, rpc.error?.code], [404, -32601], method);
  }
  // As a client of an older revision begins.
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const answer = await post(main, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  assert.deepEqual([answer.status, toRpc(answer).error?.code, toRpc(answer).id], [404, -32601, 0]);
});

test('Metadata in the body is needed, and headers must match it', async () => {
  const cases: [object | undefined, Record<string, string | undefined>, number, string][] = [
    [undefined, {}, -32602, 'no _meta'],
    [{ 'io.modelcontextprotocol/protocolVersion': REVISION }, {}, -32602, 'no capabilities'],
    [{ 'io.modelcontextprotocol/clientCapabilities': {} }, {}, -32602, 'no version'],
    [toMeta(), { 'MCP-Protocol-Version': undefined }, -32020, 'no version header'],
    [toMeta(), { 'MCP-Protocol-Version': '2025-11-25' }, -32020, 'another version in the header'],
    [toMeta(), { 'Mcp-Method': undefined }, -32020, 'no method header'],
    [toMeta(), { 'Mcp-Method': 'TOOLS/LIST' }, -32020, 'another method in the header'],
  ];
  for (const [meta, headers, code, what] of cases) {
    const params = meta === undefined ? {} : { _meta: meta };
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/list', params };
    const answer = await post(main, body, { ...toHeaders('tools/list', {}), ...headers });
    const { error, id } = toRpc(answer);
    assert.deepEqual([answer.status, error?.code, id], [400, code, 7], what);
  }
});

test('Mcp-Name must match, also when it is encoded', async () => {
  const params = { name: 'list_folder', arguments: {} };
  const encoded = `=?base64?${Buffer.from('list_folder').toString('base64')}?=`;
  for (const [name, status] of [
    [encoded, 200],
    ['get_entry', 400],
    ['=?base64?!!!?=', 400],
    [undefined, 400],
  ] as const) {
    const answer = await ask(main, 'tools/call', params, { 'Mcp-Name': name });
    assert.equal(answer.status, status, String(name));
    if (status === 400) assert.equal(answer.rpc.error?.code, -32020);
  }
});

test('Another revision is 400 with those that are supported', async () => {
  for (const version of ['2025-11-25', '2099-01-01', '']) {
    const _meta = toMeta({ 'io.modelcontextprotocol/protocolVersion': version });
    const { status, rpc } = await ask(main, 'server/discover', { _meta }, { 'MCP-Protocol-Version': version });
    assert.deepEqual([status, rpc.error?.code], [400, -32022]);
    assert.deepEqual(rpc.error?.data, { supported: [REVISION], requested: version });
  }
});

test('What is not one JSON-RPC request is 400', async () => {
  for (const [body, code] of [
    ['', -32700],
    ['{', -32700],
    ['[]', -32600],
    [`[${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}]`, -32600],
    ['"tools/list"', -32600],
    ['{"id":1,"method":"tools/list"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', -32600],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', -32600],
    [Buffer.from([0x7b, 0xff, 0x7d]), -32700],
  ] as const) {
    const answer = await post(main, body);
    assert.deepEqual([answer.status, toRpc(answer).error?.code], [400, code], String(body));
  }
  assert.equal((await post(main, '{}', { 'Content-Type': 'text/plain' })).status, 415);
});

test('A notification is accepted and not answered', async () => {
  const answer = await post(main, { jsonrpc: '2.0', method: 'notifications/cancelled' });
  assert.deepEqual([answer.status, answer.body.length], [202, 0]);
});

/** An argument that is `levels` objects deep, in a body that is so deep as a whole. */
function toDeep(levels: number): string {
  const outer = 3;
  const more = levels - outer - 1;
  const inner = `${'{"a":'.repeat(more)}{}${'}'.repeat(more)}`;
  const meta = JSON.stringify(toMeta());
  const params = `{"_meta":${meta},"name":"get_entry","arguments":{"entryId":"x","deep":${inner}}}`;
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
}

test('A body of 4 MiB and 64 levels is read; a larger one is 413, a deeper one 400', async () => {
  const headers = toHeaders('tools/call', { name: 'get_entry' });
  assert.equal((await post(main, toDeep(64), headers)).status, 200);
  assert.equal((await post(main, toDeep(65), headers)).status, 400);
  assert.equal((await post(main, '['.repeat(100_000))).status, 400);
  const limit = 4 * 1024 * 1024;
  const toBody = (size: number) => {
    const empty = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: '' } });
    return empty.replace('"x":""', `"x":"${'x'.repeat(size - empty.length)}"`);
  };
  assert.equal((await post(main, toBody(limit))).status, 404);
  assert.equal((await post(main, toBody(limit + 1))).status, 413);
  const chunked = await post(main, toBody(limit + 1), { 'Transfer-Encoding': 'chunked' });
  assert.equal(chunked.status, 413);
});

test('Unknown tools are -32602; bad arguments are results with isError', async () => {
  for (const name of ['delete_entry', 'Search', '', 'constructor', 'x'.repeat(5000)]) {
    const { status, rpc } = await ask(main, 'tools/call', { name, arguments: {} });
    assert.deepEqual([status, rpc.error?.code], [200, -32602], name);
  }
  const { rpc } = await ask(main, 'tools/call', { arguments: {} }, { 'Mcp-Name': 'x' });
  assert.equal(rpc.error?.code, -32020);
  await refused(main, 'get_entry', {}, 'InvalidField');
  await refused(main, 'get_entry', { entryId: 7 }, 'InvalidField');
  await refused(main, 'get_entry', { entryId: 'x', extra: 1 }, 'InvalidField');
  await refused(main, 'get_entry', { entryId: 'x'.repeat(1000) }, 'InvalidField');
  await refused(
    main,
    'get_entry',
    JSON.parse('{"entryId":"x","__proto__":{"a":1}}') as object as never,
    'InvalidField',
  );
  const list = await ask(main, 'tools/call', { name: 'get_entry', arguments: ['x'] });
  assert.equal(list.rpc.result?.isError, true);
});

test('Every call is in the audit trail and nowhere else, also a refused one', async () => {
  const folder = await makeFolder(admin);
  const answers = [
    [
      await ask(admin, 'tools/call', { name: 'get_entry', arguments: { entryId: folder.Id } }),
      'get_entry',
      folder.Id,
      {},
    ],
    [await ask(admin, 'tools/call', { name: 'list_folder', arguments: {} }), 'list_folder', null, {}],
    [await ask(admin, 'tools/call', { name: 'search', arguments: { query: 'x' } }), 'search', null, {}],
    [
      await ask(admin, 'tools/call', { name: 'get_entry', arguments: { entryId: 'nothing' } }),
      'get_entry',
      null,
      { Error: 'EntryNotFound' },
    ],
    [
      await ask(admin, 'tools/call', { name: 'get_entry', arguments: {} }),
      'get_entry',
      null,
      { Error: 'InvalidField' },
    ],
    [await ask(admin, 'resources/read', { uri: `cabinet://${folder.Id}` }), 'resources/read', folder.Id, {}],
    [await ask(admin, 'resources/list'), 'resources/list', null, {}],
  ] as const;
  const root = admin.application.RootFolderId;
  for (const [answer, Tool, entryId, more] of answers) {
    const [event, ...others] = await eventsOf(admin, String(answer.headers.requesttrackingid));
    assert.deepEqual(others, []);
    assert.deepEqual(
      [event?.Action, event?.EntryId, event?.By, event?.Details],
      ['mcp.called', entryId ?? root, `app:${admin.application.Name}`, { Tool, ...more }],
    );
  }
  const changes = await call(admin, '/changes?from=now');
  assert.doesNotMatch(changes.body.toString(), /mcp\.called/);
  const listed = JSON.stringify(await tool(admin, 'list_changes'));
  assert.doesNotMatch(listed, /mcp\.called/);
});

test('A write is in the audit trail beside its call', async () => {
  const folder = await makeFolder(admin);
  const params = { name: 'create_folder', arguments: { parentFolderId: folder.Id, name: 'by an agent' } };
  const answer = await ask(admin, 'tools/call', params);
  const events = await eventsOf(admin, String(answer.headers.requesttrackingid));
  assert.deepEqual(events.map(({ Action }) => Action).sort(), ['folder.created', 'mcp.called']);
  assert.equal(new Set(events.map(({ EntryId }) => EntryId)).size, 1);
});

test('Random bodies are refused in order', async () => {
  const { isError } = await callTool(main, 'search', { query: '"' });
  assert.equal(typeof isError, 'boolean');
  for (let length = 0; length < 40; length += 1) {
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' })).subarray(0, length);
    assert.equal((await post(main, bytes)).status, 400);
  }
});
