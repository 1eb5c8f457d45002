// What the service says about itself, to anyone.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Health, IssuerMetadata, KeySet, OpenApi } from './description.ts';
import { callAnonymously, sendAnonymously } from './request.ts';

/** Whether the process runs. */
export function showLiveness(cabinet: Cabinet, options: CallOptions = {}): Promise<Health> {
  return callAnonymously(cabinet, 'GET {base}/health/live', options);
}

/** Whether new work is taken: `Status` is `ready` or `not ready`. */
export async function showReadiness(cabinet: Cabinet, options: CallOptions = {}): Promise<Health> {
  const response = await sendAnonymously({ ...cabinet, retries: 0 }, 'GET {base}/health/ready', options);
  return (await response.json()) as Health;
}

/** What Prometheus reads. Takes a token of its own where one is configured (`CABINET_METRICS_TOKEN`). */
export async function readMetrics(
  cabinet: Cabinet,
  { token, ...options }: CallOptions & { token?: string | undefined } = {},
): Promise<string> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await sendAnonymously(cabinet, 'GET {base}/metrics', { ...options, headers });
  return response.text();
}

/** The OpenAPI description. */
export function readDescription(cabinet: Cabinet, options: CallOptions = {}): Promise<OpenApi> {
  return callAnonymously(cabinet, 'GET {base}/openapi.json', options);
}

/** Where tokens come from (RFC 8414). */
export function showIssuer(cabinet: Cabinet, options: CallOptions = {}): Promise<IssuerMetadata> {
  return callAnonymously(cabinet, 'GET {base}/.well-known/oauth-authorization-server', options);
}

/** The same, as OpenID Connect has it. */
export function showOpenIdIssuer(cabinet: Cabinet, options: CallOptions = {}): Promise<IssuerMetadata> {
  return callAnonymously(cabinet, 'GET {base}/.well-known/openid-configuration', options);
}

/** The keys that sign access tokens (RFC 7517). */
export function readKeys(cabinet: Cabinet, options: CallOptions = {}): Promise<KeySet> {
  return callAnonymously(cabinet, 'GET {base}/oauth2/jwks', options);
}
