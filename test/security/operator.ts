// An operator's commands to a running service, as `bin/cabinet` hands them over, without the time that a process takes.

import type { Config } from '../../src/config.ts';
import { askService } from '../../src/control/ask.ts';
import type { Registered } from '../service/service.ts';
import { type Person, redirectUri } from './people.ts';

export async function command<Result extends object>(
  dataFolder: string,
  name: string,
  input: Record<string, unknown> = {},
): Promise<Result> {
  const result = await askService({ dataFolder } as Config, { name, input });
  if (result === null) throw new Error('no service runs');
  return result as Result;
}

export async function setRole(dataFolder: string, user: string, role: string, space: string): Promise<void> {
  await command(dataFolder, 'user role', { user, role, space });
}

export function addApplication(
  dataFolder: string,
  name: string,
  more: Record<string, unknown> = {},
): Promise<Registered> {
  return command<Registered>(dataFolder, 'app add', { name, ...more });
}

/** A page in a browser, for people of every space. */
export function addPage(dataFolder: string, name: string): Promise<Registered> {
  return addApplication(dataFolder, name, { redirectUris: redirectUri, forPeople: true });
}

export function addUser(dataFolder: string, user: string): Promise<Person> {
  return command<Person>(dataFolder, 'user add', { user });
}
