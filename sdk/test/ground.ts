// What the tests of the client stand on: a real service in a process of its own, and connections to it.

import { after, before } from 'node:test';
import {
  cabinetJson,
  type Environment,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type Started,
  startService,
} from '../../test/service/service.ts';
import { type Cabinet, type ConnectOptions, connect } from '../src/connect.ts';
import { createFolder } from '../src/folders.ts';
import { applicationToken } from '../src/tokens.ts';

export interface Ground {
  readonly service: Started;
  readonly dataFolder: string;
  readonly application: Registered;
  /** A connection as the application, by default. */
  connect(options?: Partial<ConnectOptions>): Cabinet;
}

/** Starts a service before the tests of this file and stops it after them. */
export function standOnService(environment: Environment = {}): Ground {
  let started: { service: Started; dataFolder: string; application: Registered } | null = null;
  const require = () => {
    if (started === null) throw new Error('the service has not been started');
    return started;
  };
  before(async () => {
    const dataFolder = makeDataFolder();
    const service = await startService(dataFolder, { environment });
    const words = ['app', 'add', 'sdk', '--scopes', 'content.read,content.write,content.admin'];
    started = { service, dataFolder, application: await cabinetJson<Registered>(dataFolder, words) };
  });
  after(async () => {
    await started?.service.stop();
    if (started !== null) removeDataFolder(started.dataFolder);
  });
  return {
    get service() {
      return require().service;
    },
    get dataFolder() {
      return require().dataFolder;
    },
    get application() {
      return require().application;
    },
    connect(options = {}) {
      const { service, application } = require();
      const token = applicationToken({ secret: application.Secret });
      return connect({ url: service.production, appKey: application.AppKey, token, ...options });
    },
  };
}

let folders = 0;

/** A folder of the test's own. */
export async function makeFolder(cabinet: Cabinet): Promise<string> {
  const { Folder } = await createFolder(cabinet, { name: `test ${process.pid} ${++folders}` });
  return Folder.Id;
}
