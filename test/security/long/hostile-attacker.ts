// The hostile tenant of `hostile-tenant.ts`, in a process of its own, so that the one who measures does not wait for it. Gets what it
// attacks as JSON in its first argument. Each line on its input begins or ends the attack; it answers each with a line.

import { once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import type * as openid from 'openid-client';
import { type Caller, CONTENT, call, identity } from '../../interface/client.ts';
import { createTus, patchTus, toMetadata, toPath } from '../../interface/uploads.ts';
import type { Person, Registered } from '../../service/operator.ts';
import { type Opened, openSignIn, post } from '../attacks-sign-in.ts';
import { discover } from '../people.ts';

export interface AttackOptions {
  hostile: Caller;
  /** A folder of the hostile tenant with large contents. */
  archived: string;
  page: Registered;
  /** Whose password it guesses. */
  guessed: Person;
}

const mib = 1024 * 1024;
const asJson = { 'Content-Type': 'application/json' };
/** Of requests that are answered, so many at once. */
const atOnce = 4;

interface HoldOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** Sends all of the body but its last byte, and reads nothing of the answer. */
export function hold(
  caller: Caller,
  path: string,
  { method = 'POST', headers = {}, body }: HoldOptions,
): ClientRequest {
  const { hostname, port } = new URL(caller.base);
  const length = body === undefined ? {} : { 'Content-Length': body.length };
  const sent = { ...identity(caller), ...headers, ...length };
  const outgoing = httpRequest({ hostname, port, path: CONTENT + path, method, headers: sent, agent: false } as object);
  outgoing.on('response', (incoming) => incoming.on('error', () => undefined));
  outgoing.on('error', () => undefined);
  if (body === undefined) outgoing.end();
  else outgoing.write(body.subarray(0, -1));
  return outgoing;
}

/** Nearly a MiB of JSON. */
export const slowJson = Buffer.from(JSON.stringify({ FolderName: 'f', Properties: { a: 'x'.repeat(mib - 100) } }));

/** What it does again and again, as soon as it is answered. */
function toLoops({ hostile, guessed }: AttackOptions, opened: Opened): Record<string, () => Promise<unknown>> {
  return {
    'parked uploads': async () => {
      const created = await createTus(hostile, {
        'Upload-Length': String(2 * mib),
        'Upload-Metadata': toMetadata({ filename: 'p' }),
      });
      await patchTus(hostile, toPath(created), 0, Buffer.alloc(mib, 7));
    },
    'password guesses': () => post(opened, { ...guessed, Password: 'wrong and long enough' }),
    searches: () => call(hostile, '/search?q=a%20b%20c%20d%20quarterly'),
    'searches for parts of words': () => call(hostile, '/search?match=part&q=uart'),
  };
}

function holdAll({ hostile, archived }: AttackOptions): Record<string, ClientRequest[]> {
  const base64 = Buffer.from(JSON.stringify({ filename: Buffer.alloc(6 * mib, 7).toString('base64') }));
  return {
    'slow bodies': [
      ...Array.from({ length: 300 }, () => hold(hostile, '/folders', { headers: asJson, body: slowJson })),
      ...Array.from({ length: 12 }, () =>
        hold(hostile, '/files', { headers: { ...asJson, FileName: 'l' }, body: base64 }),
      ),
    ],
    'slow readers of archives': Array.from({ length: 24 }, () =>
      hold(hostile, `/folders/${archived}/archive`, { method: 'GET' }),
    ),
  };
}

/** Until the signal; what is answered does not matter. Resolves to how much was tried. */
async function attack(options: AttackOptions, opened: Opened, signal: AbortSignal): Promise<Record<string, number>> {
  const held = holdAll(options);
  const tried = Object.fromEntries(Object.entries(held).map(([what, { length }]) => [what, length]));
  const again = async (what: string, one: () => Promise<unknown>) => {
    while (!signal.aborted) {
      tried[what] = (tried[what] ?? 0) + 1;
      await one().catch(() => undefined);
    }
  };
  const loops = Object.entries(toLoops(options, opened));
  await Promise.all(loops.flatMap(([what, one]) => Array.from({ length: atOnce }, () => again(what, one))));
  for (const outgoing of Object.values(held).flat()) outgoing.destroy();
  return tried;
}

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] as string) as AttackOptions;
  const configuration: openid.Configuration = await discover(options.hostile.base, options.page);
  const opened = await openSignIn(configuration);
  const lines = createInterface(process.stdin);
  console.log('ready');
  for (;;) {
    await once(lines, 'line');
    const ending = new AbortController();
    const attacking = attack(options, opened, ending.signal);
    console.log('begun');
    await once(lines, 'line');
    ending.abort();
    console.log(JSON.stringify(await attacking));
  }
}
