// Hosts of agents ask for every scope that the metadata of the MCP endpoint lists, whatever they are registered with. For that
// resource a sign-in gives what the application may have of them (RFC 6749, section 3.3); elsewhere it stays `invalid_scope`.

import type { Provider } from 'oidc-provider/lib/provider.js';
import type { IssuerOptions } from './issuer-contract.ts';

export function narrowScopes(provider: Provider, { mcpResources }: Pick<IssuerOptions, 'mcpResources'>): void {
  provider.use(async (ctx, next) => {
    const { resource, scope, client_id: id } = ctx.query;
    const isMeant = ctx.path === '/oauth2/authorize' && typeof resource === 'string' && mcpResources.includes(resource);
    if (isMeant && typeof scope === 'string' && typeof id === 'string') {
      const client = await provider.Client.find(id);
      const registered = client?.scope?.split(' ');
      const narrowed = scope.split(' ').filter((name) => registered?.includes(name) ?? true);
      if (narrowed.length > 0) ctx.query = { ...ctx.query, scope: narrowed.join(' ') };
    }
    await next();
  });
}
