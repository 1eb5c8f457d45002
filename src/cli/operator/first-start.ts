// `first-start.json` in the data folder: the first secrets of each environment, for `serve --json`, whose output goes to logs. Only
// the owner can read it. Whoever has read it removes it; nothing of the service reads it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../../runtime/durable-file.ts';
import type { InitialAccounts } from '../../server/initial-accounts.ts';

const firstStartName = 'first-start.json';

interface FirstStart {
  Environment: string;
  Url: string;
  Application: { Name: string; AppKey: string; Secret: string | null };
  Person: { Id: string; Password: string } | null;
}

/** Returns the path of the file. An environment that is switched on later is added to those of the first start. */
export async function writeFirstStart(dataFolder: string, accounts: readonly InitialAccounts[]): Promise<string> {
  const path = join(dataFolder, firstStartName);
  const created = accounts.map(toFirstStart);
  const isCreated = (name: string) => created.some(({ Environment }) => Environment === name);
  const kept = (await readEarlier(path)).filter(({ Environment }) => !isCreated(Environment));
  await writeDurably(path, `${JSON.stringify({ Environments: [...kept, ...created] }, null, 2)}\n`);
  return path;
}

function toFirstStart({ environment, url, application, secret, person }: InitialAccounts): FirstStart {
  return {
    Environment: environment,
    Url: url,
    Application: { Name: application.name, AppKey: application.appKey, Secret: secret },
    Person: person === null ? null : { Id: person.id, Password: person.password },
  };
}

/** A file that was removed or edited must not stop the service. */
async function readEarlier(path: string): Promise<FirstStart[]> {
  try {
    const { Environments } = JSON.parse(await readFile(path, 'utf8')) as { Environments: FirstStart[] };
    return Array.isArray(Environments) ? Environments : [];
  } catch {
    return [];
  }
}
