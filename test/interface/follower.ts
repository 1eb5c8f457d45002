// Mirrors a tree from `GET /changes` as docs/contract.md §10.8 describes it: a map by EntryId, of which exists what reaches the root.

import assert from 'node:assert/strict';
import { assertAnswer, assertRecord, type Entry } from './assertions.ts';
import { type Answer, type Caller, call } from './client.ts';

export type Change = {
  Position: number | string;
  At: string;
  By: string;
  Action: string;
  EntryId: string;
  ParentFolderId?: string;
  Trashed?: boolean;
  Entry?: Entry;
};
export type Page = { Changes: Change[]; Cursor: string };
type Known = { entry: Entry; parent: string | undefined };

const FIELDS = ['Action', 'At', 'By', 'Entry', 'EntryId', 'ParentFolderId', 'Position', 'Trashed'];

export function assertPage(answer: Answer): Page {
  assert.equal(answer.status, 200, answer.body.toString());
  const page = assertAnswer(answer) as Page;
  assert.deepEqual(Object.keys(page).sort(), ['Changes', 'Cursor']);
  assert.match(page.Cursor, /./);
  for (const change of page.Changes) {
    for (const field of Object.keys(change)) assert.ok(FIELDS.includes(field), `unknown field ${field} in a change`);
    assert.equal(new Date(change.At).toISOString(), change.At);
    if (change.Entry !== undefined) {
      assertRecord(change.Entry);
      assert.equal(change.Entry.Id, change.EntryId);
    } else assert.equal(change.ParentFolderId, undefined);
    if (change.Trashed === true) assert.equal(change.ParentFolderId, undefined);
  }
  return page;
}

export async function readChanges(caller: Caller, query: string): Promise<Page> {
  return assertPage(await call(caller, `/changes?${query}`));
}

/** All changes from there to the end of what is known now, and the cursor there. */
export async function readToEnd(caller: Caller, query: string, limit = 1000): Promise<Page> {
  const changes: Change[] = [];
  let page = await readChanges(caller, `${query}${query === '' ? '' : '&'}limit=${limit}`);
  for (let pages = 0; page.Changes.length > 0; pages += 1) {
    assert.ok(pages < 5000, 'the changes never end');
    assert.ok(page.Changes.length <= limit, 'a page is longer than its limit');
    changes.push(...page.Changes);
    page = await readChanges(caller, `cursor=${encodeURIComponent(page.Cursor)}&limit=${limit}`);
  }
  return { Changes: changes, Cursor: page.Cursor };
}

/** What a follower who knows nothing else makes of the changes. */
export class Follower {
  readonly #known = new Map<string, Known>();

  apply(changes: Change[]): this {
    for (const { EntryId, Entry, ParentFolderId } of changes) {
      if (Entry === undefined) this.#known.delete(EntryId);
      else this.#known.set(EntryId, { entry: Entry, parent: ParentFolderId });
    }
    return this;
  }

  /** What is visible beneath the folder, by its path from there. The feed does not list changes of a folder's size. */
  toTree(top: string): Map<string, Entry> {
    const children = Map.groupBy(this.#known.values(), ({ parent }) => parent);
    const tree = new Map<string, Entry>();
    const walk = (folder: string, path: string): void => {
      for (const { entry } of children.get(folder) ?? []) {
        assert.ok(!tree.has(`${path}/${entry.Name}`), `two entries at ${path}/${entry.Name}`);
        tree.set(`${path}/${entry.Name}`, withoutFolderSize(entry));
        if (entry.Type === 'folder') walk(entry.Id, `${path}/${entry.Name}`);
      }
    };
    walk(top, '');
    return tree;
  }
}

export function withoutFolderSize(entry: Entry): Entry {
  return entry.Type === 'folder' ? { ...entry, Size: 0 } : entry;
}

/** Maps are compared by value, not by the order in which they were filled. */
export function inPathOrder(tree: Map<string, Entry>): [string, Entry][] {
  return [...tree]
    .map(([path, entry]): [string, Entry] => [path, withoutFolderSize(entry)])
    .sort(([left], [right]) => (left < right ? -1 : 1));
}
