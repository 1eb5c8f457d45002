// MCP as a face: AI agents and their hosts use the cabinet through tools, with the rights of whoever they act for. Streamable HTTP
// without sessions: each POST is complete in itself, so any thread of any node answers it.

import type { McpAccess, McpSpaces } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Answer } from '../listener/answer.ts';
import type { Exchange, Face, Match } from '../listener/face.ts';
import { MethodNotAllowed } from '../listener/refusals.ts';
import { json } from '../rest/answer.ts';
import { readWhole } from '../rest/bodies/json.ts';
import type { ContextLookup, EnvironmentContext } from '../rest/environment-context.ts';
import { checkEncoding, checkSingleHeaders, readDeclaredBytes } from '../rest/parameters.ts';
import { toShareKeys } from '../rest/slots.ts';
import type { Clock } from '../runtime/clock.ts';
import { authenticate, checkOrigin, renderMetadata, toMetadataUrl } from './authorization.ts';
import type { McpCall } from './mcp-call.ts';
import { McpRefusal, type RequestId, renderMcpRefusal, rpcCodes } from './mcp-refusal.ts';
import { checkEnvelope, type Message, methodNotFound, parseMessage } from './message.ts';
import { methods } from './methods.ts';
import { withoutClosedSpaces } from './space-access.ts';

const endpointPath = '/mcp';
const metadataPath = '/.well-known/oauth-protected-resource/mcp';
const maxBodyBytes = 4 * 1024 * 1024;
/** After a body that took longer than this, the caller is authenticated again. */
const renewAfterMs = 500;

const endpoint = { method: 'POST', path: endpointPath };
const metadata = { method: 'GET', path: metadataPath };

interface McpMatch extends Match {
  readonly route: typeof endpoint;
  /** For refusals: the id of the message, and where tokens come from, as soon as they are known. */
  readonly known: { id: RequestId | null; metadataUrl: string | null };
}

interface McpOptions {
  lookup: ContextLookup;
  isMutualTls: boolean;
  corsOrigins: ReadonlySet<string>;
  access: Exclude<McpAccess, 'off'>;
  spaces: McpSpaces;
  clock: Clock;
}

export function mcpFace(options: McpOptions): Face<McpMatch> {
  return {
    match(method, path) {
      if (path === endpointPath) return method === 'POST' ? toMatch(endpoint) : new MethodNotAllowed(method, 'POST');
      if (path !== metadataPath) return null;
      const isRead = method === 'GET' || method === 'HEAD';
      return isRead ? toMatch(metadata) : new MethodNotAllowed(method, 'GET, HEAD');
    },
    async handle(exchange, match) {
      const context = options.lookup();
      if (context === null)
        throw new Refusal('StorageUnavailable', 'This environment is not available.', { retryAfterSeconds: 5 });
      match.known.metadataUrl = toMetadataUrl(context);
      if (match.route === metadata) return json(renderMetadata(context, options));
      return await answer(options, context, exchange, match);
    },
    renderRefusal: (refusal, { requestId, match }) =>
      renderMcpRefusal(refusal, { requestId, ...(match?.known ?? { id: null, metadataUrl: null }) }),
  };
}

function toMatch(route: typeof endpoint): McpMatch {
  return { route, known: { id: null, metadataUrl: null } };
}

async function answer(
  { lookup, corsOrigins, access, spaces, clock }: McpOptions,
  context: EnvironmentContext,
  exchange: Exchange,
  { known }: McpMatch,
): Promise<Answer> {
  const { request } = exchange;
  checkOrigin(request.headers.origin, context, corsOrigins);
  checkSingleHeaders(request);
  const arrivedAt = clock.monotonic();
  const first = await authenticate(context, exchange);
  exchange.observation.actor = first.actor;
  context.cabinet.quotas.countRequest(first);
  const release = await context.bodyMemory.hold(toHolders(toShareKeys(first)), admitBody(exchange));
  try {
    const message = parseMessage(await readWhole(exchange.openBody(), maxBodyBytes, tooLarge));
    known.id = message.id;
    // Uses the current context: keys may have changed while a long body was read.
    const isSlow = clock.monotonic() - arrivedAt > renewAfterMs;
    const renewed = isSlow ? await authenticate(lookup() ?? context, exchange) : first;
    const caller = withoutClosedSpaces(renewed, spaces);
    if (message.id === null) return { status: 202, headers: {}, body: '' };
    const result = await dispatch(message, { context, exchange, caller, mayWrite: access === 'on', spaces });
    return json(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
  } finally {
    release();
  }
}

function toHolders([own = '', ...others]: readonly string[]): [string, ...string[]] {
  return [own, ...others];
}

/** Checks what the headers say of the body, and returns the memory that it needs. */
function admitBody({ request }: Exchange): number {
  checkEncoding(request);
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal('UnsupportedMediaType', 'The content type of the body must be application/json.', {
      target: 'Content-Type',
    });
  }
  const declared = readDeclaredBytes(request) ?? maxBodyBytes;
  if (declared > maxBodyBytes) throw tooLarge();
  return declared;
}

function tooLarge(): McpRefusal {
  const message = `The body has more than ${maxBodyBytes} bytes.`;
  return new McpRefusal(message, { status: 413, code: rpcCodes.invalidRequest });
}

async function dispatch(message: Message, call: McpCall): Promise<string> {
  const method = Object.hasOwn(methods, message.method) ? methods[message.method] : undefined;
  if (method === undefined) throw methodNotFound(message.method);
  checkEnvelope(message, call.exchange.request.headers);
  return await method(call, message.params);
}
