// What grants mean, in the simplest form: a tree in memory, the roles in the space, the groups, and who was granted what. Everything
// is computed anew by walking up the tree; nothing is kept that could be out of date.

export type GrantRole = 'viewer' | 'editor';
export type SpaceRole = GrantRole | 'manager';
export type Kind = 'folder' | 'file';

export interface Node {
  id: string;
  kind: Kind;
  name: string;
  /** Null: it is the top folder, or the top of a tree in the trash. */
  parent: Node | null;
  /** Of the top of a tree in the trash: the folder where it was. */
  former: Node | null;
  /** All folders that it has left. */
  left: Set<Node>;
  isTrashTop: boolean;
  isRemoved: boolean;
  /** By principal: `user:ann` or `group:one`. */
  grants: Map<string, GrantRole>;
}

export type LinkAccess = 'read' | 'upload';
export type LinkState = 'active' | 'exhausted' | 'suspended' | 'revoked';

export interface Link {
  id: string;
  secret: string;
  node: Node;
  /** A person, or `app`. */
  maker: string;
  access: LinkAccess;
  maxDownloads: number | null;
  downloads: number;
  uploads: number;
  /** Files whose download was begun. */
  begun: Set<Node>;
  isRevoked: boolean;
}

export interface View {
  role: GrantRole;
  /** The role in the folder that contains the entry; null: that folder is not visible. */
  parentRole: GrantRole | null;
  path: string;
}

export class Model {
  readonly top: Node;
  readonly nodes: Node[] = [];
  readonly roles = new Map<string, SpaceRole>();
  readonly groups = new Map<string, Set<string>>();
  readonly links: Link[] = [];

  constructor(id: string, name: string) {
    this.top = this.add(id, 'folder', name, null);
  }

  add(id: string, kind: Kind, name: string, parent: Node | null): Node {
    const state = { former: null, isTrashTop: false, isRemoved: false, grants: new Map<string, GrantRole>() };
    const node: Node = { id, kind, name, parent, left: new Set(), ...state };
    this.nodes.push(node);
    return node;
  }

  childrenOf(folder: Node): Node[] {
    return this.nodes.filter(({ parent, isRemoved }) => parent === folder && !isRemoved);
  }

  isTaken(folder: Node, name: string, except: Node | null = null): boolean {
    return this.childrenOf(folder).some((node) => node !== except && node.name === name);
  }

  /** The node, and all that are above it, also beyond the trash. */
  wayOf(node: Node): Node[] {
    const way = [node];
    for (let at: Node = node; ; ) {
      const next: Node | null = at.isTrashTop ? at.former : at.parent;
      if (next === null || next.isRemoved) return way;
      way.push(next);
      at = next;
    }
  }

  isWithin(node: Node, folder: Node): boolean {
    for (let at: Node | null = node; at !== null; at = at.parent) if (at === folder) return true;
    return false;
  }

  isTrashed(node: Node): boolean {
    for (let at: Node | null = node; at !== null; at = at.parent) if (at.isTrashTop) return true;
    return false;
  }

  isThere(node: Node): boolean {
    return !node.isRemoved && !this.isTrashed(node);
  }

  principalsOf(person: string): string[] {
    const groups = [...this.groups].filter(([, members]) => members.has(person)).map(([name]) => `group:${name}`);
    return [`user:${person}`, ...groups];
  }

  grantOn(node: Node, person: string): GrantRole | null {
    const roles = this.principalsOf(person).map((principal) => node.grants.get(principal));
    if (roles.includes('editor')) return 'editor';
    return roles.includes('viewer') ? 'viewer' : null;
  }

  /** Null: the person does not see it. `isTrashMeant`: also what is in the trash. */
  see(node: Node, person: string, isTrashMeant = false): View | null {
    if (node.isRemoved || (this.isTrashed(node) && !isTrashMeant)) return null;
    const way = this.wayOf(node);
    const role = this.roles.get(person);
    const granted = way.map((step) => this.grantOn(step, person));
    const highest = (some: readonly (GrantRole | null)[]) =>
      some.includes('editor') ? 'editor' : some.includes('viewer') ? 'viewer' : null;
    if (role !== undefined) {
      const inSpace: GrantRole = role === 'viewer' ? 'viewer' : 'editor';
      const path = `/${way
        .map(({ name }) => name)
        .reverse()
        .join('/')}`;
      return {
        role: highest([...granted, inSpace]) ?? 'viewer',
        parentRole: highest([...granted.slice(1), inSpace]),
        path,
      };
    }
    const first = granted.findLastIndex((grant) => grant !== null);
    const own = highest(granted);
    const trashedAt = way.findIndex(({ isTrashTop }) => isTrashTop);
    if (own === null || (trashedAt !== -1 && trashedAt > first)) return null;
    const names = way.slice(0, first + 1).map(({ name }) => name);
    return { role: own, parentRole: highest(granted.slice(1)), path: `/${names.reverse().join('/')}` };
  }

  /** All that the person sees, without the trash. */
  seenBy(person: string): Node[] {
    return this.nodes.filter((node) => this.see(node, person) !== null);
  }

  /** The topmost entries that somebody without a role sees. */
  topsOf(person: string): Node[] {
    return this.seenBy(person).filter(({ parent }) => parent === null || this.see(parent, person) === null);
  }

  isGuest(person: string): boolean {
    return !this.roles.has(person) && this.nodes.some((node) => !node.isRemoved && this.grantOn(node, person) !== null);
  }

  /** Whether the person may change anything at all in the space. */
  maySomewhere(person: string): boolean {
    const role = this.roles.get(person);
    if (role === 'editor' || role === 'manager') return true;
    return this.nodes.some((node) => !node.isRemoved && this.grantOn(node, person) === 'editor');
  }

  /** Whether the maker may change the entry, and it is there. */
  isSupported({ node, maker }: Link): boolean {
    return this.isThere(node) && (maker === 'app' || this.see(node, maker)?.role === 'editor');
  }

  stateOf(link: Link): LinkState {
    if (link.isRevoked) return 'revoked';
    if (link.maxDownloads !== null && link.downloads >= link.maxDownloads) return 'exhausted';
    return this.isSupported(link) ? 'active' : 'suspended';
  }

  move(node: Node, to: Node): void {
    leave(node);
    Object.assign(node, { parent: to, former: null, isTrashTop: false });
  }

  trash(node: Node): void {
    leave(node);
    Object.assign(node, { former: node.parent, parent: null, isTrashTop: true });
  }

  remove(node: Node): void {
    for (const child of this.childrenOf(node)) this.remove(child);
    leave(node);
    node.isRemoved = true;
    node.grants.clear();
  }

  removeGroup(name: string): void {
    this.groups.delete(name);
    for (const { grants } of this.nodes) grants.delete(`group:${name}`);
  }
}

function leave({ parent, left }: Node): void {
  if (parent !== null) left.add(parent);
}
