// Many clients over all nodes, for as long as it takes: they save, with and without keys, and again elsewhere when they do not know what
// became of it; make folders, rename, move, trash, restore, remove, read, and follow the feed. Requests and responses
// goes into the history.

import { AsyncLocalStorage } from 'node:async_hooks';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Caller, fetchToken, identity } from '../interface/client.ts';
import type { Action, Attempt, History } from './history.ts';
import { type Answered, type HttpRequest, ImpatientClient } from './impatient-client.ts';

const mostTries = 12;
const followMs = 300;
const awayShare = 0.05;
/** The number of the client that asks. */
const homes = new AsyncLocalStorage<number>();
const sharedBytes = Array.from({ length: 3 }, () => randomBytes(100_000));

interface Known {
  id: string;
  isFile: boolean;
}

export interface WorkloadOptions {
  /** The caller at each node, with a token of that node: where a clock is wrong, those of others look expired. */
  seats: readonly Caller[];
  top: string;
  clients: number;
  /** Between two requests of a client, at the most. */
  mostThoughtMs: number;
  followers: number;
  /** The position of the feed at which followers begin. */
  cursor: string;
  hasLarge: boolean;
}

export class Workload {
  readonly history: History = { attempts: [], reads: [], followers: [] };
  readonly counts: Record<string, number> = {};
  readonly #options: WorkloadOptions;
  readonly #client = new ImpatientClient();
  readonly #known: Known[] = [];
  readonly #trashed: Known[] = [];
  readonly #folders: string[];
  #deeds = 0;
  #isOver = false;
  #running: Promise<void>[] = [];
  #following: Promise<void>[] = [];

  constructor(options: WorkloadOptions) {
    this.#options = options;
    this.#folders = [options.top];
  }

  start(): void {
    this.#running = Array.from({ length: this.#options.clients }, (_, index) => homes.run(index, () => this.#work()));
    this.#following = Array.from({ length: this.#options.followers }, () => this.#follow());
  }

  /** Resolves when no client asks any more; followers go on. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** Resolves when every follower has seen the end. */
  async close(): Promise<void> {
    await Promise.all(this.#following);
    this.#client.close();
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      await pick(this.#deedsByWeight())();
      await pause(Math.random() * this.#options.mostThoughtMs);
    }
  }

  #deedsByWeight(): [number, () => Promise<unknown>][] {
    return [
      [30, () => this.#saveOnce()],
      [12, () => this.#saveKeyed()],
      [4, () => this.#saveTwins()],
      [6, () => this.#saveBlindly()],
      [14, () => this.#saveHot()],
      [5, () => this.#put()],
      [6, () => this.#makeFolder()],
      [7, () => this.#change()],
      [4, () => this.#trash()],
      [2, () => this.#restore()],
      [3, () => this.#remove()],
      [14, () => this.#read()],
    ];
  }

  /** One request that changes something, as it goes into the history. */
  async #attempt(given: Pick<Attempt, 'action' | 'params'> & Partial<Attempt>, http: HttpRequest): Promise<Attempt> {
    const attempt: Attempt = {
      request: randomUUID(),
      deed: given.deed ?? this.#newDeed(),
      hasKey: false,
      outcome: 'unknown',
      sentAt: performance.now(),
      answeredAt: null,
      ...given,
    };
    this.history.attempts.push(attempt);
    const answer = await this.#ask({ ...http, headers: { ...http.headers, requesttrackingid: attempt.request } });
    attempt.outcome = answer.outcome;
    if (answer.outcome !== 'unknown') attempt.answeredAt = performance.now();
    if (answer.outcome === 'done') attempt.result = toResult(attempt.action, answer);
    this.#count(`${attempt.action} ${attempt.outcome}`);
    if (answer.outcome === 'refused') this.#count(`refused: ${toCode(answer)}`);
    if (answer.status === 500) this.#count(`500: ${toCode(answer)}`);
    if (answer.headers['idempotency-replayed'] === 'true') this.#count('replayed');
    return attempt;
  }

  async #ask(http: HttpRequest): Promise<Answered> {
    this.#count('requests');
    const seat = this.#chooseSeat();
    const headers = { ...(identity(seat) as Record<string, string>), ...http.headers };
    const answer = await this.#client.ask(seat.base, { ...http, headers });
    if (answer.status === 401) await this.#renew(seat);
    return answer;
  }

  /** Mostly the same node: where one hangs, those that are at home elsewhere go on. */
  #chooseSeat(): Caller {
    const { seats } = this.#options;
    const home = homes.getStore();
    return home === undefined || Math.random() < awayShare ? pickOne(seats) : (seats[home % seats.length] as Caller);
  }

  async #renew(seat: Caller): Promise<void> {
    this.#count('tokens renewed');
    seat.token = await fetchToken(seat.base, seat.application).catch(() => seat.token);
  }

  #newDeed(): number {
    this.#deeds += 1;
    return this.#deeds;
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #makeSave(
    name: string,
    behavior?: string,
    bytes = this.#newBytes(),
  ): { params: Attempt['params']; request: HttpRequest } {
    const parent = pickOne(this.#folders);
    const headers: Record<string, string> = {
      FolderId: parent,
      FileName: encodeURIComponent(name),
      'Content-Type': 'application/octet-stream',
      Prefer: 'return=minimal',
      ...(behavior !== undefined && { ConflictBehavior: behavior }),
    };
    return {
      params: { parent, name, sha256: hash('sha256', bytes), ...(behavior !== undefined && { behavior }) },
      request: { method: 'POST', path: '/files', headers, body: bytes },
    };
  }

  /** Bytes that nobody else sends. */
  #newBytes(): Buffer {
    if (this.#options.hasLarge && Math.random() < 0.06)
      return randomBytes(70_000 + Math.floor(Math.random() * 200_000));
    return randomBytes(16 + Math.floor(Math.random() ** 4 * 30_000));
  }

  /** Now and then large bytes that others save and remove too: they are kept once. */
  async #saveOnce(): Promise<void> {
    const isShared = this.#options.hasLarge && Math.random() < 0.1;
    const { params, request } = this.#makeSave(
      `file ${randomUUID()}`,
      undefined,
      isShared ? pickOne(sharedBytes) : undefined,
    );
    this.#learn(await this.#attempt({ action: 'save', params }, request));
  }

  /** Again with the same key, mostly elsewhere, until it is answered. */
  async #saveKeyed(): Promise<void> {
    const { params, request } = this.#makeSave(
      `keyed ${Math.floor(Math.random() * 30)}.txt`,
      pickOne(['Rename', 'Version']),
    );
    Object.assign(request.headers ?? {}, { 'Idempotency-Key': randomUUID() });
    const deed = this.#newDeed();
    for (let tries = 0; tries < mostTries; tries += 1) {
      const attempt = await homes.run(this.#newHome(), () => {
        return this.#attempt({ action: 'save', params, deed, hasKey: true }, request);
      });
      this.#learn(attempt);
      if (attempt.outcome !== 'unknown') return;
      await pause(100 + Math.random() * 900);
    }
  }

  #newHome(): number {
    return Math.floor(Math.random() * this.#options.seats.length);
  }

  /** The same at once on all nodes. */
  async #saveTwins(): Promise<void> {
    const { params, request } = this.#makeSave(`twin ${Math.floor(Math.random() * 30)}.txt`, 'Rename');
    Object.assign(request.headers ?? {}, { 'Idempotency-Key': randomUUID() });
    const deed = this.#newDeed();
    const twins = [0, 1, 2].map((home) => {
      return homes.run(home, () => this.#attempt({ action: 'save', params, deed, hasKey: true }, request));
    });
    for (const twin of await Promise.all(twins)) this.#learn(twin);
  }

  /** Again without a key: "a blind retry is harmless". */
  async #saveBlindly(): Promise<void> {
    const { params, request } = this.#makeSave(`blind ${randomUUID()}`);
    const deed = this.#newDeed();
    for (let tries = 0; tries < 3; tries += 1) {
      const attempt = await this.#attempt({ action: 'save', params, deed }, request);
      this.#learn(attempt);
      if (attempt.outcome === 'refused') return;
    }
  }

  async #saveHot(): Promise<void> {
    const { params, request } = this.#makeSave(
      `hot ${Math.floor(Math.random() * 6)}`,
      pickOne(['Version', 'Version', 'Fail']),
    );
    this.#learn(await this.#attempt({ action: 'save', params }, request));
  }

  async #put(): Promise<void> {
    const file = this.#pickKnown(true);
    if (file === null) return;
    const { params, request } = this.#makeSave('');
    const { sha256 = '' } = params;
    const headers = { 'Content-Type': 'application/octet-stream' };
    const put = { method: 'PUT', path: `/files/${file.id}/content`, headers, body: request.body ?? '' };
    await this.#attempt({ action: 'save', params: { entry: file.id, sha256 } }, put);
  }

  async #makeFolder(): Promise<void> {
    const parent = pickOne(this.#folders);
    const name = `folder ${Math.floor(Math.random() * 12)}`;
    const behavior = pickOne(['Existing', 'Fail', 'Rename']);
    const fields = { ParentFolderId: parent, FolderName: name, ConflictBehavior: behavior };
    const attempt = await this.#attempt(
      { action: 'folder', params: { parent, name, behavior } },
      toJson('/folders', fields),
    );
    const { result } = attempt;
    if (result === undefined) return;
    this.#known.push({ id: result.entry, isFile: false });
    if (this.#folders.length < 12) this.#folders.push(result.entry);
  }

  async #change(): Promise<void> {
    const entry = this.#pickKnown(Math.random() < 0.9);
    if (entry === null) return;
    const name = Math.random() < 0.3 ? `hot ${Math.floor(Math.random() * 6)}` : `renamed ${randomUUID()}`;
    const isMoved = Math.random() < 0.5;
    const parent = pickOne(this.#folders);
    const fields = { Name: name, ...(isMoved && { ParentFolderId: parent }) };
    await this.#attempt(
      { action: 'change', params: { entry: entry.id, name, ...(isMoved && { parent }) } },
      toJson(`/entries/${entry.id}`, fields, 'PATCH'),
    );
  }

  async #trash(): Promise<void> {
    const entry = this.#pickKnown(Math.random() < 0.95);
    if (entry === null) return;
    const http = { method: 'DELETE', path: `/entries/${entry.id}` };
    const { outcome } = await this.#attempt({ action: 'trash', params: { entry: entry.id } }, http);
    if (outcome === 'done') this.#trashed.push(entry);
  }

  async #restore(): Promise<void> {
    const entry = this.#trashed.pop();
    if (entry !== undefined) await this.restore(entry.id);
  }

  /** Into the folder above all: the old one may be gone. */
  async restore(id: string): Promise<Attempt> {
    const name = `restored ${randomUUID()}`;
    const request = toJson(`/entries/${id}/restore`, { ParentFolderId: this.#options.top, Name: name });
    return await this.#attempt({ action: 'restore', params: { entry: id, name } }, request);
  }

  async #remove(): Promise<void> {
    const entry = Math.random() < 0.5 ? this.#trashed.pop() : this.#pickKnown(true);
    if (!entry) return;
    const http = { method: 'DELETE', path: `/entries/${entry.id}?permanent=true` };
    await this.#attempt({ action: 'remove', params: { entry: entry.id } }, http);
  }

  async #read(): Promise<void> {
    const file = this.#pickKnown(true);
    if (file === null) return;
    const sentAt = performance.now();
    const { status, body } = await this.#ask({ path: `/files/${file.id}/content` });
    const answeredAt = performance.now();
    this.#count(`read ${status === 0 ? 'unanswered' : status}`);
    if (status !== 200 && status !== 404) return;
    this.history.reads.push({
      entry: file.id,
      sha256: status === 200 ? hash('sha256', body) : null,
      sentAt,
      answeredAt,
    });
  }

  #learn({ result, outcome }: Attempt): void {
    if (outcome === 'done' && result !== undefined) this.#known.push({ id: result.entry, isFile: true });
  }

  #pickKnown(isFile: boolean): Known | null {
    const some = Array.from({ length: 20 }, () => pickOne(this.#known)).find((known) => known?.isFile === isFile);
    return some ?? null;
  }

  /** Each page from another node. It ends with an empty page that was requested after the end. */
  async #follow(): Promise<void> {
    const positions: number[] = [];
    this.history.followers.push(positions);
    for (let { cursor } = this.#options; ; ) {
      const wasOver = this.isFollowedToEnd;
      const query = `cursor=${encodeURIComponent(cursor)}&limit=200&wait=1`;
      const { status, body } = await this.#ask({ path: `/changes?${query}` });
      this.#count(`feed ${status === 0 ? 'unanswered' : status}`);
      if (status !== 200) {
        await pause(followMs);
        continue;
      }
      const page = JSON.parse(body.toString()) as { Changes: { Position: number }[]; Cursor: string };
      positions.push(...page.Changes.map(({ Position }) => Number(Position)));
      cursor = page.Cursor;
      if (wasOver && page.Changes.length === 0) return;
    }
  }

  /** Set when nothing will be changed any more. */
  isFollowedToEnd = false;
}

function toJson(path: string, fields: object, method = 'POST'): HttpRequest {
  return { method, path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) };
}

/** What an answer says of the entry; a PUT also says which version it is. */
function toResult(action: Action, { headers, body }: Answered): NonNullable<Attempt['result']> {
  const { Entry, Folder, Children, Version } = JSON.parse(body.toString()) as {
    Entry?: { Id: string; Name: string };
    Folder?: { Id: string; Name: string };
    Children?: { Id: string; Name: string }[];
    Version?: number;
  };
  const [entry] = [Entry, action === 'save' ? Children?.[0] : undefined, Folder].filter((one) => one !== undefined);
  const result = { entry: String(headers.entryid ?? entry?.Id), ...(entry !== undefined && { name: entry.Name }) };
  return action === 'save' && Version !== undefined ? { ...result, version: Version } : result;
}

function toCode({ body }: Answered): string {
  try {
    return (JSON.parse(body.toString()) as { Error: { Code: string } }).Error.Code;
  } catch {
    return 'no error of ours';
  }
}

function pick(choices: readonly [number, () => Promise<unknown>][]): () => Promise<unknown> {
  let left = Math.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, choice] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  return async () => undefined;
}

function pickOne<Item>(list: readonly Item[]): Item {
  return list[Math.floor(Math.random() * list.length)] as Item;
}
