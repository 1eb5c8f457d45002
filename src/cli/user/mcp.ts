// `cabinet mcp`: the service's MCP endpoint for AI agents on this machine, with the sign-in of the command line.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import { runBridge } from './mcp-bridge.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';

const program = resolve(import.meta.dirname, '../../../bin/cabinet');

/** The name of the list of servers in the configuration of each client. */
const lists: Record<string, string> = { claude: 'mcpServers', cursor: 'mcpServers', vscode: 'servers' };

interface ConfigOptions extends PersonOptions {
  http?: boolean;
}

export function registerMcp(main: Command): void {
  const mcp = personCommand(main, 'mcp', 'run an MCP server for AI agents on this machine')
    .addHelpText(
      'after',
      '\nA program for agents starts it, by its configuration.\n\nExamples:\n  cabinet mcp config claude\n  cabinet mcp config vscode --http',
    )
    .action((options: PersonOptions) =>
      perform(options, {
        async run({ cabinet, signal }: CommandContext) {
          await runBridge({ cabinet, signal, input: process.stdin, output: process.stdout });
          return null;
        },
        toLines: () => [],
      }),
    );
  personCommand(mcp, 'config [client]', `print a configuration for ${Object.keys(lists).join(', ')}`)
    .option('--http', 'connect the client to the service itself: it signs in by OAuth')
    .action((client: string | undefined, options: ConfigOptions, command: Command) =>
      perform(command.optsWithGlobals<ConfigOptions>(), {
        run: async (context) => toConfiguration(context, client ?? 'claude', options.http === true),
        toLines: (configuration) => [JSON.stringify(configuration, null, 2)],
      }),
    );
}

function toConfiguration({ cabinet, name }: CommandContext, client: string, isHttp: boolean): object {
  const list = Object.hasOwn(lists, client) ? lists[client] : undefined;
  if (list === undefined) throw new UsageError(`${client}: use one of ${Object.keys(lists).join(', ')}.`);
  const entry = isHttp
    ? { type: 'http', url: `${cabinet.url}/mcp` }
    : { ...(client === 'vscode' && { type: 'stdio' }), command: program, args: ['mcp', '--profile', name] };
  return { [list]: { cabinet: entry } };
}
