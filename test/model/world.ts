// What a sequence of commands is run against: one service for all, which can be killed and started again between any two
// requests, and for each sequence a folder of its own and the memory of which entry of the model has which id.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { findFreePort } from '../free-ports.ts';
import { assertRecord, assertRefusal, type Entry } from '../interface/assertions.ts';
import { type Answer, type Caller, call, createFolder, type Request } from '../interface/client.ts';
import { Follower, readChanges, readToEnd } from '../interface/follower.ts';
import { emptyTrash, listAll, listTrash, listVersions, remove, type Shown } from '../interface/life.ts';
import { addCaller, cabinetJson, type Environment, type Started, startService } from '../service/service.ts';
import { currentOf, Model, type Node, type Outcome } from './model.ts';

/** `restored`: all is backed up, the service killed, its folder removed, and the backup restored. A start sweeps, too. */
export type Ending = 'SIGTERM' | 'SIGKILL' | 'restored';

/** Requests go through side by side; a restart waits until none is under way and lets none through. */
export class Service {
  readonly #dataFolder: string;
  readonly #environment: Environment;
  #running: Started;
  #underWay = 0;
  #idle: (() => void)[] = [];
  #restarting: Promise<void> | null = null;
  #restartedAt = Date.now();
  restarts = 0;
  restores = 0;
  requests = 0;

  private constructor(dataFolder: string, environment: Environment, running: Started) {
    this.#dataFolder = dataFolder;
    this.#environment = environment;
    this.#running = running;
  }

  /** The port stays the same, so that tokens and connections have to outlive a restart. */
  static async start(dataFolder: string): Promise<Service> {
    const environment = { CABINET_PORT: String(await findFreePort()) } as const;
    return new Service(dataFolder, environment, await startService(dataFolder, { environment }));
  }

  addCaller(name: string): Promise<Caller> {
    return addCaller(this.#dataFolder, this.#running.production, name);
  }

  async run<Result>(ask: () => Promise<Result>): Promise<Result> {
    while (this.#restarting) await this.#restarting;
    this.#underWay += 1;
    this.requests += 1;
    try {
      return await ask();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const go of this.#idle.splice(0)) go();
    }
  }

  /** At most one in a while: it takes a second in which nothing else can be tried. */
  async restart(ending: Ending, everyMs: number): Promise<void> {
    if (this.#restarting || Date.now() - this.#restartedAt < everyMs) return;
    this.#restarting = this.#restartNow(ending);
    await this.#restarting;
  }

  async #restartNow(ending: Ending): Promise<void> {
    try {
      if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
      if (ending === 'restored') await this.#replace();
      const code = await this.#running.stop(ending === 'restored' ? 'SIGKILL' : ending);
      if (ending === 'SIGTERM') assert.equal(code, 0, this.#running.errors());
      this.#running = await startService(this.#dataFolder, { environment: this.#environment });
      this.restarts += 1;
      this.#restartedAt = Date.now();
    } finally {
      this.#restarting = null;
    }
  }

  async #replace(): Promise<void> {
    const backup = `${this.#dataFolder}-backup`;
    await cabinetJson(this.#dataFolder, ['backup', backup]);
    await this.#running.stop('SIGKILL');
    rmSync(this.#dataFolder, { recursive: true });
    await cabinetJson(this.#dataFolder, ['restore', backup]);
    this.restores += 1;
  }

  async stop(): Promise<void> {
    assert.equal(await this.#running.stop(), 0, this.#running.errors());
  }
}

interface Seen {
  revision: number;
  etag: string | null;
  modifiedAt: string;
}

export class World {
  readonly model: Model;
  readonly service: Service;
  readonly caller: Caller;
  readonly #ids = new Map<Node, string>();
  readonly #nodes = new Map<string, Node>();
  readonly #seen = new Map<Node, Seen>();
  readonly #follower = new Follower();
  #cursor: string;

  private constructor(service: Service, caller: Caller, top: Entry, cursor: string) {
    this.service = service;
    this.caller = caller;
    this.model = new Model(top.Name);
    this.#cursor = cursor;
    this.learn(this.model.top, top.Id);
  }

  static async open(service: Service, caller: Caller, name: string): Promise<World> {
    return await service.run(async () => {
      const { Cursor } = await readChanges(caller, 'from=now');
      return new World(service, caller, await createFolder(caller, '-root-', name), Cursor);
    });
  }

  /** Takes away what the sequence made, so that the next one finds an empty space. */
  async close(): Promise<void> {
    await this.service.run(async () => {
      await remove(this.caller, this.idOf(this.model.top));
      await emptyTrash(this.caller);
    });
  }

  ask(path: string, request: Request = {}): Promise<Answer> {
    return this.service.run(() => call(this.caller, path, request));
  }

  learn(node: Node, id: string): void {
    assert.ok(!this.#nodes.has(id), 'two entries have one id');
    this.#ids.set(node, id);
    this.#nodes.set(id, node);
  }

  /** What is unknown to the service has an id too. */
  idOf(node: Node): string {
    return this.#ids.get(node) ?? '0198c0de-0000-7000-8000-000000000000';
  }

  knows(node: Node): boolean {
    return this.#ids.has(node);
  }

  pathOf(node: Node): string {
    return `/${this.model.top.name}${this.model.pathOf(node)}`;
  }

  /** Null: not seen since it was changed last. Neither going into the trash nor coming back from it changes anything. */
  etagOf(node: Node): string | null {
    const seen = this.#seen.get(node);
    return seen !== undefined && seen.revision === node.revision ? seen.etag : null;
  }

  /** The answer is the refusal that the model gives, or none when it gives none. */
  compareOutcome<Result>(answer: Answer, outcome: Outcome<Result>): outcome is { done: Result } {
    if ('done' in outcome) {
      assert.equal(answer.status, 200, answer.body.toString());
      return true;
    }
    const codes = outcome.refused;
    const { Code } = (JSON.parse(answer.body.toString()) as { Error?: { Code: string } }).Error ?? { Code: 'none' };
    assert.ok(codes.includes(Code), `refused with ${Code}, not with ${codes.join(' or ')}`);
    assertRefusal(answer, Code.endsWith('NotFound') ? 404 : 400, Code);
    return false;
  }

  compareRecord(entry: Entry, node: Node): void {
    assertRecord(entry);
    assert.equal(this.#nodes.get(entry.Id), node, `${entry.Name} is another entry than ${node.name}`);
    this.compareFields(entry, node, this.model.sizeOf(node));
    const seen = this.#seen.get(node);
    if (seen?.revision === node.revision) assert.equal(entry.ModifiedAt, seen.modifiedAt, 'it was modified');
    else {
      assert.ok(seen === undefined || entry.ModifiedAt >= seen.modifiedAt, 'it was modified before');
      this.#seen.set(node, { revision: node.revision, etag: null, modifiedAt: entry.ModifiedAt });
    }
  }

  compareFields(entry: Entry, node: Node, size: number): void {
    const { Name, Type, ObjectType, ContentType, Size, Properties, CreatedBy, ModifiedBy } = entry;
    const by = `app:${this.caller.application.Name}`;
    assert.deepEqual(
      { Name, Type, ObjectType, ContentType, Size, Properties, CreatedBy, ModifiedBy },
      {
        Name: node.name,
        Type: node.kind,
        ObjectType: node.objectType,
        ContentType: node.contentType,
        Size: size,
        Properties: node.properties,
        CreatedBy: by,
        ModifiedBy: by,
      },
    );
  }

  compareShown({ Entry, Path, ETag, Sha256, Version }: Shown, node: Node): void {
    const before = this.#seen.get(node);
    this.compareRecord(Entry, node);
    assert.equal(Path, this.pathOf(node));
    const seen = this.#seen.get(node) as Seen;
    if (seen === before && seen.etag !== null) assert.equal(ETag, seen.etag, 'the ETag changed by itself');
    else if (before?.etag) assert.notEqual(ETag, before.etag, 'the ETag is that of another state');
    seen.etag = ETag;
    if (node.kind === 'folder') return;
    assert.deepEqual([Sha256, Version], [toDigest(currentOf(node).text), currentOf(node).number]);
  }

  /** The children of the folder in the order given; returns those that the listing shows. */
  compareChildren(entries: Entry[], folder: Node): Node[] {
    const nodes = entries.map((entry) => {
      const node = this.#nodes.get(entry.Id);
      assert.ok(node, `${entry.Name} is listed, but there is no such entry`);
      this.compareRecord(entry, node);
      return node;
    });
    const expected = this.model.childrenOf(folder);
    assert.deepEqual(nodes.map(({ key }) => key).sort(), expected.map(({ key }) => key).sort());
    return nodes;
  }

  /** Ids of what was copied with its folder are learned by looking. */
  async learnChildren(folder: Node): Promise<void> {
    const listed = await this.list<Entry>(`/folders/${this.idOf(folder)}?limit=1000`, 'Children');
    for (const entry of listed) {
      const node = this.model.findChild(folder, entry.Name);
      assert.ok(node, `${entry.Name} was copied, but there is no such entry`);
      this.learn(node, entry.Id);
      if (node.kind === 'folder') await this.learnChildren(node);
    }
    this.compareChildren(listed, folder);
  }

  list<Item>(path: string, field: string): Promise<Item[]> {
    return this.service.run(() => listAll<Item>(this.caller, path, field));
  }

  async compareTrash(): Promise<void> {
    const items = await this.service.run(() => listTrash(this.caller));
    const expected = this.model.inTrash();
    assert.deepEqual(
      items.map(({ Entry }) => this.#nodes.get(Entry.Id)?.key).sort(),
      expected.map(({ key }) => key).sort(),
    );
    for (const { Entry, Path } of items) {
      const node = this.#nodes.get(Entry.Id) as Node;
      this.compareFields(Entry, node, this.model.sizeOf(node));
      assert.equal(Path, `/${this.model.top.name}${node.former?.path}`);
    }
    const times = items.map(({ TrashedAt }) => TrashedAt);
    assert.deepEqual(times, times.toSorted().reverse(), 'the newest is not first');
  }

  async compareVersions(file: Node, query = ''): Promise<void> {
    const versions = await this.service.run(() => listVersions(this.caller, this.idOf(file), query));
    assert.deepEqual(
      versions.map(({ Version, Size, Sha256, ContentType }) => ({ Version, Size, Sha256, ContentType })),
      file.versions.toReversed().map(({ number, text, contentType }) => ({
        Version: number,
        Size: Buffer.byteLength(text),
        Sha256: toDigest(text),
        ContentType: contentType,
      })),
    );
    for (const [index, { comment }] of file.versions.toReversed().entries()) {
      if (comment !== undefined) assert.equal(versions[index]?.Comment ?? null, comment);
    }
  }

  async readText(file: Node, version?: number): Promise<string> {
    const query = version === undefined ? '' : `?version=${version}`;
    const answer = await this.ask(`/files/${this.idOf(file)}/content${query}`);
    assert.equal(answer.status, 200, answer.body.toString());
    return answer.body.toString();
  }

  /** What a follower who reads on from time to time believes is what the model holds. */
  async compareFollowed(): Promise<void> {
    const from = `cursor=${encodeURIComponent(this.#cursor)}`;
    const { Changes, Cursor } = await this.service.run(() => readToEnd(this.caller, from));
    this.#cursor = Cursor;
    this.#compareFollower(this.#follower.apply(Changes));
  }

  async compareSnapshot(): Promise<void> {
    const { Changes } = await this.service.run(() => readToEnd(this.caller, 'from=snapshot'));
    this.#compareFollower(new Follower().apply(Changes));
  }

  #compareFollower(follower: Follower): void {
    const tree = follower.toTree(this.idOf(this.model.top));
    const visible = this.model.nodes.filter((node) => node !== this.model.top && this.model.isVisible(node));
    assert.deepEqual([...tree.keys()].sort(), visible.map((node) => this.model.pathOf(node)).sort());
    for (const node of visible) {
      const entry = tree.get(this.model.pathOf(node)) as Entry;
      assert.equal(entry.Id, this.idOf(node));
      this.compareFields(entry, node, node.kind === 'folder' ? 0 : this.model.sizeOf(node));
    }
  }

  /** Everything at once: every listing, record, path, content and version, the trash, the feed. */
  async compareAll(): Promise<void> {
    await this.#compareTree(this.model.top);
    await this.compareTrash();
    await this.compareFollowed();
    await this.compareSnapshot();
    for (const node of this.model.nodes) {
      if (this.model.isVisible(node)) continue;
      const { status } = await this.ask(`/entries/${this.idOf(node)}`);
      assert.equal(status, 404, `${node.name} can be read, but is ${node.state} or beneath what is`);
    }
  }

  async #compareTree(folder: Node): Promise<void> {
    const listed = await this.list<Entry>(`/folders/${this.idOf(folder)}?limit=1000`, 'Children');
    for (const node of this.compareChildren(listed, folder)) {
      const shown = await this.ask(`/entries/${this.idOf(node)}`);
      this.compareShown(JSON.parse(shown.body.toString()) as Shown, node);
      if (node.kind === 'folder') await this.#compareTree(node);
      else {
        await this.compareVersions(node);
        for (const { number, text } of node.versions) assert.equal(await this.readText(node, number), text);
      }
    }
  }
}

function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
