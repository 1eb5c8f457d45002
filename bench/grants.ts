// The scenario `grants`: what a read, a save and a page of search cost somebody with a grant beside a member of the space, and whether
// the grants of others cost a member anything. The requests of both take turns, so that noise meets all of them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discover, redirectUri, signIn } from '../test/security/people.ts';
import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours } from './cost.ts';
import type { Options } from './options.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { type Application, askIndex, isInStep, type Service, startService, toEnvironment } from './service.ts';
import { layOut, quantile, show } from './table.ts';

const depth = 10;
const rounds = 300;
const warmUps = 30;
const inFlight = 16;
const grantees = 100;
/** Files in the shared tree that the search finds, beside those of others. */
const sharedFiles = 200;
const maxGrantee = 1.3;
const maxMember = 1.1;
const maxSearch = 2;
const password = 'a long word for the benchmark';

type Kind = 'read' | 'save' | 'search';
type Times = Record<Kind, number>;

export const grants: Scenario = {
  what: 'reads, saves and searches by somebody with a grant beside those of a member, with many grants in the space',
  size: 10_000,
  async run(children, options) {
    const service = await startService(children, options);
    const neighbours = new Neighbours();
    const count = options.size ?? 0;
    const world = await open(children, options, service);
    const before = (await measure(world, ['member'], ['read', 'save'])).member;
    say(`sharing ${count} files`);
    await fill(world, count);
    while (!isInStep(await askIndex(children, options, 'status'))) await sleep(200);
    const { member, grantee } = await measure(world, ['member', 'grantee'], ['read', 'save', 'search']);
    for (const client of Object.values(world.clients)) client.close();
    const rows: [string, number, number, number][] = [
      [`a member reads, ${count} grants beside none`, member.read, before.read, maxMember],
      [`a member saves, ${count} grants beside none`, member.save, before.save, maxMember],
      [`a grantee reads at depth ${depth}, beside a member`, grantee.read, member.read, maxGrantee],
      [`a grantee saves at depth ${depth}, beside a member`, grantee.save, member.save, maxGrantee],
      ['a grantee searches, beside a member', grantee.search, member.search, maxSearch],
    ];
    const conditions = describeConditions(options, [
      `${count} grants to ${grantees} people`,
      `others used ${show(neighbours.percent(), 0)} %`,
    ]);
    const isHeld = rows.every(([, ms, beside, most]) => ms <= most * beside);
    return { markdown: `${conditions}\n\n${toTable(rows)}\n`, isHeld, figures: { before, member, grantee } };
  },
};

interface World {
  clients: Record<'member' | 'grantee' | 'manager', Client>;
  /** The folder at the bottom, and a file in it. */
  folder: string;
  file: string;
}

async function open(children: Children, options: Options, service: Service): Promise<World> {
  const run = (...args: string[]) =>
    children.run({ program: options.program, args: [...args, '--json'], env: toEnvironment(children, options) });
  const scopes = ['--space', 'bench', '--scopes', 'content.read content.write content.admin'];
  const manager = await toOwn(service, (await run('app', 'add', 'manager', ...scopes)) as Application);
  const page = (await run('app', 'add', 'page', '--for-people', '--redirect-uri', redirectUri)) as Application;
  const file = join(children.folder, 'password');
  writeFileSync(file, `${password}\n`);
  const configuration = await discover(service.base, page);
  const enter = async (User: string): Promise<Client> => {
    await run('user', 'add', User, '--password-file', file);
    if (User === 'member') await run('user', 'role', User, 'editor', '--space', 'bench');
    const { access_token: token } = await signIn(configuration, { User, Password: password });
    return new Client({ base: service.base, headers: { Authorization: `Bearer ${token}`, AppKey: page.AppKey } });
  };
  const clients = { manager, member: await enter('member'), grantee: await enter('grantee') };
  const RelativePath = Array.from({ length: depth }, (_, level) => `level ${level + 1}`).join('/');
  await addFolder(manager, { RelativePath });
  const top = await findFolder(manager, '/level 1');
  const folder = await findFolder(manager, `/${RelativePath}`);
  await manager.json(`/entries/${top}/access/user:grantee`, { method: 'PUT', json: { Role: 'editor' } });
  return { clients, folder, file: await save(manager, folder, 'everywhere.txt') };
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

/** Files of one name all over, each shared with somebody else, and some in the tree that is measured. */
async function fill({ clients: { manager }, folder }: World, count: number): Promise<void> {
  const other = await addFolder(manager, { FolderName: 'others' });
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next++;
      const id = await save(manager, other, `everywhere ${index}.txt`);
      const principal = encodeURIComponent(`user:bench:${index % grantees}`);
      await manager.json(`/entries/${id}/access/${principal}`, { method: 'PUT', json: { Role: 'viewer' } });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  for (let index = 0; index < sharedFiles; index += 1) await save(manager, folder, `everywhere shared ${index}.txt`);
}

/** Medians, in milliseconds. */
async function measure(
  { clients, folder, file }: World,
  who: readonly ('member' | 'grantee')[],
  kinds: readonly Kind[],
): Promise<Record<'member' | 'grantee', Times>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const kind of kinds) {
      for (const name of who) {
        const ms = await askOnce(clients[name], kind, {
          folder,
          file,
          name: `${name} ${times.size} ${round} ${who.length}`,
        });
        const key = `${name} ${kind}`;
        if (round >= warmUps) times.set(key, [...(times.get(key) ?? []), ms]);
      }
    }
  }
  const median = (name: string, kind: Kind) =>
    quantile(
      (times.get(`${name} ${kind}`) ?? [0]).toSorted((one, other) => one - other),
      0.5,
    );
  const all = (name: string): Times => ({
    read: median(name, 'read'),
    save: median(name, 'save'),
    search: median(name, 'search'),
  });
  return { member: all('member'), grantee: all('grantee') };
}

async function askOnce(
  client: Client,
  kind: Kind,
  { folder, file, name }: { folder: string; file: string; name: string },
): Promise<number> {
  if (kind === 'read') return (await client.ask(`/files/${file}/content`)).ms;
  if (kind === 'search') return (await client.ask('/search?q=everywhere&limit=20')).ms;
  const headers = { FolderId: folder, FileName: encodeURIComponent(`${name}.bin`), Prefer: 'return=minimal' };
  return (await client.ask('/files', { method: 'POST', headers, body: 'x' })).ms;
}

function toTable(rows: readonly [string, number, number, number][]): string {
  const cells = rows.map(([what, ms, beside, most]) => [
    what,
    ms.toFixed(2),
    beside.toFixed(2),
    (ms / beside).toFixed(2),
    `≤ ${most}: ${ms <= most * beside ? 'holds' : 'missed'}`,
  ]);
  return layOut(['request', 'p50 ms', 'beside, p50 ms', 'ratio', 'promise'], cells);
}
