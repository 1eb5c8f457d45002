// Compares what a person sees on each face with the model: REST (records, folders, paths, search, changes, trash, archive, access, what
// is shared with me), WebDAV and MCP.

import assert from 'node:assert/strict';
import { readZip } from '../../../src/archive/zip-reader-for-tests.ts';
import type { Model, Node, View } from './model.ts';
import { type Reply, read, type Space } from './world.ts';

export const tally = { comparisons: 0 };
/** Every name has it, so that a search for it finds all. */
export const commonWord = 'alpha';

interface Entry {
  Id: string;
  Name: string;
  Type: string;
}

export function same<Value>(found: Value, expected: Value, what: string): void {
  tally.comparisons += 1;
  assert.deepEqual(found, expected, what);
}

const sorted = (some: Iterable<string>) => [...some].sort();
const ids = (nodes: readonly Node[]) => sorted(nodes.map(({ id }) => id));

export class Faces {
  readonly #space: Space;
  readonly #model: Model;

  constructor(space: Space, model: Model) {
    this.#space = space;
    this.#model = model;
  }

  async compareAll(who: string): Promise<void> {
    await Promise.all([
      this.#compareRecords(who),
      this.#compareFolders(who),
      this.#compareSearch(who),
      this.#compareTrash(who),
      this.#compareShared(who),
      this.#compareArchive(who),
      this.#compareAccess(who),
      this.#compareSnapshot(who),
      this.#compareDav(who),
      this.#compareMcp(who),
      this.#compareSpaces(who),
    ]);
  }

  #see(node: Node, who: string): View | null {
    return this.#model.see(node, who);
  }

  async #compareRecords(who: string): Promise<void> {
    for (const node of this.#model.nodes) {
      const view = this.#see(node, who);
      const answer = await this.#space.ask(who, `/entries/${node.id}`);
      same(answer.status, view === null ? 404 : 200, `${who} GET /entries of ${node.name}`);
      if (view === null) continue;
      same(read<{ Path: string }>(answer).Path, view.path, `${who}: path of ${node.name}`);
      if (node.kind !== 'file') continue;
      same((await this.#space.ask(who, `/files/${node.id}/content`)).status, 200, `${who}: content of ${node.name}`);
    }
    for (const node of this.#model.nodes.filter((one) => one.kind === 'file' && this.#see(one, who) === null)) {
      same((await this.#space.ask(who, `/files/${node.id}/content`)).status, 404, `${who}: content of ${node.name}`);
      same((await this.#space.ask(who, `/files/${node.id}/versions`)).status, 404, `${who}: versions of ${node.name}`);
    }
  }

  async #compareFolders(who: string): Promise<void> {
    const model = this.#model;
    for (const node of model.nodes.filter(({ kind }) => kind === 'folder')) {
      const answer = await this.#space.ask(who, `/folders/${node.id}`);
      const isSeen = this.#see(node, who) !== null;
      same(answer.status, isSeen ? 200 : 404, `${who} GET /folders of ${node.name}`);
      if (!isSeen) continue;
      const { Children } = read<{ Children: Entry[] }>(answer);
      same(sorted(Children.map(({ Id }) => Id)), ids(model.childrenOf(node)), `${who}: children of ${node.name}`);
      same(answer.headers.childcount, String(Children.length), `${who}: how many are in ${node.name}`);
    }
    const root = await this.#space.ask(who, '/folders/-root-');
    const expected = model.roles.has(who) ? [200] : [403, 404];
    same(expected.includes(root.status), true, `${who}: -root- is ${root.status}`);
    same((await this.#space.ask(who, `/folders/${this.#space.rootId}`)).status, model.roles.has(who) ? 200 : 404, who);
  }

  /** The index follows later: nothing else may be found, and all of it once the index has caught up (`compareFound`). */
  async #compareSearch(who: string): Promise<void> {
    const seen = new Set(ids(this.#model.seenBy(who)));
    for (const id of await this.search(who, '')) same(seen.has(id), true, `${who} finds ${id}`);
  }

  async compareFound(who: string): Promise<void> {
    same(sorted(await this.search(who, '&limit=2')), ids(this.#model.seenBy(who)), `${who} searches`);
    const folder = this.#model.seenBy(who).find(({ kind }) => kind === 'folder');
    if (folder === undefined) return;
    const inside = this.#model.seenBy(who).filter((node) => node !== folder && this.#model.isWithin(node, folder));
    same(sorted(await this.search(who, `&folder=${folder.id}`)), ids(inside), `${who} searches in ${folder.name}`);
  }

  /** The ids, over all pages. Somebody who sees nothing of the space has none. */
  async search(who: string, more: string): Promise<string[]> {
    const found: string[] = [];
    for (let path: string | null = `/search?q=${commonWord}${more}`; path !== null; ) {
      const answer: Reply = await this.#space.ask(who, path);
      if (this.#isOutside(who, answer)) return [];
      const { Results } = read<{ Results: { Entry: Entry; Path: string }[] }>(answer);
      for (const { Entry, Path } of Results) {
        found.push(Entry.Id);
        const node = this.#model.nodes.find(({ id }) => id === Entry.Id);
        const view = node === undefined ? null : this.#see(node, who);
        if (view !== null) same(Path, view.path, `${who}: path of what is found`);
      }
      path = toNext(answer);
    }
    return found;
  }

  /** Whether the person has a role in the space, or some grant on what has not been removed. */
  #isInside(who: string): boolean {
    return who === 'app' || this.#model.roles.has(who) || this.#model.isGuest(who);
  }

  /** For whom nothing is shared there is no such space. While what was shared is being removed for good, there is one for a moment,
   *  in which nothing is. */
  #isOutside(who: string, { status, body }: Reply): boolean {
    tally.comparisons += 1;
    if (this.#isInside(who)) {
      assert.notEqual(status, 404, `${who} does not see the space: ${body}`);
      return false;
    }
    for (const { id } of this.#model.nodes) assert.ok(!body.includes(id), `${who} is shown ${id}: ${body}`);
    return true;
  }

  async #compareTrash(who: string): Promise<void> {
    const answer = await this.#space.ask(who, '/trash?limit=1000');
    if (this.#isOutside(who, answer)) return;
    const { Entries } = read<{ Entries: { Entry: Entry; Path: string }[] }>(answer);
    const expected = this.#model.nodes.filter((node) => node.isTrashTop && this.#model.see(node, who, true) !== null);
    same(sorted(Entries.map(({ Entry }) => Entry.Id)), ids(expected), `${who}: trash`);
    if (this.#model.roles.has(who)) return;
    for (const { Entry, Path } of Entries) {
      const node = expected.find(({ id }) => id === Entry.Id);
      same(Path, node && this.#model.see(node, who, true)?.path, `${who}: path of ${Entry.Name} in the trash`);
    }
  }

  async #compareShared(who: string): Promise<void> {
    type Shared = { Entry: Entry; Role: string; Space: { Id: string } };
    const { Entries } = read<{ Entries: Shared[] }>(await this.#space.ask(who, '/shared-with-me?limit=1000'));
    const here = Entries.filter(({ Space }) => Space.Id === this.#space.id);
    const expected = this.#model.nodes
      .filter((node) => this.#model.isThere(node) && this.#model.grantOn(node, who) !== null)
      .map((node) => `${node.id} ${this.#model.grantOn(node, who)}`);
    same(sorted(here.map(({ Entry, Role }) => `${Entry.Id} ${Role}`)), sorted(expected), `${who}: shared with me`);
  }

  async #compareArchive(who: string): Promise<void> {
    const model = this.#model;
    const folders = model.nodes.filter(({ kind }) => kind === 'folder');
    const folder = folders[tally.comparisons % folders.length];
    if (folder === undefined) return;
    const answer = await this.#space.ask(who, `/folders/${folder.id}/archive`);
    const isSeen = this.#see(folder, who) !== null;
    same(answer.status, isSeen ? 200 : 404, `${who}: archive of ${folder.name}`);
    if (isSeen) {
      const inside = model.nodes.filter(
        (node) => node !== folder && model.isThere(node) && model.isWithin(node, folder),
      );
      same((await namesIn(answer.body)).length, inside.length, `${who}: archive of ${folder.name}`);
    }
    const some = model.nodes.filter((_, index) => (index + tally.comparisons) % 3 === 0).slice(0, 5);
    const selection = await this.#space.json(who, 'POST', '/archive', { EntryIds: some.map(({ id }) => id) });
    const isAllSeen = some.every((node) => this.#see(node, who) !== null);
    if (some.length > 0) same(selection.status, isAllSeen ? 200 : 404, `${who}: archive of a selection`);
  }

  async #compareAccess(who: string): Promise<void> {
    const model = this.#model;
    const node = model.nodes[tally.comparisons % model.nodes.length] as Node;
    const answer = await this.#space.ask(who, `/entries/${node.id}/access?limit=1000`);
    const isSeen = this.#see(node, who) !== null;
    same(answer.status, isSeen ? 200 : 404, `${who}: access of ${node.name}`);
    if (!isSeen) return;
    type Line = { Principal: string; Role: string; From: { Id: string; Path: string } | 'space' };
    const { Access } = read<{ Access: Line[] }>(answer);
    const own = model.roles.has(who) ? null : model.principalsOf(who);
    const expected = model
      .wayOf(node)
      .flatMap((step) =>
        [...step.grants]
          .filter(([principal]) => own === null || own.includes(principal))
          .map(([principal, role]) => `${principal} ${role} ${step.id} ${this.#see(step, who)?.path}`),
      );
    if (own === null) for (const [person, role] of model.roles) expected.push(`user:${person} ${role} space`);
    const lines = Access.map(({ Principal, Role, From }) =>
      From === 'space' ? `${Principal} ${Role} space` : `${Principal} ${Role} ${From.Id} ${From.Path}`,
    );
    same(sorted(lines), sorted(expected), `${who}: access of ${node.name}`);
  }

  async #compareSnapshot(who: string): Promise<void> {
    if (this.#isOutside(who, await this.#space.ask(who, '/changes?from=snapshot'))) return;
    const shown = new Set<string>();
    for (let query = 'from=snapshot&limit=3'; ; ) {
      type Page = { Changes: { EntryId: string; Entry?: Entry; ParentFolderId?: string }[]; Cursor: string };
      const { Changes, Cursor } = read<Page>(await this.#space.ask(who, `/changes?${query}`));
      if (Changes.length === 0) break;
      for (const { EntryId, Entry, ParentFolderId } of Changes) {
        if (this.#isUnreachable(who, EntryId)) continue;
        if (Entry === undefined) shown.delete(EntryId);
        else shown.add(EntryId);
        this.#compareFolderOf(who, EntryId, ParentFolderId);
      }
      query = `cursor=${encodeURIComponent(Cursor)}&limit=3`;
    }
    const expected = this.#model.nodes.filter((node) => this.#model.see(node, who, true) !== null);
    same(sorted(shown), ids(expected), `${who}: snapshot`);
  }

  /** A member is also shown what is being removed for good, beneath folders that are gone: it does not reach the root. */
  #isUnreachable(who: string, id: string): boolean {
    const node = this.#model.nodes.find((one) => one.id === id);
    return node === undefined ? this.#model.roles.has(who) : node.isRemoved && this.#model.roles.has(who);
  }

  /** The folder of an entry is named only to somebody who sees it. */
  #compareFolderOf(who: string, id: string, folder: string | undefined): void {
    if (folder === undefined || folder === this.#space.rootId) return;
    const parent = this.#model.nodes.find((node) => node.id === folder);
    same(parent !== undefined && this.#model.see(parent, who, true) !== null, true, `${who}: folder of ${id}`);
  }

  async #compareSpaces(who: string): Promise<void> {
    const { Spaces } = read<{ Spaces: { Id: string }[] }>(await this.#space.ask(who, '/spaces'));
    same(
      Spaces.some(({ Id }) => Id === this.#space.id),
      this.#model.roles.has(who),
      `${who}: spaces`,
    );
    if (this.#model.roles.has(who)) return;
    const refused = this.#isInside(who) ? [403] : [403, 404];
    for (const path of ['/users', '/applications', '/usage', '/audit', '/groups']) {
      same(refused.includes((await this.#space.ask(who, path)).status), true, `${who} GET ${path}`);
    }
  }

  async #compareDav(who: string): Promise<void> {
    const model = this.#model;
    const isMember = model.roles.has(who);
    const start = isMember ? `${this.#space.name}/${model.top.name}` : this.#space.name;
    const answer = await this.#propfind(who, start);
    if (this.#isOutside(who, answer)) return;
    const found: string[] = [];
    await this.#walkDav(who, start, found);
    const seen = model.seenBy(who).filter((node) => !isMember || node !== model.top);
    // Tops of one name are numbered.
    const depthOf = (path: string) => path.split('/').length - 1;
    const expected = seen.map((node) => depthOf(this.#see(node, who)?.path ?? '') - (isMember ? 1 : 0));
    const begin = depthOf(`/${start}`);
    same(
      found.map((href) => depthOf(href) - begin).sort(),
      expected.sort(),
      `${who}: tree over WebDAV: ${found.join(', ')}`,
    );
  }

  async #walkDav(who: string, path: string, found: string[]): Promise<void> {
    const { status, body } = await this.#propfind(who, path);
    same(status, 207, `${who} PROPFIND ${path}`);
    const [, ...members] = body.toString().split('<D:response>').slice(1);
    for (const member of members) {
      const [, href = ''] = /<D:href>([^<]*)<\/D:href>/.exec(member) ?? [];
      const inner = decodeURIComponent(href.replace(/^.*\/dav\//, '').replace(/\/$/, ''));
      found.push(`/${inner}`);
      if (member.includes('<D:collection')) await this.#walkDav(who, inner, found);
    }
  }

  #propfind(who: string, path: string): Promise<Reply> {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const body = '<D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/></D:prop></D:propfind>';
    const { place } = this.#space;
    return place.send(this.#space.callerOf(who), `/dav/${encoded}`, {
      method: 'PROPFIND',
      headers: { Depth: '1' },
      body,
    });
  }

  async #compareMcp(who: string): Promise<void> {
    const model = this.#model;
    const node = model.nodes[(tally.comparisons * 7) % model.nodes.length] as Node;
    const view = this.#see(node, who);
    const shown = await this.#callTool<{ Path: string }>(who, 'get_entry', { entryId: node.id });
    same(shown?.Path ?? null, view?.path ?? null, `${who}: get_entry of ${node.name}`);
    if (node.kind === 'folder') {
      const listed = await this.#callTool<{ Children: Entry[] }>(who, 'list_folder', { folderId: node.id });
      const children = view === null ? null : ids(model.childrenOf(node));
      same(listed && sorted(listed.Children.map(({ Id }) => Id)), children, `${who}: list_folder of ${node.name}`);
    } else {
      const text = await this.#callTool<object>(who, 'read_text', { entryId: node.id });
      same(text !== null, view !== null, `${who}: read_text of ${node.name}`);
    }
    const args = { query: commonWord, spaceId: this.#space.id };
    const found = await this.#callTool<{ Results: { Entry: Entry }[] }>(who, 'search', args);
    const seen = new Set(ids(model.seenBy(who)));
    for (const { Entry } of found?.Results ?? []) same(seen.has(Entry.Id), true, `${who} finds ${Entry.Name} over MCP`);
  }

  /** Null: refused. */
  async #callTool<Result>(who: string, name: string, args: object): Promise<Result | null> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'grants-model', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta: meta, name, arguments: args };
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const answer = await this.#space.place.send(this.#space.callerOf(who), '/mcp', { method: 'POST', headers, body });
    const { result } = read<{ result: { isError: boolean; structuredContent: Result; content: unknown } }>(answer);
    assert.ok(result !== undefined, answer.body.toString());
    if (result.isError) assert.match(JSON.stringify(result.content), /NotFound|Forbidden/, `${name} ${answer.body}`);
    return result.isError ? null : result.structuredContent;
  }
}

function toNext({ headers }: Reply): string | null {
  const [, link] = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? '')) ?? [];
  if (link === undefined) return null;
  const { pathname, search } = new URL(link);
  return (pathname + search).replace('/v1/contentmanagement', '');
}

export async function namesIn(body: Buffer): Promise<string[]> {
  async function* whole() {
    yield body;
  }
  return (await readZip(whole(), () => undefined)).entries.map(({ name }) => name);
}
