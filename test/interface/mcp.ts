// A client for the tests of MCP (docs/contract.md §16): one request each, with exactly the headers and fields of the test.

import assert from 'node:assert/strict';
import { type Answer, type Caller, call, type Headers, send } from './client.ts';

export const REVISION = '2026-07-28';

export type Fields = Record<string, unknown>;
export type Block = {
  type: string;
  text?: string;
  resource?: { uri: string; mimeType: string; text: string; _meta: Fields };
};
export type ToolResult = { content: Block[]; structuredContent?: Fields; isError: boolean; resultType: string };
export type RpcError = { code: number; message: string; data?: Fields };
export type Rpc = { jsonrpc: '2.0'; id?: string | number; result?: Fields; error?: RpcError };

let lastId = 0;

export function toMeta(more: Fields = {}): Fields {
  return {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'interface-test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more,
  };
}

export function toHeaders(method: string, params: Fields): Headers {
  const name = method === 'tools/call' ? params.name : method === 'resources/read' ? params.uri : undefined;
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': REVISION,
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
  };
}

/** A whole request body, and headers beside those that belong to it. The AppKey is not sent: it is optional here. */
export function post(caller: Caller, body: unknown, headers: Headers = {}): Promise<Answer> {
  return send(caller.base, '/mcp', {
    method: 'POST',
    headers: { Authorization: `Bearer ${caller.token}`, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

/** A sound request; `headers` replace those that belong to it. */
export async function ask(
  caller: Caller,
  method: string,
  params: Fields = {},
  headers: Headers = {},
): Promise<Answer & { rpc: Rpc }> {
  lastId += 1;
  const id = lastId;
  const body = { jsonrpc: '2.0', id, method, params: { _meta: toMeta(), ...params } };
  const answer = await post(caller, body, { ...toHeaders(method, params), ...headers });
  const rpc = toRpc(answer);
  assert.equal(rpc.id, id, answer.body.toString());
  return { ...answer, rpc };
}

export function toRpc(answer: Answer): Rpc {
  assert.equal(answer.headers['content-type'], 'application/json');
  const rpc = JSON.parse(answer.body.toString()) as Rpc;
  assert.equal(rpc.jsonrpc, '2.0');
  return rpc;
}

/** The result of a request that succeeds. */
export async function must(caller: Caller, method: string, params: Fields = {}): Promise<Fields> {
  const { status, rpc } = await ask(caller, method, params);
  assert.equal(status, 200, JSON.stringify(rpc));
  assert.ok(rpc.result !== undefined, JSON.stringify(rpc));
  assert.equal(rpc.result.resultType, 'complete');
  return rpc.result;
}

export async function callTool(caller: Caller, name: string, args: Fields = {}): Promise<ToolResult> {
  return (await must(caller, 'tools/call', { name, arguments: args })) as unknown as ToolResult;
}

/** What a tool returns that succeeds; the JSON text says the same. */
export async function tool<Shown = Fields>(caller: Caller, name: string, args: Fields = {}): Promise<Shown> {
  const result = await callTool(caller, name, args);
  assert.equal(result.isError, false, JSON.stringify(result.content));
  assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), result.structuredContent);
  return result.structuredContent as Shown;
}

/** A refusal: a result with `isError`, code and message. */
export async function refused(caller: Caller, name: string, args: Fields, code: string): Promise<void> {
  const { isError, content } = await callTool(caller, name, args);
  assert.equal(isError, true, `${name} ${JSON.stringify(args)}`);
  const { Error: error } = JSON.parse(content[0]?.text ?? '') as { Error: { Code: string; Message: string } };
  assert.equal(error.Code, code, error.Message);
  assert.ok(error.Message.length > 5);
}

/** The text of the documents in a result, with where it comes from. */
export function documentsOf({ content }: ToolResult): { uri: string; text: string; origin: unknown }[] {
  return content
    .filter(({ type }) => type === 'resource')
    .map(({ resource }) => {
      assert.ok(resource !== undefined);
      assert.equal(resource.mimeType, 'text/plain');
      return { uri: resource.uri, text: resource.text, origin: resource._meta.origin };
    });
}

export type Event = {
  Action: string;
  EntryId: string;
  By: string;
  Application?: string;
  Details: Fields;
  RequestTrackingId: string;
};

/** What the audit trail has of one request. */
export async function eventsOf(manager: Caller, requestId: string): Promise<Event[]> {
  const answer = await call(manager, '/audit?limit=200');
  assert.equal(answer.status, 200, answer.body.toString());
  const { Events } = JSON.parse(answer.body.toString()) as { Events: Event[] };
  return Events.filter(({ RequestTrackingId }) => RequestTrackingId === requestId);
}
