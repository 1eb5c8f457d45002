// What people do with links, and strangers by them: links are made, changed and revoked; files are downloaded and sent without any
// credentials. The outcome must be the model's.

import type fc from 'fast-check';
import { type Act, act, folders, isDone, pick, pickFor, type Sequence, see } from './act.ts';
import { same } from './faces.ts';
import type { Link, LinkAccess, Model, Node } from './model.ts';
import { people, type Reply, read } from './world.ts';

const maxLinks = 5;

interface Shown {
  Share: { Id: string; Url: string | null; State: string };
}

/** Mostly one that works, or that has this access. */
function pickLink(model: Model, number: number, access: LinkAccess | null = null): Link | undefined {
  const wanted = model.links.filter((link) => access === null || link.access === access);
  const working = wanted.filter((link) => model.stateOf(link) === 'active');
  const some = number % 2 === 0 ? model.links : working.length > 0 ? working : wanted;
  return some[number % Math.max(some.length, 1)];
}

/** Mostly somebody who may make links somewhere. */
function pickMaker(model: Model, who: string, number: number): string {
  if (number % 4 === 0) return who;
  const makers = people.filter((person) => model.nodes.some((node) => model.see(node, person)?.role === 'editor'));
  return pick(['app', ...makers, ...makers], number) ?? who;
}

export const make = act('make a link', async ({ space, model }, { who: some, number, target }) => {
  const who = pickMaker(model, some, number);
  const access: LinkAccess = target % 3 === 0 ? 'upload' : 'read';
  const nodes = access === 'upload' && target % 2 === 0 ? folders(model) : model.nodes;
  const node = pickFor(model, who, nodes, target);
  if (node === undefined || model.links.length >= maxLinks) return;
  const maxDownloads = access === 'read' && target % 4 === 1 ? 1 + (target % 2) : null;
  const fields = { Access: access, ...(maxDownloads !== null && { MaxDownloads: maxDownloads }) };
  const view = see(model, node, who);
  const allowed = access === 'upload' && node.kind === 'file' ? 'NotAFolder' : 'done';
  const expected = view === null ? 'EntryNotFound' : view.role === 'editor' ? allowed : 'Forbidden';
  const answer = await space.json(who, 'POST', `/entries/${node.id}/shares`, fields);
  if (!isDone(answer, [expected], `${who} makes a link to ${node.name} for ${access}`)) return;
  const { Share } = read<Shown>(answer);
  const secret = String(Share.Url).split('/').at(-1) ?? '';
  model.links.push({ id: Share.Id, secret, node, maker: who, access, maxDownloads, ...unused() });
});

const unused = () => ({ downloads: 0, uploads: 0, begun: new Set<Node>(), isRevoked: false });

/** Null: the person may change and revoke it. */
function refuseChange(model: Model, link: Link, who: string): string | null {
  if (link.maker === who || who === 'app' || model.roles.get(who) === 'manager') return null;
  return see(model, link.node, who) === null ? 'ShareNotFound' : 'Forbidden';
}

function refuseAccess(model: Model, { access, node }: Link, wanted: LinkAccess | undefined): string | null {
  if (wanted === undefined || wanted === access || wanted === 'read') return null;
  if (!model.isThere(node)) return 'EntryNotFound';
  return node.kind === 'file' ? 'NotAFolder' : null;
}

const change = act('change a link', async ({ space, model }, { who: some, number, target }) => {
  const link = pick(model.links, number);
  if (link === undefined) return;
  const who = target % 3 === 0 ? some : link.maker;
  const Access = ([undefined, 'read', 'upload', undefined] as const)[target % 4];
  const MaxDownloads = ([undefined, null, link.downloads + 1, Math.max(1, link.downloads)] as const)[number % 4];
  const isCombined = (Access ?? link.access) === 'read' || (MaxDownloads ?? link.maxDownloads) === null;
  const isLimited = MaxDownloads === undefined ? link.maxDownloads !== null : MaxDownloads !== null;
  const isAllowed = isCombined || !isLimited;
  const refused = refuseChange(model, link, who) ?? (link.isRevoked ? 'Forbidden' : refuseAccess(model, link, Access));
  const answer = await space.json(who, 'PATCH', `/shares/${link.id}`, { Access, MaxDownloads });
  const expected = refused ?? (isAllowed ? 'done' : 'InvalidField');
  if (!isDone(answer, [expected], `${who} changes the link to ${link.node.name}: ${Access}, ${MaxDownloads}`)) return;
  if (Access !== undefined) link.access = Access;
  if (MaxDownloads !== undefined) link.maxDownloads = MaxDownloads;
  same(read<Shown>(answer).Share.State, model.stateOf(link), `state of the changed link to ${link.node.name}`);
});

const revoke = act('revoke a link', async ({ space, model }, { who: some, number, target }) => {
  const link = pick(model.links, number);
  if (link === undefined) return;
  const who = target % 3 === 0 ? some : link.maker;
  const answer = await space.ask(who, `/shares/${link.id}`, { method: 'DELETE' });
  const expected = refuseChange(model, link, who) ?? 'done';
  if (isDone(answer, [expected], `${who} revokes the link to ${link.node.name}`)) link.isRevoked = true;
});

/** Mostly one that the link shows. */
function pickBeneath(model: Model, link: Link, number: number): Node | undefined {
  const files = model.nodes.filter(({ kind }) => kind === 'file');
  const beneath = files.filter((file) => model.isThere(file) && model.isWithin(file, link.node));
  return pick(beneath.length === 0 || number % 4 === 0 ? files : beneath, number);
}

const download = act('download by a link', async ({ space, model }, { number, target }) => {
  const link = pickLink(model, number, 'read');
  const file = link && pickBeneath(model, link, target);
  if (link === undefined || file === undefined) return;
  const isUsable = model.stateOf(link) === 'active' && link.access === 'read';
  const isShown = model.isThere(file) && model.isWithin(file, link.node);
  const expected = isUsable ? (isShown ? 'done' : 'FileNotFound') : 'ShareNotFound';
  const answer = await space.place.use(link.secret, `/files/${file.id}/content`);
  if (!isDone(answer, [expected], `a stranger downloads ${file.name} by the link to ${link.node.name}`)) return;
  link.downloads += 1;
  link.begun.add(file);
});

const resume = act('resume by a link', async ({ space, model }, { number, target }) => {
  const link = pick(model.links, number);
  const file = link && (target % 2 === 0 ? [...link.begun][0] : pickBeneath(model, link, target));
  if (link === undefined || file === undefined) return;
  const state = model.stateOf(link);
  const isResumed = state === 'exhausted' && link.begun.has(file) && model.isSupported(link);
  const isShown = model.isThere(file) && model.isWithin(file, link.node) && link.access === 'read';
  const headers = { Range: 'bytes=1-' };
  const { status, body } = await space.place.use(link.secret, `/files/${file.id}/content`, { headers });
  const expected = isShown && (state === 'active' || isResumed) ? 206 : 404;
  same(status, expected, `a stranger resumes ${file.name} by the ${state} link to ${link.node.name}: ${body}`);
});

const archive = act('archive by a link', async ({ space, model }, { number }) => {
  const link = pickLink(model, number, 'read');
  if (link === undefined) return;
  const isUsable = model.stateOf(link) === 'active' && link.access === 'read';
  const answer = await space.place.use(link.secret, '/archive');
  const what = `a stranger archives the link to ${link.node.name}`;
  if (isDone(answer, [isUsable ? 'done' : 'ShareNotFound'], what)) link.downloads += 1;
});

function freeName(model: Model, folder: Node, name: string): string {
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name} (${n})`;
    if (!model.isTaken(folder, free)) return free;
  }
}

const upload = act('send by a link', async ({ space, model }, { number, name }) => {
  const link = pickLink(model, number, 'upload');
  if (link === undefined) return;
  const headers = { FileName: encodeURIComponent(name), 'Content-Type': 'text/plain' };
  const request = { method: 'POST', headers, body: 'sent by a link' };
  const answer: Reply = await space.place.use(link.secret, '/files', request);
  const allowed = link.access === 'upload' ? 'done' : 'Forbidden';
  const expected = model.stateOf(link) === 'active' ? allowed : 'ShareNotFound';
  if (!isDone(answer, [expected], `a stranger sends ${name} by the link to ${link.node.name}`)) return;
  const { Name } = read<{ Name: string }>(answer);
  same(Name, freeName(model, link.node, name), `the name of what was sent to ${link.node.name}`);
  link.uploads += 1;
  await learnSent({ space, model }, link, Name);
});

type Listed = { Children: { Id: string; Name: string; CreatedBy: string }[] };

/** Whoever sends a file does not learn its id. */
async function learnSent({ space, model }: Pick<Sequence, 'space' | 'model'>, link: Link, name: string): Promise<void> {
  const { Children } = read<Listed>(await space.ask('app', `/folders/${link.node.id}?limit=1000`));
  const sent = Children.find(({ Name }) => Name === name);
  same(sent?.CreatedBy, `share:${link.id}`, `who sent ${name}`);
  model.add(sent?.Id ?? '', 'file', name, link.node);
}

export const linkActs: readonly [number, fc.Arbitrary<Act>][] = [
  [10, make],
  [3, change],
  [2, revoke],
  [4, download],
  [2, resume],
  [2, archive],
  [4, upload],
];
