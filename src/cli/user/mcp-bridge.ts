// Carries messages of the Model Context Protocol between a host on this machine, one a line (stdio), and the MCP endpoint of the
// service (HTTP). It reads no more of a message than the headers repeat.

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Cabinet } from '@cabinet/client';

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
}

export interface Bridge {
  cabinet: Cabinet;
  input: Readable;
  output: Writable;
  signal: AbortSignal;
}

const internalError = -32603;
const parseError = -32700;
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Resolves when the host has closed its side and everything is answered. */
export async function runBridge({ cabinet, input, output, signal }: Bridge): Promise<void> {
  const underway = new Map<unknown, AbortController>();
  const write = (message: object) => output.write(`${JSON.stringify(message)}\n`);
  const answer = async (line: string) => {
    const message = parse(line);
    if (message === null) return write(toError(undefined, parseError, 'This line is not a JSON-RPC message.'));
    if (message.method === 'notifications/cancelled') underway.get(message.params?.requestId)?.abort();
    if (message.id === undefined || message.method === undefined) return;
    const controller = new AbortController();
    underway.set(message.id, controller);
    const signals = AbortSignal.any([signal, controller.signal]);
    const reply = await forward(cabinet, message, { line, signal: signals }).catch((error) =>
      toError(message.id, internalError, explain(error)),
    );
    underway.delete(message.id);
    // Nobody waits for the answer to a request that was cancelled.
    if (!signals.aborted) write(reply);
  };
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal });
  const answers = new Set<Promise<unknown>>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const answered = answer(line).finally(() => answers.delete(answered));
    answers.add(answered);
  }
  await Promise.all(answers);
}

function parse(line: string): Message | null {
  try {
    const message = JSON.parse(line) as unknown;
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : null;
  } catch {
    return null;
  }
}

async function forward(
  cabinet: Cabinet,
  message: Message,
  { line, signal }: { line: string; signal: AbortSignal },
): Promise<object> {
  const post = async (refused: string | null) => {
    const token = await cabinet.token({ cabinet, refused });
    const headers = { ...toHeaders(message), Authorization: `Bearer ${token}`, AppKey: cabinet.appKey };
    return {
      token,
      response: await cabinet.fetch(`${cabinet.url}/mcp`, { method: 'POST', headers, body: line, signal }),
    };
  };
  let { token, response } = await post(null);
  if (response.status === 401) ({ response } = await post(token));
  const text = await response.text();
  const reply = parse(text);
  if (reply === null || !('result' in reply || ('error' in reply && 'jsonrpc' in reply))) {
    return toError(message.id, internalError, `The service answered ${response.status} at ${cabinet.url}/mcp.`);
  }
  return { ...reply, id: message.id };
}

function toHeaders({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[versionKey];
  const name = method === 'tools/call' ? params?.name : method === 'resources/read' ? params?.uri : undefined;
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Mcp-Method': encode(String(method)),
    ...(typeof version === 'string' && { 'MCP-Protocol-Version': encode(version) }),
    ...(typeof name === 'string' && { 'Mcp-Name': encode(name) }),
  };
}

/** What a header cannot carry as it is goes as Base64, marked as such. */
function encode(value: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function toError(id: string | number | undefined, code: number, message: string): object {
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message } };
}

function explain(error: unknown): string {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return `The service cannot be reached: ${reason}`;
}
