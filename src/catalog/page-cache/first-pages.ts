// Keeps the first pages of the folders that are saved into, so that the reply to a save needs no query. Right only where every
// write passes the one writer, which tells all threads what was committed.
//
// What is kept follows the writes in commit order. A save changes the page of its folder, and the sizes shown in the pages of
// all folders above: those are let go. A verb that is not known lets go of everything.

import { LRUCache } from 'lru-cache';
import type { Entry } from '../../domain/entry.ts';
import { compareNameKeys, toNameKey } from '../../domain/name.ts';
import type { Catalog } from '../catalog.ts';
import type { FolderPage, ListFolder } from '../verbs/list-folder.ts';
import type { CommitCounter } from './commit-counter.ts';
import { isHeavy, type PageChange, type PlacedEntry } from './page-change.ts';

/** A first page holds 100; one more is seen to tell whether there is a next, one more may be excluded. */
const keptChildren = 102;
const largestLimit = 100;
const keptPages = 128;

interface Child {
  entry: Entry;
  nameKey: string;
}

interface Page {
  space: number;
  folder: Entry;
  children: Child[];
  hasMore: boolean;
  /** The place in the journal up to which the page is right. */
  asOf: number;
}

export class FirstPages {
  readonly #commitCounter: CommitCounter;
  readonly #pages = new LRUCache<string, Page>({ max: keptPages });
  /** The number of the last commit that we heard of; null: the writer does not know us yet, and tells us nothing. */
  #heard: number | null;
  #changes = 0;

  constructor(commitCounter: CommitCounter, heard: number | null) {
    this.#commitCounter = commitCounter;
    this.#heard = heard;
  }

  /** The same catalog, with first pages from what is kept. */
  keep(catalog: Catalog): Catalog {
    return { ...catalog, listFolder: (input) => this.#list(catalog, input) };
  }

  /** What a commit has changed, in its order. To be called before anybody who waits for the commit goes on. */
  follow(changes: readonly PageChange[], number: number): void {
    this.#heard = number;
    this.#changes += changes.length;
    for (const change of changes) {
      if ('isEverything' in change) this.#pages.clear();
      else {
        for (const id of change.gone) this.#pages.delete(id);
        for (const placed of change.placed) this.#place(placed);
      }
    }
  }

  async #list(catalog: Catalog, input: ListFolder): Promise<FolderPage | null> {
    const isFirst = input.after === undefined && input.limit <= largestLimit && (input.order ?? 'name') === 'name';
    if (!isFirst || this.#heard === null) return await catalog.listFolder(input);
    const known = this.#pages.get(input.folder);
    // One of another space is looked for like one that is not there: it must not even be answered sooner.
    if (known !== undefined && known.space === input.space && this.#isRecent(known, input)) {
      return { ...toFolderPage(known, input), isKept: true };
    }
    this.#commitCounter.watch();
    const before = this.#changes;
    const found = await catalog.listFolder({ space: input.space, folder: input.folder, limit: keptChildren });
    if (found === null) return null;
    const page = toPage(input.space, found);
    // Something was written while we looked: nobody can say whether the page has it.
    const canBeKept = this.#changes === before && found.folder.kind === 'folder' && !hasHeavy(found);
    if (canBeKept) this.#pages.set(input.folder, page);
    return toFolderPage(page, input);
  }

  /** What another thread has answered must be seen, although the news of it may still be on their way. */
  #isRecent({ asOf }: Page, { atLeast = null }: ListFolder): boolean {
    return (atLeast !== null && asOf >= atLeast) || this.#commitCounter.last === this.#heard;
  }

  #place({ holder, entry, folder, position }: PlacedEntry): void {
    const page = this.#pages.get(holder);
    // A page may have been read after a commit that is told only now: then it has the change already.
    if (page === undefined || position <= page.asOf) return;
    page.asOf = position;
    if (folder !== undefined) page.folder = folder;
    place(page, entry);
  }
}

function hasHeavy({ folder, children }: FolderPage): boolean {
  return isHeavy(folder) || children.some(isHeavy);
}

function toPage(space: number, { folder, children, next, asOf }: FolderPage): Page {
  const kept = children.map((entry) => ({ entry, nameKey: toNameKey(entry.name) }));
  return { space, folder, children: kept, hasMore: next !== null, asOf };
}

function toFolderPage({ folder, children, hasMore, asOf }: Page, { limit, exclude }: ListFolder): FolderPage {
  const others = exclude === undefined ? children : children.filter(({ entry }) => entry.id !== exclude);
  const shown = others.slice(0, limit);
  const last = shown.at(-1);
  const isCut = hasMore || others.length > limit;
  return {
    folder,
    children: shown.map(({ entry }) => entry),
    next: isCut && last !== undefined ? [last.entry.kind === 'folder' ? 0 : 1, last.nameKey, last.entry.id] : null,
    asOf,
  };
}

/** Puts an entry where it belongs, in place of what it was before; beyond the end of the page is nowhere. */
function place(page: Page, entry: Entry): void {
  const child = { entry, nameKey: toNameKey(entry.name) };
  const { children } = page;
  let low = 0;
  for (let high = children.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (compare(children[middle] as Child, child) < 0) low = middle + 1;
    else high = middle;
  }
  const isThere = children[low]?.entry.id === entry.id;
  if (low === children.length && page.hasMore) return;
  children.splice(low, isThere ? 1 : 0, child);
  if (children.length > keptChildren) {
    children.pop();
    page.hasMore = true;
  }
}

function compare(a: Child, b: Child): number {
  if (a.entry.kind !== b.entry.kind) return a.entry.kind === 'folder' ? -1 : 1;
  return compareNameKeys(a.nameKey, b.nameKey);
}
