// What somebody keeps who follows the changes: nothing may stay in it that the person no longer sees, and nothing may be reported
// that the person has never seen.

import { eventually } from '../../service/service.ts';
import { same } from './faces.ts';
import type { Model } from './model.ts';
import { read, type Space } from './world.ts';

const patienceMs = 5_000;

interface Replica {
  cursor: string;
  /** By id: the folder. */
  known: Map<string, string | undefined>;
}

interface Change {
  EntryId: string;
  Action: string;
  Entry?: object;
  ParentFolderId?: string;
}

export class Replicas {
  readonly #space: Space;
  readonly #model: Model;
  readonly #replicas = new Map<string, Replica>();
  /** All that the person has ever been shown. */
  readonly #shown = new Map<string, Set<string>>();

  constructor(space: Space, model: Model) {
    this.#space = space;
    this.#model = model;
  }

  /** When the role in the space changes: cursors of members are not those of others. */
  forget(who: string): void {
    this.#replicas.delete(who);
  }

  /** To be called before every act: what is seen between two looks counts as seen. */
  noteSeen(who: string): void {
    const shown = this.#shown.get(who) ?? new Set();
    this.#shown.set(who, shown);
    for (const node of this.#model.nodes) if (this.#model.see(node, who, true) !== null) shown.add(node.id);
  }

  async compare(who: string): Promise<void> {
    if (!this.#model.roles.has(who) && !this.#model.isGuest(who)) return;
    const replica = this.#replicas.get(who);
    if (replica !== undefined) await this.#follow(who, replica);
    this.#replicas.set(who, await this.#begin(who));
  }

  async #readOn(who: string, replica: Replica): Promise<void> {
    const { changes, cursor } = await this.#readFrom(who, `cursor=${encodeURIComponent(replica.cursor)}`);
    for (const change of changes) {
      if (!this.#isOfSequence(change)) continue;
      same(this.#isKnown(who, change), true, `${who} is told ${change.Action} of ${change.EntryId}`);
      apply(replica, change);
    }
    replica.cursor = cursor;
  }

  async #follow(who: string, replica: Replica): Promise<void> {
    const seen = this.#model.nodes.filter((node) => this.#model.see(node, who, true) !== null).map(({ id }) => id);
    // What is removed for good with the grant on it is reported when its rows are deleted, a moment later.
    await eventually(
      `${who} has nothing that is not seen`,
      async () => {
        await this.#readOn(who, replica);
        return [...replica.known.keys()].every((id) => seen.includes(id));
      },
      patienceMs,
    );
    for (const id of replica.known.keys()) same(seen.includes(id), true, `${who} still has ${this.#nameOf(id)}`);
    if (this.#model.roles.has(who)) same([...replica.known.keys()].sort(), seen.sort(), `${who} follows`);
  }

  #nameOf(id: string): string {
    return this.#model.nodes.find((node) => node.id === id)?.name ?? id;
  }

  /** A member also hears of what was there and is gone, and so does whoever sees the folder that it left. */
  #isKnown(who: string, { EntryId, Entry }: Change): boolean {
    if (this.#model.roles.has(who) || this.#shown.get(who)?.has(EntryId)) return true;
    const left = this.#model.nodes.find(({ id }) => id === EntryId)?.left ?? [];
    return Entry === undefined && [...left].some((folder) => this.#model.see(folder, who, true) !== null);
  }

  /** Neither the root, nor what earlier sequences left and what is deleted while this one runs. */
  #isOfSequence({ EntryId }: Change, isRemovedToo = true): boolean {
    return this.#model.nodes.some(({ id, isRemoved }) => id === EntryId && (isRemovedToo || !isRemoved));
  }

  async #begin(who: string): Promise<Replica> {
    const { changes, cursor } = await this.#readFrom(who, 'from=snapshot');
    const replica: Replica = { cursor, known: new Map() };
    for (const change of changes) if (this.#isOfSequence(change, false)) apply(replica, change);
    return replica;
  }

  async #readFrom(who: string, query: string): Promise<{ changes: Change[]; cursor: string }> {
    const changes: Change[] = [];
    for (let next = query; ; ) {
      const answer = await this.#space.ask(who, `/changes?${next}&limit=1000`);
      const { Changes, Cursor } = read<{ Changes: Change[]; Cursor: string }>(answer);
      if (Changes.length === 0) return { changes, cursor: Cursor };
      changes.push(...Changes);
      next = `cursor=${encodeURIComponent(Cursor)}`;
    }
  }
}

/** "Whatever else was beneath it is gone as well." */
function apply({ known }: Replica, { EntryId, Entry, ParentFolderId }: Change): void {
  if (Entry !== undefined) known.set(EntryId, ParentFolderId);
  else {
    known.delete(EntryId);
    for (const [id, folder] of known) if (folder === EntryId) apply({ known, cursor: '' }, { EntryId: id, Action: '' });
  }
}
