// `cabinet token`: an access token for an application, from the running service or, if none runs, from a temporary one on a free port
// with the same keys and issuer.

import type { Command } from 'commander';
import { type AddressConfig, type Config, readConfig, readSettings } from '../../config/config.ts';
import { print } from '../output.ts';
import { readSecretFile } from '../secret-file.ts';
import { requestToken, type TokenAnswer } from './request-token.ts';
import { askOrRun } from './run-command.ts';

interface TokenOptions {
  appKey: string;
  secret?: string;
  secretFile?: string;
  env: string;
  json?: boolean;
}

export function registerToken(program: Command): void {
  program
    .command('token')
    .description('get an access token for an application')
    .requiredOption('--app-key <key>', 'the AppKey')
    .option(
      '--secret-file <file>',
      "the secret is the file's first line; - for standard input; default: CABINET_SECRET",
    )
    .option('--secret <secret>', 'the secret itself; everyone on the machine can read it in the list of processes')
    .option('--env <environment>', 'production or test', 'production')
    .option('--json', 'print JSON')
    .action((options: TokenOptions) =>
      print(
        options,
        () => getToken(options),
        ({ access_token }) => [access_token],
      ),
    );
}

async function getToken(options: TokenOptions): Promise<TokenAnswer> {
  if (options.env !== 'production' && options.env !== 'test') throw new Error('--env is production or test');
  const config = readConfig();
  const credentials = { appKey: options.appKey, secret: readSecret(options) };
  const command = { name: 'addresses', input: {} };
  const service = await askOrRun<Addresses>({ config, command }, () => startUnlistened(config));
  try {
    return await requestToken(requireAddress(service[options.env === 'test' ? 'Test' : 'Production']), credentials);
  } finally {
    await service.close?.();
  }
}

interface Addresses {
  Production?: string | null;
  Test?: string | null;
  /** Of a service that was started for the token. */
  close?: () => Promise<unknown>;
}

async function startUnlistened(config: Config): Promise<Addresses> {
  // Loaded only when needed: the whole service takes a second.
  const { start } = await import('../../main.ts');
  const { production, test, close } = await start(withoutListeners(config), { command: 'cabinet token' });
  return { Production: production, Test: test, close };
}

function requireAddress(address: string | null | undefined): string {
  if (typeof address === 'string') return address;
  throw new Error('This environment is switched off.');
}

function readSecret({ secret, secretFile }: TokenOptions): string {
  if (secret !== undefined && secretFile !== undefined) throw new Error('Use either --secret-file or --secret.');
  if (secret !== undefined) {
    process.stderr.write(
      'cabinet: warning: everyone on this machine can read --secret in the list of processes. Use --secret-file or CABINET_SECRET.\n',
    );
    return secret;
  }
  const read = secretFile === undefined ? readSettings().CABINET_SECRET : readSecretFile(secretFile);
  if (read !== '') return read;
  throw new Error(
    secretFile === undefined
      ? 'The secret is missing. Use --secret-file FILE, --secret-file - for standard input, or CABINET_SECRET.'
      : 'The secret is empty.',
  );
}

function withoutListeners(config: Config): Config {
  return {
    ...config,
    logLevel: 'silent',
    production: onFreePort(config.production),
    test: onFreePort(config.test),
    mutualTls: { ...config.mutualTls, port: null },
  };
}

function onFreePort({ host, port, publicUrl, tls }: AddressConfig): AddressConfig {
  const scheme = tls === null ? 'http' : 'https';
  const own = port === null || port === 0 ? null : `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { host: '127.0.0.1', port: port === null ? null : 0, publicUrl: publicUrl ?? own, tls: null };
}
