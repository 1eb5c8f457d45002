// What the tests of the client stand on: a real service in the process of the test, and connections to it.

import { after } from 'node:test';
import { addApplication } from '../../test/service/operator.ts';
import { type Environment, makeDataFolder, type Registered, removeDataFolder } from '../../test/service/service.ts';
import { type StartedHere, startServiceHere } from '../../test/service/service-here.ts';
import { type Cabinet, type ConnectOptions, connect } from '../src/connect.ts';
import { createFolder } from '../src/folders.ts';
import { applicationToken } from '../src/tokens.ts';

export interface Ground {
  readonly service: StartedHere;
  readonly dataFolder: string;
  readonly application: Registered;
  /** A connection as the application, by default. */
  connect(options?: Partial<ConnectOptions>): Cabinet;
}

/** Starts a service, which is stopped after the tests of this file. */
export async function standOnService(environment: Environment = {}): Promise<Ground> {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder, { environment });
  after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const scopes = 'content.read content.write content.admin';
  const application = await addApplication(dataFolder, 'sdk', { scopes });
  return {
    service,
    dataFolder,
    application,
    connect(options = {}) {
      const token = applicationToken({ secret: application.Secret });
      return connect({ url: service.production, appKey: application.AppKey, token, ...options });
    },
  };
}

let folders = 0;

/** A folder of the test's own. */
export async function makeFolder(cabinet: Cabinet): Promise<string> {
  const created = await createFolder(cabinet, { name: `test ${process.pid} ${++folders}` });
  return created.Id;
}

export async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
