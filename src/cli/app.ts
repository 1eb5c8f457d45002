// `cabinet app …`: registers applications and takes their rights away.

import type { Command } from 'commander';
import { carryOut } from './control.ts';
import { print, toPairs } from './output.ts';

interface AppOptions {
  env: string;
  json?: boolean;
}

export function registerApp(program: Command): void {
  const app = program.command('app').description('register and manage applications');
  common(app.command('add <name>').description('register an application; its secret is shown once'))
    .option('--kind <kind>', 'client, or server for applications that use mutual TLS', 'client')
    .option('--space <name>', 'the space to join; one of its own by default')
    .option('--scopes <scopes>', 'of content.read, content.write, content.admin')
    .action((name: string, options: AppOptions) => ask('app add', { name, ...options }, options));
  common(app.command('list').description('list the applications')).action((options: AppOptions) =>
    print(options, () => carryOut({ name: 'app list', input: { env: options.env } }), toTable),
  );
  for (const change of ['disable', 'enable', 'remove'] as const) {
    common(app.command(`${change} <app>`).description(`${change} an application, by AppKey or name`)).action(
      (application: string, options: AppOptions) => ask(`app ${change}`, { application, ...options }, options),
    );
  }
  common(app.command('rotate <app>').description('give an application a new secret, shown once'))
    .option('--overlap <seconds>', 'how long the old secret stays valid', '0')
    .action((application: string, options: AppOptions & { overlap: string }) =>
      ask('app rotate', { application, ...options }, options),
    );
}

function common(command: Command): Command {
  return command.option('--env <environment>', 'production or test', 'production').option('--json', 'print JSON');
}

function ask(name: string, { json: _, ...input }: Record<string, unknown>, options: AppOptions): Promise<void> {
  return print(options, () => carryOut({ name, input }), toPairs);
}

function toTable(result: object): string[] {
  const { Applications } = result as { Applications: Record<string, unknown>[] };
  if (Applications.length === 0) return ['There are no applications. Add one: cabinet app add NAME'];
  return Applications.map(({ Name, AppKey, Kind, State, Space }) => [Name, AppKey, Kind, State, Space].join('\t'));
}
