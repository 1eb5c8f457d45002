// `cabinet serve`: runs the service until a signal stops it. The commands that the first start prints can be pasted as they are.

import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { type Service, type StartOptions, start } from '../../main.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { InitialAccounts } from '../../server/initial-accounts.ts';
import { fail } from '../output.ts';
import { prepareConsole } from './console.ts';
import { writeFirstStart, writeFirstVariables } from './first-start.ts';

/** The exit code after a fatal error; a supervisor restarts the process. */
const faultExitCode = 70;
const fatalLevel = 60;
const infoLevel = 30;
/** Time to send the answers of requests in flight. */
const drainMs = 200;

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the service')
    .option(
      '--json',
      'print one line of JSON when it is ready; first secrets go to first-start.json in the data folder',
    )
    .action((options: { json?: boolean }) => serve(options));
}

/** `clock`: replaced by tests. */
export async function serve(
  options: { json?: boolean },
  { clock = systemClock }: Pick<StartOptions, 'clock'> = {},
): Promise<void> {
  process.on('uncaughtException', exitWithError);
  process.on('unhandledRejection', exitWithError);
  const problem = await prepareConsole();
  if (problem !== null) process.stderr.write(`${problem}\n`);
  let service: Service;
  let firstStartPath: string | null = null;
  let exitCode = 0;
  try {
    const config = readConfig();
    service = await start(config, {
      hasInitialAccounts: true,
      hasConsole: true,
      clock,
      onFatal(environment) {
        if (environment !== 'production') return;
        exitCode = faultExitCode;
        clock.after(drainMs, () => process.exit(faultExitCode));
      },
    });
    if (hasSecrets(service)) {
      const write = options.json ? writeFirstStart : writeFirstVariables;
      firstStartPath = await write(config.dataFolder, service.initialAccounts);
    }
  } catch (error) {
    fail(options, error);
    // Half-open resources must not keep the process alive.
    setImmediate(() => process.exit(1));
    return;
  }
  // Before it is announced as ready, so that a signal right after it is handled.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      await service.close();
      process.exit(exitCode);
    });
  }
  if (options.json) announceJson(service, firstStartPath);
  else announce(service, firstStartPath);
}

function hasSecrets({ hasOwnIssuer, initialAccounts }: Service): boolean {
  return hasOwnIssuer && initialAccounts.length > 0;
}

function exitWithError(error: unknown): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log(fatalLevel, { err: { message, stack } }, 'unexpected error; stopping');
  process.exit(faultExitCode);
}

/** Writes the log line directly: the logger may be what failed, or be silent. */
function log(level: number, details: object, msg: string): void {
  process.stderr.write(`${JSON.stringify({ level, time: Date.now(), pid: process.pid, ...details, msg })}\n`);
}

/** Programs read it, and logs keep it: it has no secrets. */
function announceJson({ production, test, mutualTls }: Service, firstStartPath: string | null): void {
  if (firstStartPath !== null) {
    const msg = 'first start: the first secrets are in this file; keep them elsewhere, then delete it';
    log(infoLevel, { path: firstStartPath }, msg);
  }
  const firstStart = firstStartPath === null ? {} : { FirstStart: firstStartPath };
  const ready = { Production: production, Test: test, MutualTls: mutualTls, ...firstStart };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

function announce(service: Service, firstStartPath: string | null): void {
  const banner = hasSecrets(service) ? renderBanner(service.initialAccounts, firstStartPath) : '';
  const lines = ['Cabinet is running:', `  production  ${service.production}`];
  if (service.test !== null) lines.push(`  test        ${service.test}`);
  if (service.mutualTls !== null) lines.push(`  mutual TLS  ${service.mutualTls}`);
  if (service.hasOwnIssuer) lines.push('', ...renderConsole(service));
  process.stdout.write(`${lines.join('\n')}\n${banner}`);
}

/** The address of the console, and the first user, whose password is printed only at the first start. */
function renderConsole({ consoles, initialAccounts }: Service): string[] {
  const lines = consoles.map(({ environment, url }) => {
    const person = initialAccounts.find((first) => first.environment === environment)?.person ?? null;
    const how = person === null ? '' : `  sign in as ${person.id} with the password ${person.password}`;
    return `  ${environment.padEnd(10)}  ${url}/${how}`;
  });
  const isFirst = initialAccounts.some(({ person }) => person !== null);
  const hint = isFirst ? 'The passwords are shown only now.' : 'Add people with: cabinet user add NAME';
  return ['Open the console in a browser:', ...lines, `  ${hint}`];
}

function renderBanner(applications: readonly InitialAccounts[], firstStartPath: string | null): string {
  const parts = applications.map(
    ({ environment, url, application, secret }) => `
# ${environment}: a token, a folder, a file
TOKEN=$(curl -sS -u '${application.appKey}:${secret}' -d grant_type=client_credentials ${url}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${url}/v1/contentmanagement/folders -H "Authorization: Bearer $TOKEN" -H 'AppKey: ${application.appKey}' -H 'Content-Type: application/json' -d '{"FolderName":"Invoices"}'
curl -sS ${url}/v1/contentmanagement/files -H "Authorization: Bearer $TOKEN" -H 'AppKey: ${application.appKey}' -H 'FileName: hello.txt' -H 'Content-Type: text/plain' --data-binary 'Hello, Cabinet!'
`,
  );
  const file =
    firstStartPath === null
      ? ''
      : `The address, the AppKey and the secret of production are also in ${firstStartPath}, for a shell.\nThe README and the quick start read this file. Delete it when you no longer need it.\n`;
  return `
This is the first start. Each environment has an application named "first"; its secret is shown only now.
${file}To try it without the README, paste these:
${parts.join('')}`;
}
