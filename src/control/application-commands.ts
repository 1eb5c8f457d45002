// Commands about applications and their certificates.

import type { Application } from '../catalog/verbs/applications.ts';
import type { Certificate, NewCertificate } from '../catalog/verbs/certificates.ts';
import { readLeaf } from '../certificates/certificates.ts';
import { type ApplicationKind, applicationKinds } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import * as applications from '../operations/admin/applications.ts';
import type { CommandContext, Commands, Input } from './command.ts';
import { cabinetOf, readEnvironment, readOptionalText, readOptionalWords, readText } from './input.ts';

/** The lifetime of certificates that we issue. */
const certificateDays = 365;

export const applicationCommands: Commands = {
  async 'app add'(context, input) {
    const kind = readKind(input);
    // Also refused when that environment is switched off.
    if (kind === 'server' && readEnvironment(input) === 'test') throw applications.noMutualTls();
    const name = readText(input, 'name');
    const cabinet = cabinetOf(context, input);
    const certificate = await readCertificate(context, input, name);
    const made = await applications.addApplication(cabinet, {
      name,
      kind,
      space: readOptionalText(input, 'space'),
      scopes: readOptionalWords(input, 'scopes'),
      // A comma may be part of an address.
      redirectUris: readOptionalText(input, 'redirectUris')?.split(/\s+/).filter(Boolean) ?? null,
      isForPeopleOnly: input.forPeople === true,
      asksConsent: input.askConsent === true,
      certificates: certificate === null ? [] : [certificate.leaf],
    });
    return { ...toRegistered(made), ...toIssued(certificate) };
  },
  async 'app list'(context, input) {
    const found = await applications.listApplications(cabinetOf(context, input));
    return { Applications: found.map(toListed) };
  },
  'app disable': (context, input) => changeState(context, input, 'disable'),
  'app enable': (context, input) => changeState(context, input, 'enable'),
  'app remove': (context, input) => changeState(context, input, 'remove'),
  async 'app rotate'(context, input) {
    const cabinet = cabinetOf(context, input);
    const overlap = readText(input, 'overlap');
    if (!/^\d{1,9}$/.test(overlap)) {
      throw new Refusal('InvalidField', `The overlap ${JSON.stringify(overlap)} is not a number of seconds.`);
    }
    const application = readText(input, 'application');
    const overlapMs = Number(overlap) * 1000;
    const areTokensRevoked = input.revokeTokens === true;
    return toRegistered(await applications.rotateSecret(cabinet, { application, overlapMs, areTokensRevoked }));
  },
  async 'app certificate add'(context, input) {
    const application = readText(input, 'application');
    const certificate = await readCertificate(context, input, application);
    if (certificate === null) throw new Refusal('InvalidField', 'No certificate was given.', { target: 'Certificate' });
    const request = { application, certificate: certificate.leaf };
    const added = await applications.addCertificate(cabinetOf(context, input), request);
    return { ...toShown(added), ...toIssued(certificate) };
  },
  async 'app certificate list'(context, input) {
    const application = readText(input, 'application');
    const found = await applications.listCertificates(cabinetOf(context, input), { application });
    return { Certificates: found.map(toShown) };
  },
  async 'app certificate remove'(context, input) {
    const [application, thumbprint] = [readText(input, 'application'), readText(input, 'thumbprint')];
    const removed = { application, thumbprint, isOneKept: false };
    return toShown(await applications.removeCertificate(cabinetOf(context, input), removed));
  },
};

interface GivenCertificate {
  leaf: NewCertificate;
  /** PEM, when we issued it. */
  issued: string | null;
}

/** An existing certificate, or one that we issue for a public key; the private key stays with its owner. */
async function readCertificate(context: CommandContext, input: Input, name: string): Promise<GivenCertificate | null> {
  const given = readOptionalText(input, 'certificate');
  if (given !== null) return { leaf: readLeaf(given), issued: null };
  const publicKeyPem = readOptionalText(input, 'publicKey');
  if (publicKeyPem === null) return null;
  if (!context.hasOwnAuthority) {
    throw new Refusal('InvalidField', 'Client certificates come from your own CA (CABINET_MTLS_CA).', {
      hint: 'Have it issue one and register that: --certificate FILE.',
    });
  }
  const authority = await context.authority();
  const issued = await authority.issue({ name, publicKeyPem, days: certificateDays });
  return { leaf: readLeaf(issued), issued };
}

/** For the command line, which writes it to a file. */
function toIssued(certificate: GivenCertificate | null): object {
  return certificate === null || certificate.issued === null ? {} : { CertificatePem: certificate.issued };
}

async function changeState(context: CommandContext, input: Input, change: applications.StateChange): Promise<object> {
  const application = readText(input, 'application');
  const areTokensKept = input.revokeTokens === false;
  const request = { application, change, areTokensKept };
  return toListed(await applications.changeApplicationState(cabinetOf(context, input), request));
}

export function toRegistered({ application, secret }: applications.ApplicationWithSecret): object {
  return {
    AppKey: application.appKey,
    ...(secret !== null && { Secret: secret }),
    ...toPlace(application),
    Kind: application.kind,
  };
}

function toPlace({ access }: Application): object {
  return access === null ? {} : { Space: access.spaceName, RootFolderId: access.rootId };
}

function toListed(application: Application): object {
  return {
    Name: application.name,
    AppKey: application.appKey,
    Kind: application.kind,
    State: application.state,
    ...toPlace(application),
    Scopes: application.scopes,
    ...(application.redirectUris !== null && { RedirectUris: application.redirectUris }),
    ...(application.asksConsent && { AsksConsent: true }),
    CreatedAt: new Date(application.createdAt).toISOString(),
  };
}

function toShown({ thumbprint, subject, notAfter, addedAt }: Certificate): object {
  return {
    Thumbprint: thumbprint,
    Subject: subject,
    NotAfter: new Date(notAfter).toISOString(),
    AddedAt: new Date(addedAt).toISOString(),
  };
}

function readKind(input: Input): ApplicationKind {
  const kind = input.kind ?? 'client';
  const found = applicationKinds.find((known) => known === kind);
  if (found !== undefined) return found;
  throw new Refusal('InvalidField', `Unknown kind ${JSON.stringify(kind)}.`, { hint: 'client or server' });
}
