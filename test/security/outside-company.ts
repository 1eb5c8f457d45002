// A service that accepts tokens of a company's own OpenID provider as well as ours.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFreePort } from '../free-ports.ts';
import { type Caller, fetchToken } from '../interface/client.ts';
import { addApplication } from '../service/operator.ts';
import { makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { addPage } from './people.ts';
import { audience, SecondIssuer } from './second-issuer.ts';

export class Company {
  readonly dataFolder = makeDataFolder();
  readonly issuersPath = join(dirname(this.dataFolder), 'issuers.json');
  port = '0';
  robot!: Registered;
  page!: Registered;
  issuer!: SecondIssuer;
  service!: Awaited<ReturnType<typeof startServiceHere>>;

  async open(
    more: (issuer: string) => object[] = () => [],
    environment: Record<`CABINET_${string}`, string> = {},
  ): Promise<void> {
    this.port = String(await findFreePort());
    const url = await SecondIssuer.reserve();
    writeFileSync(this.issuersPath, JSON.stringify([{ Name: 'corp', Issuer: url, Audience: audience }, ...more(url)]));
    await this.serve({ CABINET_TEST_PORT: '0', ...environment });
    this.robot = await addApplication(this.dataFolder, 'robot', { space: 'shared' });
    this.page = await addPage(this.dataFolder, 'page');
    this.issuer = new SecondIssuer(url, [this.robot.AppKey, this.page.AppKey]);
    await this.issuer.start();
  }

  async serve(environment: Record<`CABINET_${string}`, string> = {}): Promise<void> {
    this.service = await startServiceHere(this.dataFolder, {
      hasClock: true,
      environment: { CABINET_PORT: this.port, CABINET_ISSUERS: this.issuersPath, ...environment },
    });
  }

  async close(): Promise<void> {
    await this.service?.stop();
    await this.issuer.stop();
    removeDataFolder(this.dataFolder);
  }

  /** Who shows this token with the AppKey of this application. */
  as(token: string, application: Registered = this.robot): Caller {
    return { base: this.service.production, application: { Name: '', ...application }, token };
  }

  async asRobot(): Promise<Caller> {
    return this.as(await this.issuer.fetchToken(this.robot.AppKey));
  }

  async asPerson(sub: string, claims: Record<string, unknown> = {}): Promise<Caller> {
    return this.as(await this.issuer.sign({ sub, client_id: this.page.AppKey, ...claims }), this.page);
  }

  /** With a token of our own issuer. */
  async asOwn(): Promise<Caller> {
    return this.as(await fetchToken(this.service.production, { Name: '', ...this.robot }));
  }
}
