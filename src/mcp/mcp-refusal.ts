// Refusals of the MCP face: a status of HTTP and an error of JSON-RPC. Refusals of operations keep their code as the name of the
// error, in `data`.

import { Refusal, type RefusalCode } from '../domain/refusal.ts';
import type { Answer } from '../listener/answer.ts';
import { MethodNotAllowed } from '../listener/refusals.ts';
import { toStatus } from '../rest/answer.ts';

export type RequestId = string | number;

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

interface RpcError {
  status: number;
  code: (typeof rpcCodes)[keyof typeof rpcCodes];
  data?: object;
}

/** An error that the protocol itself prescribes. */
export class McpRefusal extends Refusal {
  readonly rpc: RpcError;

  constructor(message: string, rpc: RpcError) {
    super('MalformedRequest', message);
    this.rpc = rpc;
  }
}

export function invalidParams(message: string, data?: object): McpRefusal {
  return new McpRefusal(message, { status: 200, code: rpcCodes.invalidParams, ...(data !== undefined && { data }) });
}

/** Where the statuses of HTTP say more than the six of the REST API. */
const statuses: Partial<Record<RefusalCode, number>> = {
  MethodNotAllowed: 405,
  ShuttingDown: 503,
  StorageUnavailable: 503,
  TooManyRequests: 429,
  UnsupportedMediaType: 415,
};

interface ErrorContext {
  requestId: string;
  /** Of the message; null: it could not be read. */
  id: RequestId | null;
  /** The address of the metadata that says where tokens come from; null: it is not known yet. */
  metadataUrl: string | null;
}

export function renderMcpRefusal(refusal: Refusal, { requestId, id, metadataUrl }: ErrorContext): Answer {
  const status =
    refusal instanceof McpRefusal ? refusal.rpc.status : (statuses[refusal.code] ?? toStatus(refusal.code));
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (refusal instanceof MethodNotAllowed) headers.Allow = refusal.allowed;
  const { retryAfterSeconds } = refusal.details;
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  if (status === 401 || refusal.code === 'InsufficientScope')
    headers['WWW-Authenticate'] = toChallenge(refusal, metadataUrl);
  const error = { ...toRpcError(refusal, status, requestId), message: refusal.message };
  return { status, headers, body: JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), error }) };
}

function toRpcError(refusal: Refusal, status: number, requestId: string): object {
  if (refusal instanceof McpRefusal) {
    const { code, data } = refusal.rpc;
    return { code, ...(data !== undefined && { data }) };
  }
  const { code, details } = refusal;
  const data = { Code: code, Target: details.target, Hint: details.hint, RequestTrackingId: requestId };
  return { code: status >= 500 ? rpcCodes.internalError : rpcCodes.invalidRequest, data };
}

/** RFC 9728, section 5.1. */
function toChallenge({ code, details }: Refusal, metadataUrl: string | null): string {
  const parameters = [
    ...(code === 'TokenInvalid' || code === 'CertificateInvalid' ? ['error="invalid_token"'] : []),
    ...(code === 'InsufficientScope' ? ['error="insufficient_scope"', `scope="${details.target}"`] : []),
    ...(metadataUrl === null ? [] : [`resource_metadata="${metadataUrl}"`]),
  ];
  return `Bearer ${['realm="cabinet"', ...parameters].join(', ')}`;
}
