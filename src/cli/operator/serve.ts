// `cabinet serve`: runs the service until a signal stops it. The commands that the first start prints can be pasted as they are.

import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { type Service, type StartOptions, start } from '../../main.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { InitialAccounts } from '../../server/initial-accounts.ts';
import { fail } from '../output.ts';
import { prepareConsole } from './console.ts';

/** The exit code after a fatal error; a supervisor restarts the process. */
const faultExitCode = 70;
const fatalLevel = 60;
/** Time to send the answers of requests in flight. */
const drainMs = 200;

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the service on all its addresses')
    .option('--json', 'print one line of JSON when it is ready')
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
  let exitCode = 0;
  try {
    service = await start(readConfig(), {
      hasInitialAccounts: true,
      hasConsole: true,
      clock,
      onFatal(environment) {
        if (environment !== 'production') return;
        exitCode = faultExitCode;
        clock.after(drainMs, () => process.exit(faultExitCode));
      },
    });
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
  announce(service, options.json === true);
}

/** Writes the log line directly: the logger may be what failed. */
function exitWithError(error: unknown): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const line = {
    level: fatalLevel,
    time: Date.now(),
    pid: process.pid,
    err: { message, stack },
    msg: 'unexpected error; stopping',
  };
  process.stderr.write(`${JSON.stringify(line)}\n`);
  process.exit(faultExitCode);
}

function announce(service: Service, isJson: boolean): void {
  const isShown = service.hasOwnIssuer && service.initialAccounts.length > 0;
  const banner = isShown ? renderBanner(service.initialAccounts) : '';
  if (isJson) {
    if (isShown) process.stderr.write(`${renderConsole(service).join('\n')}\n${banner}`);
    process.stdout.write(
      `${JSON.stringify({ Production: service.production, Test: service.test, MutualTls: service.mutualTls })}\n`,
    );
    return;
  }
  const lines = ['Cabinet serves', `  production  ${service.production}`];
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
  const hint = isFirst ? 'the passwords are shown only now' : 'people are added with: cabinet user add NAME';
  return [`The console, in a browser (${hint})`, ...lines];
}

function renderBanner(applications: readonly InitialAccounts[]): string {
  const parts = applications.map(
    ({ environment, url, application, secret }) => `
# ${environment}: a token, a folder, a file
TOKEN=$(curl -sS -u '${application.appKey}:${secret}' -d grant_type=client_credentials ${url}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${url}/v1/contentmanagement/folders -H "Authorization: Bearer $TOKEN" -H 'AppKey: ${application.appKey}' -H 'Content-Type: application/json' -d '{"FolderName":"Invoices"}'
curl -sS ${url}/v1/contentmanagement/files -H "Authorization: Bearer $TOKEN" -H 'AppKey: ${application.appKey}' -H 'FileName: hello.txt' -H 'Content-Type: text/plain' --data-binary 'Hello, Cabinet!'
`,
  );
  return `
This is the first start. Each environment has an application named "first"; its secret is shown only now.
Paste these to try it:
${parts.join('')}`;
}
