// The service for the tests of MCP, behind a proxy that adds a token, and with a few files.

import { addApplication, type Registered } from '../service/operator.ts';
import { type Environment, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { startTokenProxy, type TokenProxy } from './token-proxy.ts';

export interface McpService extends AsyncDisposable {
  dataFolder: string;
  service: StartedHere;
  proxy: TokenProxy;
  agent: Registered;
  /** Starts it again with other settings. */
  restart(environment: Environment): Promise<void>;
}

/** The proxy acts as the application `agent`. */
export async function startMcp(environment: Environment = {}): Promise<McpService> {
  const proxy = await startTokenProxy();
  const dataFolder = makeDataFolder();
  const start = (more: Environment) =>
    startServiceHere(dataFolder, { environment: { CABINET_PUBLIC_URL: proxy.url, ...more } });
  const service = await start(environment);
  const agent = await addApplication(dataFolder, 'agent');
  proxy.target = service.production;
  proxy.headers = { authorization: `Bearer ${await fetchToken(service.production, agent)}` };
  const mcp: McpService = {
    dataFolder,
    service,
    proxy,
    agent,
    async restart(more) {
      await mcp.service.stop();
      mcp.service = await start(more);
      proxy.target = mcp.service.production;
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await mcp.service.stop();
      removeDataFolder(dataFolder);
    },
  };
  return mcp;
}

export async function fetchToken(base: string, { AppKey, Secret }: Registered, more = {}): Promise<string> {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${AppKey}:${Secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...more }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}
