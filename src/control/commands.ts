// What an operator can ask for by command, the same whether it is carried out by the running service or by the command
// itself on a folder that no service holds. Answers are the JSON that `--json` prints.

import type { Application } from '../catalog/applications.ts';
import { type ApplicationKind, applicationKinds } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Environment, type EnvironmentName, environmentNames } from '../environment.ts';
import {
  type ApplicationWithSecret,
  addApplication,
  changeApplicationState,
  listApplications,
  rotateSecret,
} from '../operations/applications.ts';

/** What commands work on. */
export interface Controlled {
  environment(name: EnvironmentName): Environment;
  reset(name: EnvironmentName): Promise<ApplicationWithSecret>;
  addresses(): { production: string; test: string | null } | null;
}

export interface Command {
  name: string;
  input: Record<string, unknown>;
}

export async function runCommand(controlled: Controlled, { name, input }: Command): Promise<object> {
  const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (run === undefined) throw new Refusal('InvalidField', `There is no command ${JSON.stringify(name)}.`);
  return await run(controlled, input);
}

type Input = Record<string, unknown>;

const commands: Record<string, (controlled: Controlled, input: Input) => Promise<object>> = {
  async addresses(controlled) {
    const addresses = controlled.addresses();
    return { Production: addresses?.production ?? null, Test: addresses?.test ?? null, MutualTls: null };
  },
  async 'app add'(controlled, input) {
    const environment = readEnvironment(input);
    const kind = readKind(input);
    if (kind === 'server' && environment === 'test') {
      throw new Refusal('InvalidField', 'There is no mutual-TLS address for the test environment.', { target: 'Kind' });
    }
    const made = await addApplication(controlled.environment(environment).cabinet, {
      name: readText(input, 'name'),
      kind,
      space: input.space === undefined ? null : readText(input, 'space'),
      scopes:
        input.scopes === undefined
          ? null
          : readText(input, 'scopes')
              .split(/[\s,]+/)
              .filter(Boolean),
    });
    return toRegistered(made);
  },
  async 'app list'(controlled, input) {
    const found = await listApplications(controlled.environment(readEnvironment(input)).cabinet);
    return { Applications: found.map(toListed) };
  },
  'app disable': (controlled, input) => changeState(controlled, input, 'disable'),
  'app enable': (controlled, input) => changeState(controlled, input, 'enable'),
  'app remove': (controlled, input) => changeState(controlled, input, 'remove'),
  async 'app rotate'(controlled, input) {
    const { cabinet } = controlled.environment(readEnvironment(input));
    const overlap = readText(input, 'overlap');
    if (!/^\d{1,9}$/.test(overlap)) {
      throw new Refusal('InvalidField', `The overlap ${JSON.stringify(overlap)} is not a number of seconds.`);
    }
    return toRegistered(await rotateSecret(cabinet, readText(input, 'application'), Number(overlap) * 1000));
  },
  async reset(controlled, input) {
    const environment = readEnvironment(input);
    if (environment === 'production')
      throw new Refusal('InvalidField', 'Production is never emptied.', { target: 'env' });
    return toRegistered(await controlled.reset(environment));
  },
};

async function changeState(
  controlled: Controlled,
  input: Input,
  change: 'disable' | 'enable' | 'remove',
): Promise<object> {
  const { cabinet } = controlled.environment(readEnvironment(input));
  return toListed(await changeApplicationState(cabinet, readText(input, 'application'), change));
}

function toRegistered({ application, secret }: ApplicationWithSecret): object {
  return {
    AppKey: application.appKey,
    Secret: secret,
    Space: application.spaceName,
    RootFolderId: application.rootId,
    Kind: application.kind,
  };
}

function toListed(application: Application): object {
  return {
    Name: application.name,
    AppKey: application.appKey,
    Kind: application.kind,
    State: application.state,
    Space: application.spaceName,
    RootFolderId: application.rootId,
    Scopes: application.scopes,
    CreatedAt: new Date(application.createdAt).toISOString(),
  };
}

function readText(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new Refusal('InvalidField', `${name} is missing.`, { target: name });
  return value;
}

function readEnvironment(input: Input): EnvironmentName {
  const name = input.env ?? 'production';
  const found = environmentNames.find((known) => known === name);
  if (found !== undefined) return found;
  throw new Refusal('InvalidField', `There is no environment ${JSON.stringify(name)}.`, { hint: 'production or test' });
}

function readKind(input: Input): ApplicationKind {
  const kind = input.kind ?? 'client';
  const found = applicationKinds.find((known) => known === kind);
  if (found !== undefined) return found;
  throw new Refusal('InvalidField', `There is no kind ${JSON.stringify(kind)}.`, { hint: 'client or server' });
}
