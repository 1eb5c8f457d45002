// The messages of the protocol, revision 2026-07-28: one JSON-RPC request per POST, whose headers repeat parts of its body. Checks in
// the order that the specification's error codes need: JSON, JSON-RPC, method, metadata, headers, version.

import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../domain/refusal.ts';
import { parseValue } from '../rest/bodies/json.ts';
import { McpRefusal, type RequestId, rpcCodes } from './mcp-refusal.ts';

export const protocolVersion = '2026-07-28';
const maxNesting = 64;
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

export type Fields = Record<string, unknown>;

export interface Message {
  /** Null: a notification. */
  id: RequestId | null;
  method: string;
  params: Fields;
}

export function parseMessage(body: Buffer): Message {
  const value = parseJson(body);
  if (!isFields(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string')
    throw invalidRequest('The body is not one JSON-RPC 2.0 request.');
  const { id, method, params = {} } = value;
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id))
    throw invalidRequest('The id of a request must be a string or an integer.');
  if (!isFields(params)) throw invalidRequest('The params of a request must be an object.');
  return { id: (id as RequestId | undefined) ?? null, method, params };
}

function parseJson(body: Buffer): unknown {
  try {
    return parseValue(body, '', undefined, maxNesting);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new McpRefusal(error.message, { status: 400, code: rpcCodes.parseError });
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalidRequest(message: string): McpRefusal {
  return new McpRefusal(message, { status: 400, code: rpcCodes.invalidRequest });
}

export function methodNotFound(method: string): McpRefusal {
  const message = `There is no method ${JSON.stringify(method.slice(0, 100))} in revision ${protocolVersion} of this server.`;
  return new McpRefusal(message, { status: 404, code: rpcCodes.methodNotFound });
}

/** Every request says its version and what the client can do, and its headers say the same as its body. */
export function checkEnvelope({ method, params }: Message, headers: IncomingHttpHeaders): void {
  const { _meta: meta } = params;
  if (!isFields(meta) || typeof meta[versionKey] !== 'string' || !isFields(meta[capabilitiesKey])) {
    const message = `params._meta needs ${versionKey} (a string) and ${capabilitiesKey} (an object).`;
    throw new McpRefusal(message, { status: 400, code: rpcCodes.invalidParams });
  }
  const requested = meta[versionKey];
  requireHeader(headers, 'MCP-Protocol-Version', requested);
  if (requested !== protocolVersion) {
    const data = { supported: [protocolVersion], requested };
    throw new McpRefusal(`Only revision ${protocolVersion} is supported.`, {
      status: 400,
      code: rpcCodes.unsupportedVersion,
      data,
    });
  }
  requireHeader(headers, 'Mcp-Method', method);
  const named = namesOf[method];
  if (named !== undefined) requireHeader(headers, 'Mcp-Name', params[named], decodeHeader);
}

/** The parameters that the header `Mcp-Name` repeats. */
const namesOf: Record<string, string> = { 'tools/call': 'name', 'resources/read': 'uri' };

function requireHeader(
  headers: IncomingHttpHeaders,
  name: string,
  expected: unknown,
  decode = (value: string): string | null => value,
): void {
  const value = headers[name.toLowerCase()];
  if (typeof value !== 'string') throw headerMismatch(`The header ${name} is missing.`);
  if (decode(value) !== expected) throw headerMismatch(`The header ${name} does not match the body.`);
}

function headerMismatch(message: string): McpRefusal {
  return new McpRefusal(message, { status: 400, code: rpcCodes.headerMismatch });
}

/** What a header cannot carry comes as `=?base64?…?=`. Null: it is not well-formed. */
function decodeHeader(value: string): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return null;
  return Buffer.from(encoded, 'base64').toString('utf8');
}
