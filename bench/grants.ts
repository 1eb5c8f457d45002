// The scenario `grants`: what reads, saves and searches cost a member of a space with many grants, beside the same member in a space
// with as many files and no grants; and what they cost somebody with a grant beside a member. The two of each comparison take turns, in
// one service, so that everything else meets both. Judged is the processor time of a request.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discover, redirectUri, signIn } from '../test/security/people.ts';
import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { type Cost, measureBatch, Neighbours, untilQuiet } from './cost.ts';
import type { Options } from './options.ts';
import { type Scenario, say } from './scenario.ts';
import { type Application, type Service, startService, toEnvironment } from './service.ts';
import { layOut, median, show } from './table.ts';

const kinds = ['read', 'save', 'search'] as const;
type Kind = (typeof kinds)[number];

const depth = 10;
const rounds = 40;
const warmUps = 4;
const perBatch: Record<Kind, number> = { read: 100, save: 20, search: 20 };
const inFlight = 16;
const grantees = 100;
/** Files in the shared tree that the search finds, beside those of others. */
const sharedFiles = 200;
const password = 'a long word for the benchmark';

interface Compared {
  what: string;
  /** One beside the other. */
  costs: [Cost, Cost];
  most: number;
}

export const grants: Scenario = {
  what: 'reads, saves and searches by somebody with a grant beside those of a member, with many grants in the space',
  size: 10_000,
  async run(children, options) {
    const service = await startService(children, options);
    const neighbours = new Neighbours();
    const count = options.size ?? 0;
    const { granted, plain, close } = await open(children, options, service);
    say(`saving ${count} files in each of two spaces, and sharing those of one`);
    // Together, so that neither comes first in the index.
    await Promise.all([fill(plain, count, false), fill(granted, count, true)]);
    await untilQuiet(children, service, options);
    const compared = [
      ...(await compare(service, `a member, ${count} grants in the space beside none`, [granted.member, plain.member], {
        ...{ read: 1.1, save: 1.1, search: 2 },
      })),
      ...(await compare(service, `a grantee at depth ${depth} beside a member`, [granted.grantee, granted.member], {
        ...{ read: 1.3, save: 1.3, search: 2 },
      })),
    ];
    close();
    const others = `others used ${show(neighbours.percent(), 0)} %`;
    const conditions = describeConditions(options, [`${count} grants to ${grantees} people`, others]);
    const isHeld = compared.every((one) => toRatio(one) <= one.most);
    return { markdown: `${conditions}\n\n${toTable(compared)}\n`, isHeld, figures: { compared } };
  },
};

/** Somebody in a space: the folder at the bottom of a tree, and a file in it. */
interface Place {
  client: Client;
  spaceId: string;
  folder: string;
  file: string;
  name: string;
}

interface Space {
  manager: Client;
  /** The folder at the bottom. */
  folder: string;
  member: Place;
  grantee: Place;
}

interface Ground {
  granted: Space;
  plain: Space;
  close(): void;
}

async function open(children: Children, options: Options, service: Service): Promise<Ground> {
  const run = (...args: string[]) =>
    children.run({ program: options.program, args: [...args, '--json'], env: toEnvironment(children, options) });
  const page = (await run('app', 'add', 'page', '--for-people', '--redirect-uri', redirectUri)) as Application;
  const file = join(children.folder, 'password');
  writeFileSync(file, `${password}\n`);
  const configuration = await discover(service.base, page);
  const scopes = ['--scopes', 'content.read content.write content.admin'];
  const names = ['granted', 'plain'];
  const applications: Application[] = [];
  for (const name of names) applications.push((await run('app', 'add', name, ...scopes)) as Application);
  const enter = async (User: string): Promise<Client> => {
    await run('user', 'add', User, '--password-file', file);
    if (User === 'member') for (const name of names) await run('user', 'role', User, 'editor', '--space', name);
    const { access_token: token } = await signIn(configuration, { User, Password: password });
    return new Client({ base: service.base, headers: { Authorization: `Bearer ${token}`, AppKey: page.AppKey } });
  };
  const clients = { member: await enter('member'), grantee: await enter('grantee') };
  const spaces: Space[] = [];
  for (const application of applications) spaces.push(await makeSpace(await toOwn(service, application), clients));
  const [granted, plain] = spaces as [Space, Space];
  const all = [...Object.values(clients), granted.manager, plain.manager];
  const close = () => {
    for (const client of all) client.close();
  };
  return { granted, plain, close };
}

async function makeSpace(manager: Client, clients: { member: Client; grantee: Client }): Promise<Space> {
  const RelativePath = Array.from({ length: depth }, (_, level) => `level ${level + 1}`).join('/');
  await addFolder(manager, { RelativePath });
  const folder = await findFolder(manager, `/${RelativePath}`);
  const { Spaces } = await manager.json<{ Spaces: { Id: string }[] }>('/spaces');
  const place = { spaceId: Spaces[0]?.Id ?? '', folder, file: await save(manager, folder, 'everywhere.txt') };
  const member = { ...place, client: clients.member, name: 'member' };
  return { manager, folder, member, grantee: { ...place, client: clients.grantee, name: 'grantee' } };
}

async function toOwn(service: Service, { AppKey, Secret }: Application): Promise<Client> {
  const basic = Buffer.from(`${AppKey}:${Secret}`).toString('base64');
  const headers = { Authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'grant_type=client_credentials';
  const answer = await fetch(`${service.base}/oauth2/token`, { method: 'POST', headers, body });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return new Client({ base: service.base, headers: { Authorization: `Bearer ${token}`, AppKey } });
}

type Shown = { Folder: { Id: string }; Children: { Id: string }[] };

async function addFolder(client: Client, json: object): Promise<string> {
  return (await client.json<Shown>('/folders', { method: 'POST', json })).Folder.Id;
}

async function findFolder(client: Client, path: string): Promise<string> {
  return (await client.json<Shown>(`/folders?path=${encodeURIComponent(path)}`)).Folder.Id;
}

async function save(client: Client, folder: string, name: string): Promise<string> {
  const headers = { FolderId: folder, FileName: encodeURIComponent(name), Prefer: 'return=minimal' };
  const { body } = await client.ask('/files', { method: 'POST', headers, body: 'x' });
  return (JSON.parse(body.toString()) as Shown).Children[0]?.Id ?? '';
}

/** Files of one name all over, in one space each shared with somebody; and some in the tree that is measured, shared with the grantee. */
async function fill({ manager, folder }: Space, count: number, isShared: boolean): Promise<void> {
  const other = await addFolder(manager, { FolderName: 'others' });
  const grant = (id: string, name: string, Role: string) =>
    manager.json(`/entries/${id}/access/${encodeURIComponent(`user:${name}`)}`, { method: 'PUT', json: { Role } });
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next++;
      const id = await save(manager, other, `everywhere ${index}.txt`);
      if (isShared) await grant(id, `bench:${index % grantees}`, 'viewer');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  for (let index = 0; index < sharedFiles; index += 1) await save(manager, folder, `everywhere shared ${index}.txt`);
  if (isShared) await grant(await findFolder(manager, '/level 1'), 'grantee', 'editor');
}

/** By kind of request. Who begins alternates. */
async function compare(
  { pid }: Service,
  what: string,
  places: [Place, Place],
  most: Record<Kind, number>,
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const kind of kinds) {
    const batches: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < warmUps + rounds; round += 1) {
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const requests = Array.from(
          { length: perBatch[kind] },
          (_, index) => () => askOnce(places[which], kind, `${kind} ${what} ${which} ${round} ${index}`),
        );
        const cost = await measureBatch(pid, requests, 1);
        if (round >= warmUps) batches[which].push(cost);
      }
    }
    compared.push({ what: `${kind}: ${what}`, costs: [toMedian(batches[0]), toMedian(batches[1])], most: most[kind] });
  }
  return compared;
}

function toMedian(batches: readonly Cost[]): Cost {
  const spent = batches.flatMap(({ cpuMicros }) => (cpuMicros === null ? [] : [cpuMicros]));
  return { ms: median(batches.map(({ ms }) => ms)), cpuMicros: spent.length === 0 ? null : median(spent) };
}

async function askOnce({ client, spaceId, folder, file }: Place, kind: Kind, name: string): Promise<number> {
  if (kind === 'read') return (await client.ask(`/files/${file}/content`)).ms;
  if (kind === 'search') {
    return (await client.ask('/search?q=everywhere&limit=20', { headers: { SpaceId: spaceId } })).ms;
  }
  const headers = { FolderId: folder, FileName: encodeURIComponent(`${name}.bin`), Prefer: 'return=minimal' };
  return (await client.ask('/files', { method: 'POST', headers, body: 'x' })).ms;
}

/** Of the processor time; of the time where that is not known. */
function toRatio({ costs: [one, other] }: Compared): number {
  return one.cpuMicros === null || other.cpuMicros === null ? one.ms / other.ms : one.cpuMicros / other.cpuMicros;
}

function toTable(compared: readonly Compared[]): string {
  const cells = compared.map((line) => {
    const [one, other] = line.costs;
    const isHeld = toRatio(line) <= line.most;
    return [
      line.what,
      ...[show(one.cpuMicros, 0), show(other.cpuMicros, 0), toRatio(line).toFixed(2)],
      ...[one.ms.toFixed(2), other.ms.toFixed(2), `≤ ${line.most}: ${isHeld ? 'holds' : 'missed'}`],
    ];
  });
  return layOut(['request', 'CPU µs', 'beside', 'ratio', 'p50 ms', 'beside', 'promise'], cells);
}
