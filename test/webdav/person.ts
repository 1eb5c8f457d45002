// A person who signs in to make app passwords, and uses them over WebDAV.

import assert from 'node:assert/strict';
import { addPage, discover, signIn } from '../security/people.ts';
import { addUser, type Person, type Registered } from '../service/operator.ts';
import type { DavService } from './dav.ts';

export interface SignedIn {
  person: Person;
  page: Registered;
  token: string;
  /** As `Authorization`, with a new app password. */
  addPassword(access: 'read' | 'write', more?: Record<string, unknown>): Promise<string>;
}

export async function addPerson({ dataFolder, production }: DavService, name: string): Promise<SignedIn> {
  const person = await addUser(dataFolder, name);
  const page = await addPage(dataFolder, `page-of-${name}`);
  const { access_token: token } = await signIn(await discover(production, page), person);
  const headers = { Authorization: `Bearer ${token}`, AppKey: page.AppKey, 'Content-Type': 'application/json' };
  const addPassword: SignedIn['addPassword'] = async (Access, more = {}) => {
    const body = JSON.stringify({ Name: `for ${Access}`, Access, ...more });
    const url = `${production}/v1/contentmanagement/me/app-passwords`;
    const response = await fetch(url, { method: 'POST', headers, body });
    assert.equal(response.status, 200);
    const { Password } = (await response.json()) as { Password: string };
    return Password;
  };
  return { person, page, token, addPassword };
}
