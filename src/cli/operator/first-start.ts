// The first secrets as files in the data folder, which only the owner can read. `serve --json`, whose output goes to logs, writes
// `first-start.json` with those of each environment. `serve` writes `first-start.env`, variables for a shell, with the application
// of production. Nothing of the service reads them.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../../runtime/durable-file.ts';
import type { InitialAccounts } from '../../server/initial-accounts.ts';

const jsonName = 'first-start.json';
const variablesName = 'first-start.env';

interface FirstStart {
  Environment: string;
  Url: string;
  Application: { Name: string; AppKey: string; Secret: string | null };
  Person: { Id: string; Password: string } | null;
}

/** Returns the path of the file. An environment that is switched on later is added to those of the first start. */
export async function writeFirstStart(dataFolder: string, accounts: readonly InitialAccounts[]): Promise<string> {
  const path = join(dataFolder, jsonName);
  const created = accounts.map(toFirstStart);
  const isCreated = (name: string) => created.some(({ Environment }) => Environment === name);
  const kept = (await readEarlier(path)).filter(({ Environment }) => !isCreated(Environment));
  await writeDurably(path, `${JSON.stringify({ Environments: [...kept, ...created] }, null, 2)}\n`);
  return path;
}

/** Writes `first-start.env` if production has its first application; returns the path, or null. */
export async function writeFirstVariables(
  dataFolder: string,
  accounts: readonly InitialAccounts[],
): Promise<string | null> {
  const first = accounts.find(({ environment }) => environment === 'production');
  if (first === undefined) return null;
  const { url, application, secret } = first;
  const variables = { CABINET_URL: url, APPKEY: application.appKey, SECRET: secret ?? '' };
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
  const path = join(dataFolder, variablesName);
  await writeDurably(path, lines.join(''));
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
