// The cabinet as it is meant to be, in memory: folders, files, versions, trash, moves and copies, without times or ids. Each
// verb changes the tree and gives the entry it was about, or gives the refusals that are right; where several apply, the
// contract leaves open which one is reported.

export type Behavior = 'Fail' | 'Rename' | 'Version' | 'Existing';
export interface Version {
  number: number;
  text: string;
  contentType: string;
  /** undefined: the contract does not say, for it was copied or restored. */
  comment: string | null | undefined;
}

export interface Node {
  /** In order of creation; the first is the top folder. */
  key: number;
  kind: 'folder' | 'file';
  name: string;
  parent: Node | null;
  /** Of the entry itself: what is beneath one that is trashed has no mark of its own. */
  state: 'present' | 'trashed' | 'removed';
  /** Where it was when it was trashed. */
  former: { parent: Node; path: string } | null;
  properties: Record<string, string>;
  objectType: string;
  contentType: string;
  /** Oldest first; the last is the current one. */
  versions: Version[];
  lastVersion: number;
  /** Moves with every change of the record or the content, and so does the ETag. */
  revision: number;
}

export type Outcome<Result = Node> = { done: Result } | { refused: string[] };
export interface Fields {
  name?: string | undefined;
  target?: Node | undefined;
  properties?: Record<string, string | null> | undefined;
  objectType?: string | undefined;
}
export interface Saving {
  name: string;
  text: string;
  contentType: string;
  comment: string | null | undefined;
}

interface Snapshot {
  node: Node;
  children: Snapshot[];
}

export class Model {
  readonly nodes: Node[] = [];
  readonly top: Node;

  constructor(topName: string) {
    this.top = this.#add({ kind: 'folder', name: topName, parent: null });
  }

  isVisible(node: Node): boolean {
    return node.state === 'present' && (node.parent === null ? node === this.top : this.isVisible(node.parent));
  }

  childrenOf(folder: Node): Node[] {
    return this.nodes.filter(({ parent, state }) => parent === folder && state === 'present');
  }

  inTrash(): Node[] {
    return this.nodes.filter(({ state }) => state === 'trashed');
  }

  sizeOf(node: Node): number {
    if (node.kind === 'file') return Buffer.byteLength(currentOf(node).text);
    return this.childrenOf(node).reduce((sum, child) => sum + this.sizeOf(child), 0);
  }

  /** From the top folder. */
  pathOf(node: Node): string {
    return node.parent === null ? '' : `${this.pathOf(node.parent)}/${node.name}`;
  }

  findChild(folder: Node, name: string): Node | undefined {
    return this.childrenOf(folder).find((child) => child.name.normalize('NFC') === name.normalize('NFC'));
  }

  createFolder(parent: Node, name: string, behavior: Behavior, properties: Record<string, string>): Outcome {
    const faults = [...this.#faultsOfTarget(parent), ...faultsOfName(name)];
    if (faults.length > 0) return { refused: faults };
    const taken = this.findChild(parent, name);
    if (taken?.kind === 'folder' && behavior === 'Existing') return { done: taken };
    if (taken && behavior !== 'Rename') return { refused: ['NameAlreadyExists'] };
    return { done: this.#add({ kind: 'folder', name: this.#freeName(parent, name, 'folder'), parent, properties }) };
  }

  saveFile(parent: Node, saving: Saving, behavior: Behavior): Outcome {
    const faults = [...this.#faultsOfTarget(parent), ...faultsOfName(saving.name)];
    if (faults.length > 0) return { refused: faults };
    const taken = this.findChild(parent, saving.name);
    if (taken?.kind === 'file' && behavior === 'Existing') return { done: taken };
    if (taken?.kind === 'file' && behavior === 'Version') return { done: this.#write(taken, saving) };
    if (taken && behavior !== 'Rename') return { refused: ['NameAlreadyExists'] };
    const file = this.#add({ kind: 'file', name: this.#freeName(parent, saving.name, 'file'), parent });
    return { done: this.#write(file, saving) };
  }

  putContent(file: Node, saving: Omit<Saving, 'name'>, isMatching: boolean): Outcome {
    if (!this.isVisible(file) || file.kind !== 'file') return { refused: ['FileNotFound'] };
    if (!isMatching) return { refused: ['PreconditionFailed'] };
    return { done: this.#write(file, saving) };
  }

  change(node: Node, fields: Fields, behavior: Behavior, isMatching: boolean): Outcome {
    if (!this.isVisible(node)) return { refused: ['EntryNotFound', ...faultsOf(fields.name, behavior)] };
    const { name = node.name, target = must(node.parent), properties = {}, objectType = node.objectType } = fields;
    const faults = [...this.#faultsOfTarget(target), ...faultsOf(name, behavior)];
    if (!isMatching) faults.push('PreconditionFailed');
    if (isWithin(target, node)) faults.push('InvalidMove');
    const taken = target.kind === 'folder' ? this.findChild(target, name) : undefined;
    const isTaken = taken !== undefined && taken !== node;
    if (isTaken && behavior === 'Fail') faults.push('NameAlreadyExists');
    if (faults.length > 0) return { refused: faults };
    const merged = merge(node.properties, properties);
    const finalName = isTaken ? this.#freeName(target, name, node.kind) : name;
    if (
      !isSame(
        [node.name, node.parent?.key, node.properties, node.objectType],
        [finalName, target.key, merged, objectType],
      )
    ) {
      Object.assign(node, { name: finalName, parent: target, properties: merged, objectType });
      node.revision += 1;
    }
    return { done: node };
  }

  copy(node: Node, target: Node, givenName: string | undefined, behavior: Behavior): Outcome {
    if (!this.isVisible(node)) return { refused: ['EntryNotFound', ...faultsOf(givenName, behavior)] };
    const name = givenName ?? node.name;
    const faults = [...this.#faultsOfTarget(target), ...faultsOf(name, behavior)];
    if (faults.length > 0) return { refused: faults };
    if (this.findChild(target, name) && behavior !== 'Rename') return { refused: ['NameAlreadyExists'] };
    const finalName = this.#freeName(target, name, node.kind);
    return { done: this.#copyTree(this.#snapshot(node), target, finalName) };
  }

  trash(node: Node, isMatching: boolean): Outcome {
    if (!this.isVisible(node)) return { refused: ['EntryNotFound'] };
    if (!isMatching) return { refused: ['PreconditionFailed'] };
    node.former = { parent: must(node.parent), path: this.pathOf(node) };
    Object.assign(node, { state: 'trashed', parent: null });
    return { done: node };
  }

  restore(node: Node, fields: Pick<Fields, 'name' | 'target'>, behavior: Behavior): Outcome {
    if (node.state !== 'trashed') return { refused: ['EntryNotFound', ...faultsOf(fields.name, behavior)] };
    const { name = node.name, target = must(node.former).parent } = fields;
    const faults = [...this.#faultsOfTarget(target), ...faultsOf(name, behavior)];
    if (faults.length > 0) return { refused: faults };
    if (this.findChild(target, name) && behavior !== 'Rename') return { refused: ['NameAlreadyExists'] };
    const finalName = this.#freeName(target, name, node.kind);
    Object.assign(node, { state: 'present', former: null, parent: target, name: finalName });
    return { done: node };
  }

  remove(node: Node, isMatching = true): Outcome {
    if (!this.isVisible(node) && node.state !== 'trashed') return { refused: ['EntryNotFound'] };
    if (!isMatching) return { refused: ['PreconditionFailed'] };
    Object.assign(node, { state: 'removed', parent: null });
    return { done: node };
  }

  emptyTrash(): Outcome<number> {
    const all = this.inTrash();
    for (const node of all) this.remove(node);
    return { done: all.length };
  }

  restoreVersion(file: Node, number: number): Outcome {
    const version = this.#findVersion(file, number);
    if ('refused' in version) return version;
    const { text, contentType } = version.done;
    if (text === currentOf(file).text) return { done: file };
    return { done: this.#write(file, { text, contentType, comment: undefined }) };
  }

  removeVersion(file: Node, number: number): Outcome {
    const version = this.#findVersion(file, number);
    if ('refused' in version) return version;
    if (version.done === currentOf(file)) return { refused: ['VersionIsCurrent'] };
    file.versions = file.versions.filter((other) => other !== version.done);
    return { done: file };
  }

  commentVersion(file: Node, number: number, comment: string | null): Outcome {
    const version = this.#findVersion(file, number);
    if ('refused' in version) return version;
    version.done.comment = comment;
    return { done: file };
  }

  #findVersion(file: Node, number: number): Outcome<Version> {
    if (!this.isVisible(file) || file.kind !== 'file') return { refused: ['FileNotFound'] };
    const version = file.versions.find((one) => one.number === number);
    return version === undefined ? { refused: ['VersionNotFound'] } : { done: version };
  }

  #faultsOfTarget(target: Node): string[] {
    if (!this.isVisible(target)) return ['FolderNotFound'];
    return target.kind === 'file' ? ['NotAFolder'] : [];
  }

  /** The name, or the first of "name (2)", "name (3)" … that is free. A folder has no extension. */
  #freeName(folder: Node, name: string, kind: Node['kind']): string {
    if (this.findChild(folder, name) === undefined) return name;
    const dot = kind === 'file' ? name.lastIndexOf('.') : -1;
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    for (let number = 2; ; number += 1) {
      const other = `${stem} (${number})${extension}`;
      if (this.findChild(folder, other) === undefined) return other;
    }
  }

  /** With gaps among the numbers the service may have chosen another than the first that is free. */
  adoptName(node: Node, name: string): void {
    const isNumbered = (text: string) => text.replace(/ \(\d+\)(\.[^.]*)?$/, ' (#)$1');
    const folder = node.parent;
    if (name === node.name || folder === null || isNumbered(name) !== isNumbered(node.name)) return;
    if (this.findChild(folder, name) === undefined) node.name = name;
  }

  /** A new version, unless the bytes are those of the current one. */
  #write(file: Node, { text, contentType, comment }: Omit<Saving, 'name'>): Node {
    const current = file.versions.at(-1);
    if (current?.text === text && file.contentType === contentType) return file;
    if (current?.text !== text) {
      file.lastVersion += 1;
      file.versions.push({ number: file.lastVersion, text, contentType, comment });
    } else current.contentType = contentType;
    file.contentType = contentType;
    file.revision += 1;
    return file;
  }

  /** Taken before anything is made: a tree can be copied into itself. */
  #snapshot(node: Node): Snapshot {
    return { node, children: this.childrenOf(node).map((child) => this.#snapshot(child)) };
  }

  #copyTree({ node, children }: Snapshot, target: Node, name: string): Node {
    const { kind, properties, objectType, contentType } = node;
    const made = this.#add({ kind, name, parent: target, properties: { ...properties }, objectType, contentType });
    if (kind === 'file') {
      made.versions = [{ ...currentOf(node), number: 1, comment: undefined }];
      made.lastVersion = 1;
    }
    for (const child of children) this.#copyTree(child, made, child.node.name);
    return made;
  }

  #add(given: Pick<Node, 'kind' | 'name' | 'parent'> & Partial<Node>): Node {
    const isFolder = given.kind === 'folder';
    const node: Node = {
      key: this.nodes.length,
      state: 'present',
      former: null,
      properties: {},
      objectType: isFolder ? 'cmis:folder' : 'cmis:document',
      contentType: isFolder ? 'inode/directory' : '',
      versions: [],
      lastVersion: 0,
      revision: 0,
      ...given,
    };
    this.nodes.push(node);
    return node;
  }
}

export function currentOf(file: Node): Version {
  return must(file.versions.at(-1) ?? null);
}

function must<T>(value: T | null): T {
  if (value === null) throw new Error('the model has lost something');
  return value;
}

function isWithin(node: Node | null, folder: Node): boolean {
  return node !== null && (node === folder || isWithin(node.parent, folder));
}

function faultsOfName(name: string): string[] {
  return name === '' || name === '..' || /[/\\]|^\s|\s$/.test(name) ? ['InvalidName'] : [];
}

/** Of changes, copies and restorations, which know but two of the behaviours. */
function faultsOf(name: string | undefined, behavior: Behavior): string[] {
  const faults = name === undefined ? [] : faultsOfName(name);
  return behavior === 'Fail' || behavior === 'Rename' ? faults : [...faults, 'InvalidField'];
}

function merge(old: Record<string, string>, given: Record<string, string | null>): Record<string, string> {
  const merged = Object.entries({ ...old, ...given }).filter((pair): pair is [string, string] => pair[1] !== null);
  return Object.fromEntries(merged);
}

function isSame(left: unknown[], right: unknown[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
