// An operator's commands to a running service, as `bin/cabinet` sends them, without the time that a process takes.

import { randomBytes } from 'node:crypto';
import type { Config } from '../../src/config/config.ts';
import { askService } from '../../src/control/ask.ts';

export interface Registered {
  AppKey: string;
  Secret: string;
  Space: string;
  RootFolderId: string;
  Kind: string;
}

export interface Person {
  User: string;
  Password: string;
}

export async function command<Result extends object>(
  dataFolder: string,
  name: string,
  input: Record<string, unknown> = {},
): Promise<Result> {
  const result = await askService({ dataFolder } as Config, { name, input });
  if (result === null) throw new Error('no service runs');
  return result as Result;
}

export function addApplication(
  dataFolder: string,
  name: string,
  more: Record<string, unknown> = {},
): Promise<Registered> {
  return command<Registered>(dataFolder, 'app add', { name, ...more });
}

/** `more`: `env`, for another environment. */
export async function addUser(dataFolder: string, user: string, more: Record<string, unknown> = {}): Promise<Person> {
  const Password = randomBytes(18).toString('base64url');
  const { User } = await command<{ User: string }>(dataFolder, 'user add', { user, password: Password, ...more });
  return { User, Password };
}

/** What the owner of an account does with the page of its setup link. Returns the status of the answer. */
export async function setUp(url: string, password: string): Promise<number> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ password }) });
  await answer.text();
  return answer.status;
}

/** `space`: its name. */
export async function setRole(dataFolder: string, user: string, role: string, space: string): Promise<void> {
  await command(dataFolder, 'user role', { user, role, space });
}
