// `cabinet app …`: registers applications and takes their rights away.

import type { Command } from 'commander';
import { print, toPairs } from '../output.ts';
import { collect } from '../repeated-option.ts';
import { toOperatorTable } from '../table.ts';
import { type CertificateOptions, readCertificateFile, withNewKey } from './certificate-files.ts';
import { runCommand } from './run-command.ts';

export interface CommonOptions {
  env: string;
  json?: boolean;
}

interface AddOptions extends CommonOptions, CertificateOptions {
  kind: string;
  redirectUri?: string[];
}

export function registerApp(program: Command): void {
  const app = program.command('app').description('register and manage applications');
  withCertificate(common(app.command('add <name>').description('register an application; its secret is shown once')))
    .option('--kind <kind>', 'client, or server for applications that use mutual TLS', 'client')
    .option('--space <name>', 'the space that it uses; by default one of its own')
    .option('--scopes <scopes>', 'what it may do: content.read, content.write, content.admin')
    .option('--redirect-uri <uri>', 'people sign in through it, and return to this address; may be repeated', collect)
    .option('--for-people', 'it acts only for people, and has no space and no secret')
    .option('--ask-consent', 'ask people before it acts for them')
    .addHelpText(
      'after',
      `
Examples:
  cabinet app add backoffice
  cabinet app add reports --space backoffice --scopes content.read
  cabinet app add desk --for-people --redirect-uri https://desk.example/signed-in`,
    )
    .action((name: string, options: AddOptions) => print(options, () => add(name, options), toPairs));
  common(app.command('list').description('list the applications')).action((options: CommonOptions) =>
    print(options, () => runCommand({ name: 'app list', input: { env: options.env } }), toLines),
  );
  for (const change of ['disable', 'enable', 'remove'] as const) {
    const command = common(app.command(`${change} <app>`).description(`${change} an application, by AppKey or name`));
    if (change === 'disable') {
      command.option('--revoke-tokens', 'end its tokens, sign-ins and links for good (default)');
      command.option('--no-revoke-tokens', 'its tokens work again when it is enabled');
    }
    command.action((application: string, options: CommonOptions) =>
      runAndPrint(`app ${change}`, { application, ...options }, options),
    );
  }
  common(app.command('rotate <app>').description('give an application a new secret, shown once'))
    .option('--overlap <seconds>', 'how long the old secret stays valid', '0')
    .option('--revoke-tokens', 'also end its tokens, sign-ins and links, if the old secret was stolen')
    .action((application: string, options: CommonOptions & { overlap: string }) =>
      runAndPrint('app rotate', { application, ...options }, options),
    );
  registerCertificates(app);
}

function registerCertificates(app: Command): void {
  const certificate = app.command('certificate').description('manage the certificates of an application');
  withCertificate(common(certificate.command('add <app>').description('register another certificate'))).action(
    (application: string, options: CommonOptions & CertificateOptions) =>
      print(options, () => addCertificate(application, options), toPairs),
  );
  common(certificate.command('list <app>').description('list the certificates')).action(
    (application: string, options: CommonOptions) =>
      print(
        options,
        () => runCommand({ name: 'app certificate list', input: { application, env: options.env } }),
        toCertificateTable,
      ),
  );
  common(certificate.command('remove <app> <thumbprint>').description('refuse a certificate from now on')).action(
    (application: string, thumbprint: string, options: CommonOptions) =>
      runAndPrint('app certificate remove', { application, thumbprint, ...options }, options),
  );
}

export function common(command: Command): Command {
  return command.option('--env <environment>', 'production or test', 'production').option('--json', 'print JSON');
}

function withCertificate(command: Command): Command {
  return command
    .option('--certificate <file>', 'an existing certificate (PEM)')
    .option('--issue-certificate <folder>', 'issue a certificate, and write it and its key into this folder');
}

async function add(name: string, options: AddOptions): Promise<object> {
  const { json: _, issueCertificate, certificate, redirectUri, ...input } = options;
  if (options.kind !== 'server' && (issueCertificate !== undefined || certificate !== undefined)) {
    throw new Error('Only applications of kind server have certificates: add --kind server.');
  }
  const request = { name, ...input, ...(redirectUri !== undefined && { redirectUris: redirectUri.join(' ') }) };
  return await withCertificateInput(options, name, (certificateInput) =>
    runCommand({ name: 'app add', input: { ...request, ...certificateInput } }),
  );
}

async function addCertificate(application: string, options: CommonOptions & CertificateOptions): Promise<object> {
  if (options.certificate === undefined && options.issueCertificate === undefined) {
    throw new Error('Give --certificate FILE or --issue-certificate FOLDER.');
  }
  const request = { application, env: options.env };
  return await withCertificateInput(options, application, (certificateInput) =>
    runCommand({ name: 'app certificate add', input: { ...request, ...certificateInput } }),
  );
}

async function withCertificateInput(
  { certificate, issueCertificate }: CertificateOptions,
  name: string,
  run: (certificateInput: Record<string, string>) => Promise<object>,
): Promise<object> {
  if (certificate !== undefined && issueCertificate !== undefined) {
    throw new Error('Give --certificate or --issue-certificate, not both.');
  }
  if (issueCertificate !== undefined) {
    return await withNewKey(issueCertificate, name, (publicKey) => run({ publicKey }));
  }
  return await run(certificate === undefined ? {} : { certificate: readCertificateFile(certificate) });
}

export function runAndPrint(
  name: string,
  { json: _, ...input }: Record<string, unknown>,
  options: CommonOptions,
): Promise<void> {
  return print(options, () => runCommand({ name, input }), toPairs);
}

function toLines(result: object): string[] {
  const { Applications } = result as { Applications: Record<string, string>[] };
  if (Applications.length === 0) return ['There are no applications. Add one: cabinet app add NAME'];
  return toOperatorTable(
    Applications.map(({ Name = '', AppKey = '', Kind = '', State = '', Space = '', Scopes }) => [
      ...[Name, AppKey, Kind, State, Space],
      toPlainList(Scopes),
    ]),
    ['NAME', 'APPKEY', 'KIND', 'STATE', 'SPACE', 'SCOPES'],
  );
}

function toPlainList(words: unknown): string {
  return Array.isArray(words) ? words.join(' ') : String(words ?? '');
}

function toCertificateTable(result: object): string[] {
  const { Certificates } = result as { Certificates: { Thumbprint: string; NotAfter: string; Subject: string }[] };
  if (Certificates.length === 0) return ['It has no certificates.'];
  return toOperatorTable(
    Certificates.map(({ Thumbprint, NotAfter, Subject }) => [Thumbprint, NotAfter, Subject]),
    ['THUMBPRINT', 'NOT AFTER', 'SUBJECT'],
  );
}
