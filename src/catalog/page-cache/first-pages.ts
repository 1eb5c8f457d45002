// Caches the first pages of folders that files are saved into, so that the response to a save needs no query. Correct only
// if every write goes through the one writer, which reports each commit to all threads.
//
// The cache follows the writes in commit order. A save changes the page of its folder, and the sizes in the pages of all
// folders above, which are dropped. A verb that declares that it changes all pages clears the cache.

import { LRUCache } from 'lru-cache';
import type { Entry } from '../../domain/entry.ts';
import { compareNameKeys, toNameKey } from '../../domain/name.ts';
import type { Catalog } from '../catalog.ts';
import type { FolderPage, ListFolder } from '../verbs/list-folder.ts';
import type { CommitCounter } from './commit-counter.ts';
import { isHeavy, type PageChange, type PlacedEntry } from './page-change.ts';

/** A first page has up to 100 entries; one more shows whether there is a next page, one more may be excluded. */
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
  /** The position in the journal up to which the page is correct. */
  asOf: number;
}

export class FirstPages {
  readonly #commitCounter: CommitCounter;
  readonly #pages = new LRUCache<string, Page>({ max: keptPages });
  /** The number of the last commit that was received; null: the writer does not know this thread yet and sends nothing. */
  #heard: number | null;
  #changes = 0;

  constructor(commitCounter: CommitCounter, heard: number | null) {
    this.#commitCounter = commitCounter;
    this.#heard = heard;
  }

  /** The same catalog, with first pages from the cache. */
  keep(catalog: Catalog): Catalog {
    return { ...catalog, listFolder: (input) => this.#list(catalog, input) };
  }

  /** Applies the changes of a commit, in order. Call it before anyone who waits for the commit continues. */
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
    if (!isFirst(input) || this.#heard === null) return await catalog.listFolder(input);
    const known = this.#pages.get(input.folder);
    // A folder of another space takes the same path as one that does not exist: timing must not reveal it.
    if (known !== undefined && known.space === input.space && this.#isRecent(known, input)) {
      return { ...toFolderPage(known, input), isKept: true };
    }
    this.#commitCounter.watch();
    const before = this.#changes;
    const found = await catalog.listFolder({ space: input.space, folder: input.folder, limit: keptChildren });
    if (found === null) return null;
    const page = toPage(input.space, found);
    // A write during the read: the page may or may not contain it.
    const canBeKept = this.#changes === before && found.folder.kind === 'folder' && !hasHeavy(found);
    if (canBeKept) this.#pages.set(input.folder, page);
    return toFolderPage(page, input);
  }

  /** A caller must see what another thread has answered, even if the report of that commit has not arrived yet. */
  #isRecent({ asOf }: Page, { atLeast = null }: ListFolder): boolean {
    return (atLeast !== null && asOf >= atLeast) || this.#commitCounter.last === this.#heard;
  }

  #place({ holder, entry, folder, position }: PlacedEntry): void {
    const page = this.#pages.get(holder);
    // A page may have been read after a commit that is reported only now: then it already contains the change.
    if (page === undefined || position <= page.asOf) return;
    page.asOf = position;
    if (folder !== undefined) page.folder = folder;
    place(page, entry);
  }
}

function isFirst({ after, before, offset, limit, order = 'name' }: ListFolder): boolean {
  const isElsewhere = after !== undefined || before !== undefined || offset !== undefined;
  return !isElsewhere && limit <= largestLimit && order === 'name';
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
    next: isCut && last !== undefined ? [last.entry.kind === 'folder' ? 0 : 1, last.nameKey, last.nameKey] : null,
    asOf,
  };
}

/** Inserts an entry at its position, replacing its former state. Entries beyond the end of the page are ignored. */
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
