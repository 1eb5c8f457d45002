// A company with its own CA, and a service that trusts it (`CABINET_MTLS_CA`), reads its revocation list
// (`CABINET_MTLS_CRL`) and uses one of its certificates. The files can be replaced while the service runs.

import 'reflect-metadata';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import {
  clientAuth,
  type ListWish,
  type Made,
  makeCa,
  makeCertificate,
  makeList,
  serverAuth,
  toName,
  toPem,
  type Wish,
} from '../../src/certificates/certificates-for-tests.ts';
import {
  type Environment,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type StartedWithClock,
  startService,
} from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { ask, toThumbprint } from './server-applications.ts';
import type { Tls } from './tls-client.ts';

type Running = Awaited<ReturnType<typeof startServiceHere>> | StartedWithClock;

export class CompanyCa {
  readonly ca: Made;
  readonly dataFolder = makeDataFolder();
  readonly #folder = join(this.dataFolder, '..', 'company');
  service: Running | null = null;
  #movedMs = 0;

  private constructor(ca: Made) {
    this.ca = ca;
  }

  static async found(): Promise<CompanyCa> {
    const company = new CompanyCa(await makeCa('Company CA'));
    mkdirSync(company.#folder);
    company.put('ca.pem', company.ca.pem);
    company.showServer(await makeServer(company.ca));
    await company.revoke({});
    return company;
  }

  get base(): string {
    return this.service?.mutualTls ?? '';
  }

  async start(more: Environment = {}): Promise<Running> {
    return this.#run(await startServiceHere(this.dataFolder, this.#toOptions(more)));
  }

  /** In a process of its own, whose log can be read and whose end can be seen. */
  async startProcess(more: Environment = {}): Promise<StartedWithClock> {
    return this.#run(await startService(this.dataFolder, this.#toOptions(more)));
  }

  #run<Service extends Running>(service: Service): Service {
    this.#movedMs = 0;
    this.service = service;
    return service;
  }

  #toOptions(more: Environment): { environment: Environment; hasClock: true } {
    return {
      hasClock: true,
      environment: {
        CABINET_MTLS_PORT: '0',
        CABINET_MTLS_CERT: this.path('server.pem'),
        CABINET_MTLS_KEY: this.path('server-key.pem'),
        CABINET_MTLS_CA: this.path('ca.pem'),
        CABINET_MTLS_CRL: this.path('crl.pem'),
        ...more,
      },
    };
  }

  /** Moves the clock of the service. */
  async advance(ms: number): Promise<void> {
    await this.service?.advance(ms);
    this.#movedMs += ms;
  }

  /** What the service's clock says. */
  get now(): number {
    return Date.now() + this.#movedMs;
  }

  async stop(): Promise<void> {
    await this.service?.stop();
    removeDataFolder(this.dataFolder);
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** As a careful operator replaces a file: it is whole at every moment. */
  put(name: string, text: string): void {
    writeFileSync(`${this.path(name)}.new`, text);
    renameSync(`${this.path(name)}.new`, this.path(name));
  }

  showServer({ pem, keyPem }: Made): void {
    this.put('server-key.pem', keyPem);
    this.put('server.pem', pem);
  }

  /** The list of the company, as it is from now on. */
  async revoke(wish: ListWish, issuer = this.ca): Promise<void> {
    this.put('crl.pem', toPem(await makeList(issuer, wish)));
  }

  /** How a client shows a certificate, and what it sends along. */
  showing(made: Made, ...others: Made[]): Tls {
    return { ca: this.ca.pem, cert: [made, ...others].map(({ pem }) => `${pem}\n`).join(''), key: made.keyPem };
  }

  /** Registers an application with a certificate. */
  add(name: string, { pem }: Made): Promise<Registered> {
    return ask(this.dataFolder, 'app add', { name, kind: 'server', certificate: pem });
  }

  async register(application: string, { pem }: Made): Promise<void> {
    await ask(this.dataFolder, 'app certificate add', { application, certificate: pem });
  }

  async unregister(application: string, { pem }: Made): Promise<void> {
    await ask(this.dataFolder, 'app certificate remove', { application, thumbprint: toThumbprint(pem) });
  }
}

export function makeClient(name: string, issuer: Made, wish: Wish = {}): Promise<Made> {
  return makeCertificate({ name: toName(name), usages: [clientAuth], ...wish }, issuer);
}

export function makeServer(issuer: Made): Promise<Made> {
  const names = new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]);
  return makeCertificate({ name: toName('server'), usages: [serverAuth], extensions: [names] }, issuer);
}
