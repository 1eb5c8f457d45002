// Server-based applications for the tests: registered, with a certificate and tokens that are bound to it. How a request
// travels, over a connection of its own or over one that stays open, is a `Send`.

import assert from 'node:assert/strict';
import { hash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withNewKey } from '../../src/cli/operator/certificate-files.ts';
import type { Config } from '../../src/config/config.ts';
import { askService } from '../../src/control/ask.ts';
import { assertEnvelope, assertRefusal, type Envelope } from '../interface/assertions.ts';
import { type Answer, CONTENT, type Headers, type Request } from '../interface/client.ts';
import type { Registered } from '../service/service.ts';
import { sendTls, type Tls } from './tls-client.ts';

export type Send = (path: string, request?: Request) => Promise<Answer>;

/** An application that asks with a token. */
export interface Bearer {
  appKey: string;
  token: string;
}

export interface Issued extends Registered {
  Name: string;
  /** Paths of the files that were written. */
  Certificate: string;
  Key: string;
  tls: Tls;
  thumbprint: string;
}

export function through(base: string, tls: Tls): Send {
  return (path, request = {}) => sendTls(base, path, request, tls);
}

/** The CA that a service made for itself. */
export function readOwnCa(dataFolder: string): string {
  return readFileSync(join(dataFolder, 'production/certificates/ca.pem'), 'utf8');
}

export function toThumbprint(pem: string): string {
  return hash('sha256', new X509Certificate(pem).raw, 'base64url');
}

/** With a certificate of the service's own CA, as `app add --issue-certificate` gets and keeps it. */
export async function addIssued(dataFolder: string, name: string, more: Record<string, string> = {}): Promise<Issued> {
  const folder = join(dataFolder, '..', 'certs');
  const registered = (await withNewKey(folder, name, (publicKey) =>
    ask(dataFolder, 'app add', { name, kind: 'server', publicKey, ...more }),
  )) as Issued;
  return { ...registered, Name: name, ...readIssued(dataFolder, registered) };
}

export function readIssued(
  dataFolder: string,
  { Certificate, Key }: Pick<Issued, 'Certificate' | 'Key'>,
): { tls: Tls; thumbprint: string } {
  const cert = readFileSync(Certificate, 'utf8');
  const tls = { ca: readOwnCa(dataFolder), cert, key: readFileSync(Key, 'utf8') };
  return { tls, thumbprint: toThumbprint(cert) };
}

/** As the command line asks the running service, without starting a program for it: there are many. */
export async function ask<Result extends object>(
  dataFolder: string,
  name: string,
  input: Record<string, string | boolean>,
): Promise<Result> {
  const answered = await askService({ dataFolder } as Config, { name, input });
  assert.ok(answered, 'no service listens');
  return answered as Result;
}

export function askBound(send: Send, appKey: string, more: { form?: Record<string, string>; headers?: Headers } = {}) {
  const form = { grant_type: 'client_credentials', client_id: appKey, ...more.form };
  return send('/oauth2/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...more.headers },
    body: new URLSearchParams(form).toString(),
  });
}

export async function fetchBound(send: Send, appKey: string, form: Record<string, string> = {}): Promise<Bearer> {
  const answer = await askBound(send, appKey, { form });
  assert.equal(answer.status, 200, answer.body.toString());
  return { appKey, token: (JSON.parse(answer.body.toString()) as { access_token: string }).access_token };
}

export function callWith(send: Send, { appKey, token }: Bearer, path: string, request: Request = {}): Promise<Answer> {
  const headers = { Authorization: `Bearer ${token}`, AppKey: appKey, ...request.headers };
  return send(CONTENT + path, { ...request, headers });
}

export async function assertServed(send: Send, bearer: Bearer): Promise<Envelope> {
  return assertEnvelope(await callWith(send, bearer, '/folders/-root-'));
}

/** `reason` is what the message must say. */
export async function assertCertificateInvalid(send: Send, bearer: Bearer, reason: string | RegExp): Promise<void> {
  const answer = await callWith(send, bearer, '/folders/-root-');
  assertReason(assertRefusal(answer, 401, 'CertificateInvalid').Message, reason);
}

export async function assertNoToken(send: Send, appKey: string, reason: string | RegExp): Promise<void> {
  const answer = await askBound(send, appKey);
  const body = JSON.parse(answer.body.toString()) as Record<string, string>;
  assert.equal(answer.status, 401, answer.body.toString());
  assert.equal(body.error, 'invalid_client');
  assert.equal(body.access_token, undefined);
  assertReason(body.error_description ?? '', reason);
}

function assertReason(message: string, reason: string | RegExp): void {
  if (typeof reason === 'string') assert.equal(message, reason);
  else assert.match(message, reason);
}

export function readClaims({ token }: Bearer): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}
