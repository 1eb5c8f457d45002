// Who may call the MCP endpoint: bearer tokens, of its own audience (RFC 8707) or of the API, and the metadata that tells clients
// where to get them (RFC 9728).

import { type Caller, type McpAccess, scopes } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Exchange } from '../listener/face.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';

export function toMetadataUrl({ publicUrl }: EnvironmentContext): string {
  return `${publicUrl}/.well-known/oauth-protected-resource/mcp`;
}

interface MetadataOptions {
  isMutualTls: boolean;
  access: Exclude<McpAccess, 'off'>;
}

export function renderMetadata({ publicUrl, issuers }: EnvironmentContext, options: MetadataOptions): string {
  return JSON.stringify({
    resource: `${publicUrl}/mcp`,
    resource_name: 'Cabinet',
    authorization_servers: issuers,
    scopes_supported: options.access === 'read' ? scopes.slice(0, 1) : scopes.slice(0, 2),
    bearer_methods_supported: ['header'],
    ...(options.isMutualTls && { tls_client_certificate_bound_access_tokens: true }),
  });
}

/** Browsers say which page sends a request: only our own pages and those of allowed origins may. */
export function checkOrigin(
  origin: string | undefined,
  { publicUrl }: EnvironmentContext,
  corsOrigins: ReadonlySet<string>,
): void {
  if (origin === undefined || origin === new URL(publicUrl).origin || corsOrigins.has(origin)) return;
  throw new Refusal('Forbidden', 'This origin is not allowed to call the MCP endpoint.', {
    target: 'Origin',
    hint: 'An operator allows an origin with CABINET_CORS_ORIGINS.',
  });
}

export async function authenticate(context: EnvironmentContext, exchange: Exchange): Promise<Caller> {
  const { request, arrival, requestId } = exchange;
  const { authorization, appkey } = request.headers;
  return await context.authenticator.authenticate({
    authorization,
    appKey: (appkey as string | undefined) ?? null,
    spaceId: undefined,
    arrival,
    requestId,
    isMcp: true,
  });
}
