// `cabinet mcp`: the official client over standard input and output, and the configuration that is printed for it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Person } from '../cli/person.ts';
import { toMeta } from '../interface/mcp.ts';

let person: Person;

before(async () => {
  person = await Person.signedIn();
});

after(() => person.leave());

interface Configuration {
  mcpServers: { cabinet: { command: string; args: string[] } };
}

async function readConfiguration(): Promise<Configuration['mcpServers']['cabinet']> {
  const { mcpServers } = JSON.parse((await person.lines('mcp', 'config')).join('\n')) as Configuration;
  return mcpServers.cabinet;
}

test('a configuration is printed for each client', async () => {
  const { command, args } = await readConfiguration();
  assert.match(command, /\/bin\/cabinet$/);
  assert.deepEqual(args.slice(0, 2), ['mcp', '--profile']);
  const http = await person.json<{ servers: { cabinet: object } }>('mcp', 'config', 'vscode', '--http');
  assert.deepEqual(http, { servers: { cabinet: { type: 'http', url: `${person.service.production}/mcp` } } });
  assert.notEqual((await person.run(['mcp', 'config', 'unknown'])).code, 0);
});

test('the official client uses the tools over stdio', async () => {
  const { command, args } = await readConfiguration();
  const env = { ...process.env, CABINET_PROFILES: person.profilesPath } as Record<string, string>;
  const transport = new StdioClientTransport({ command, args, env });
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport);
  const given = { folderId: '-root-', name: 'über.md', text: 'by an agent' };
  const saved = await client.callTool({ name: 'save_text', arguments: given });
  assert.equal((saved.structuredContent as { Path: string }).Path, '/über.md');
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map(({ name }) => name),
    ['über.md'],
  );
  await client.close();
});

test('what is no message is an error, and the end of the input is the end', async () => {
  const { command, args } = await readConfiguration();
  const child = spawn(command, args, { env: { ...process.env, CABINET_PROFILES: person.profilesPath } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () =>
    JSON.parse((await lines.next()).value as string) as { id?: number; error?: { code: number } };
  child.stdin.write('{"jsonrpc":\n');
  assert.equal((await read()).error?.code, -32700);
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
  const refused = await read();
  assert.deepEqual([refused.id, refused.error?.code], [1, -32601]);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: toMeta() } })}\n`);
  assert.equal((await read()).id, 2);
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 0);
});
