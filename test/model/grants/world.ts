// One service for all sequences, people who sign in at it, and for each worker a space of its own. Requests are plain: what is compared
// here is what somebody sees, not the form of the answers.

import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { fetchToken } from '../../interface/client.ts';
import { addPage, discover, signIn } from '../../security/people.ts';
import { addApplication, addUser } from '../../service/operator.ts';

export const people = ['ann', 'bob', 'cleo', 'dora'] as const;
export type PersonName = (typeof people)[number];
export const groups = ['one', 'two'] as const;

export interface Caller {
  token: string;
  appKey: string;
}

export interface Reply {
  status: number;
  body: Buffer;
  headers: Record<string, string | string[] | undefined>;
}

export interface Asking {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The service with its people; spaces are added to it. */
export class Place {
  readonly base: string;
  readonly dataFolder: string;
  readonly callers = new Map<string, Caller>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  requests = 0;

  constructor(base: string, dataFolder: string) {
    this.base = base;
    this.dataFolder = dataFolder;
  }

  async addPeople(): Promise<void> {
    const page = await addPage(this.dataFolder, 'page');
    const configuration = await discover(this.base, page);
    for (const name of people) {
      const { access_token: token } = await signIn(configuration, await addUser(this.dataFolder, name));
      this.callers.set(name, { token, appKey: page.AppKey });
    }
  }

  async addSpace(name: string): Promise<Space> {
    const registered = await addApplication(this.dataFolder, name, {
      scopes: 'content.read content.write content.admin',
    });
    const token = await fetchToken(this.base, { Name: name, ...registered });
    const application = { token, appKey: registered.AppKey };
    const { Spaces } = read<{ Spaces: { Id: string }[] }>(await this.send(application, '/v1/contentmanagement/spaces'));
    return new Space(this, { name, id: Spaces[0]?.Id ?? '', rootId: registered.RootFolderId }, application);
  }

  send(caller: Caller, path: string, asking: Asking = {}): Promise<Reply> {
    const own = { Authorization: `Bearer ${caller.token}`, AppKey: caller.appKey };
    return this.#send(path, { ...asking, headers: { ...own, ...asking.headers } });
  }

  /** By a stranger, who has the secret of a link. */
  use(secret: string, path: string, asking: Asking = {}): Promise<Reply> {
    return this.#send(`/v1/contentmanagement/shared/${secret}${path}`, asking);
  }

  #send(path: string, { method = 'GET', headers = {}, body }: Asking): Promise<Reply> {
    this.requests += 1;
    const length = body === undefined && method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(body ?? '') };
    return new Promise((resolve, reject) => {
      const url = new URL(this.base + path);
      const options = { agent: this.#agent, method, headers: { ...length, ...headers } };
      const outgoing = httpRequest(url, options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks), headers: incoming.headers }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export class Space {
  readonly place: Place;
  readonly name: string;
  readonly id: string;
  readonly rootId: string;
  readonly #application: Caller;

  constructor(place: Place, { name, id, rootId }: Pick<Space, 'name' | 'id' | 'rootId'>, application: Caller) {
    this.place = place;
    this.name = name;
    this.id = id;
    this.rootId = rootId;
    this.#application = application;
  }

  /** `app` is the application, which manages the space. */
  callerOf(who: string): Caller {
    return this.place.callers.get(who) ?? this.#application;
  }

  /** The space is named only where no entry is. */
  ask(who: string, path: string, asking: Asking = {}): Promise<Reply> {
    const isOfEntry = /^\/(entries|files|archive|shared-with-me|shares|spaces)|^\/folders(\/[^-]|$)/.test(path);
    const headers = isOfEntry ? {} : { SpaceId: this.id };
    return this.place.send(this.callerOf(who), `/v1/contentmanagement${path}`, {
      ...asking,
      headers: { ...headers, ...asking.headers },
    });
  }

  json(who: string, method: string, path: string, fields: unknown): Promise<Reply> {
    return this.ask(who, path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
  }

  /** Null takes the role away. */
  async setRole(person: string, role: string | null): Promise<void> {
    const path = `/users/${person}`;
    const answer = await (role === null
      ? this.ask('app', path, { method: 'DELETE' })
      : this.json('app', 'PATCH', path, { Role: role }));
    const isNone = role === null && outcomeOf(answer) === 'UserNotFound';
    assert.ok(isNone || answer.status === 200, answer.body.toString());
  }
}

/** The JSON of an answer that must be 200. */
export function read<Result>({ status, body }: Reply): Result {
  assert.equal(status, 200, body.toString());
  return JSON.parse(body.toString()) as Result;
}

/** `done`, or the code of the refusal. */
export function outcomeOf({ status, body }: Reply): string {
  if (status >= 200 && status < 300) return 'done';
  assert.ok(status < 500, body.toString());
  const { Error: error } = JSON.parse(body.toString()) as { Error: { Code: string } };
  return error.Code;
}
