// Compares links with the model: what a stranger who has one sees by it, and which links each person is shown, in which state.

import { randomBytes } from 'node:crypto';
import { namesIn, same } from './faces.ts';
import type { Link, Model, Node } from './model.ts';
import { outcomeOf, people, type Reply, read, type Space } from './world.ts';

interface Opened {
  Share: { Access: string };
  Folder?: { Id: string };
  Children?: { Id: string }[];
  File?: { Id: string };
}

interface Shown {
  Id: string;
  State: string;
  Url: string | null;
  Downloads: number;
  Uploads: number;
}

/** How many links in which state were compared. */
export const states = new Map<string, number>();

export class LinkFaces {
  readonly #space: Space;
  readonly #model: Model;

  constructor(space: Space, model: Model) {
    this.#space = space;
    this.#model = model;
  }

  /** What each link opens at this moment. */
  async compareStates(): Promise<void> {
    const { links } = this.#model;
    if (links.length === 0) return;
    const unknown = toComparable(await this.#use(randomBytes(32).toString('base64url'), ''));
    await Promise.all(links.map((link) => this.#compareOpened(link, unknown)));
  }

  async compareAll(): Promise<void> {
    const { links } = this.#model;
    if (links.length === 0) return;
    await this.compareStates();
    await Promise.all([
      ...links.map((link) => this.#compareUse(link)),
      ...['app', ...people].map((who) => this.#compareLists(who)),
    ]);
  }

  #use(secret: string, path: string, method = 'GET'): Promise<Reply> {
    return this.#space.place.use(secret, path, { method });
  }

  async #compareOpened(link: Link, unknown: unknown): Promise<void> {
    const { secret, node, access } = link;
    const model = this.#model;
    const state = model.stateOf(link);
    states.set(state, (states.get(state) ?? 0) + 1);
    const what = `the ${state} link to ${node.name} for ${access}`;
    const answer = await this.#use(secret, '');
    if (state !== 'active') return same(toComparable(answer), unknown, what);
    const { Share, Folder, Children, File } = read<Opened>(answer);
    same(Share.Access, access, `access of ${what}`);
    const isFolder = access === 'read' && node.kind === 'folder';
    same(Folder?.Id, isFolder ? node.id : undefined, `folder of ${what}`);
    same(File?.Id, access === 'read' && node.kind === 'file' ? node.id : undefined, `file of ${what}`);
    same(toIds(Children), isFolder ? toIds(model.childrenOf(node)) : undefined, `children by ${what}`);
  }

  async #compareUse(link: Link): Promise<void> {
    const { node, access } = link;
    const model = this.#model;
    if (model.stateOf(link) !== 'active') return;
    await Promise.all(model.nodes.map((one) => this.#compareBeneath(link, one)));
    if (access === 'read' && node.kind === 'folder') await this.#compareArchive(link);
  }

  /** `HEAD` is no download. */
  async #compareBeneath({ secret, node, access }: Link, one: Node): Promise<void> {
    const model = this.#model;
    const isShown = access === 'read' && model.isThere(one) && model.isWithin(one, node);
    const what = `${one.name} by the link to ${node.name}`;
    const isFile = one.kind === 'file';
    const content = await this.#use(secret, `/files/${one.id}/content`, 'HEAD');
    same(content.status, isShown && isFile ? 200 : 404, `content of ${what}`);
    const folder = await this.#use(secret, `/folders/${one.id}`);
    if (access === 'upload') return same(outcomeOf(folder), 'ShareNotFound', what);
    if (!isShown) return same(outcomeOf(folder), 'FolderNotFound', what);
    if (isFile) return same(outcomeOf(folder), 'NotAFolder', what);
    same(toIds(read<Opened>(folder).Children), toIds(model.childrenOf(one)), `children of ${what}`);
  }

  /** A ZIP is a download: of links without a limit alone. */
  async #compareArchive(link: Link): Promise<void> {
    if (link.maxDownloads !== null) return;
    const model = this.#model;
    const { body } = await this.#use(link.secret, '/archive');
    link.downloads += 1;
    const inside = model.nodes.filter(
      (one) => one !== link.node && model.isThere(one) && model.isWithin(one, link.node),
    );
    same((await namesIn(body)).length, inside.length, `archive by the link to ${link.node.name}`);
  }

  async #compareLists(who: string): Promise<void> {
    const model = this.#model;
    const isManager = who === 'app' || model.roles.get(who) === 'manager';
    const isSeen = (node: Node) => model.isThere(node) && (who === 'app' || model.see(node, who) !== null);
    const own = await this.#space.ask(who, '/shares?limit=1000');
    const ofWho = model.links.filter(({ maker }) => maker === who);
    this.#compareShown(who, own, ofWho);
    const headers = { SpaceId: this.#space.id };
    const all = await this.#space.ask(who, '/shares?all=true&limit=1000', { headers });
    if (isManager) this.#compareShown(who, all, model.links);
    else same([403, 404].includes(all.status), true, `${who} lists all links: ${all.status}`);
    for (const link of model.links) {
      const answer = await this.#space.ask(who, `/shares/${link.id}`);
      const mayAsk = isManager || link.maker === who || isSeen(link.node);
      same(outcomeOf(answer), mayAsk ? 'done' : 'ShareNotFound', `${who} asks for the link to ${link.node.name}`);
    }
    for (const node of new Set(model.links.map((link) => link.node))) {
      const answer = await this.#space.ask(who, `/entries/${node.id}/shares?limit=1000`);
      const ofNode = model.links.filter((link) => link.node === node);
      if (isSeen(node)) this.#compareShown(who, answer, ofNode);
      else same(outcomeOf(answer), 'EntryNotFound', `${who} lists links to ${node.name}`);
    }
  }

  /** The newest first. Links that earlier sequences left are listed, too; downloads go on meanwhile. */
  #compareShown(who: string, answer: Reply, expected: readonly Link[]): void {
    const { Shares } = read<{ Shares: Shown[] }>(answer);
    const known = new Set(this.#model.links.map(({ id }) => id));
    const shown = Shares.filter(({ Id }) => known.has(Id));
    same(
      shown.map(({ Id, State, Url, Uploads }) => [Id, State, Url !== null, Uploads]),
      expected.map((link) => [link.id, this.#model.stateOf(link), link.maker === who, link.uploads]).reverse(),
      `${who}: list of links`,
    );
  }

  /** When nobody uses them. */
  async compareCounts(): Promise<void> {
    for (const { id, downloads, uploads } of this.#model.links) {
      const { Share } = read<{ Share: Shown }>(await this.#space.ask('app', `/shares/${id}`));
      same([Share.Downloads, Share.Uploads], [downloads, uploads], `counts of the link ${id}`);
    }
  }
}

/** In any order. */
function toIds(entries: readonly ({ Id: string } | { id: string })[] | undefined): string[] | undefined {
  return entries?.map((entry) => ('Id' in entry ? entry.Id : entry.id)).sort();
}

/** Without what differs from answer to answer. */
function toComparable({ status, headers, body }: Reply): unknown {
  const { date: _, requesttrackingid, ...rest } = headers;
  return { status, rest, body: body.toString().replaceAll(String(requesttrackingid), '') };
}
