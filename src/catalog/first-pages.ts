// Keeps the first pages of the folders that are saved into, so that the reply to a save needs no query: a wrapper around
// a catalog with the same verbs. Right only where every write passes through it, that is, for a catalog that one thread uses.
//
// What is kept follows the outcomes of writes in the order in which they are told, which is commit order. A save changes
// the page of its folder, and the sizes shown in the pages of all folders above: those are let go. A verb that is not
// known here lets go of everything.

import { LRUCache } from 'lru-cache';
import type { Entry } from '../domain/entry.ts';
import { compareNameKeys, toNameKey } from '../domain/name.ts';
import { type Catalog, writes } from './catalog.ts';
import type { FolderPage, ListFolder } from './list-folder.ts';
import type { SavedFile } from './save-file.ts';

/** A first page holds 100; one more is seen to tell whether there is a next, one more may be excluded. */
const keptChildren = 102;
const largestLimit = 100;
const keptPages = 128;
/** A page with an entry of more properties than this is not kept: memory is bounded by what a page can hold. */
const mostPropertiesBytes = 2048;

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

/** Writes that change nothing that a page shows. */
const harmless = new Set<keyof typeof writes>([
  'abandonCopies',
  'abandonCopy',
  'addApplication',
  'addCertificate',
  'addMember',
  'addSpace',
  'addUser',
  'claimSetting',
  'commentVersion',
  'consumeIssuerRecord',
  'continueCopy',
  'endGrant',
  'endIssuerRecord',
  'endLease',
  'emptyTrash',
  'endSignIns',
  'expireLeases',
  'expireVersions',
  'forgetIssuerRecords',
  'forgetJournal',
  'forgetResults',
  'leaseBlob',
  'noteRead',
  'purgeSlice',
  'putIssuerRecord',
  'removeCertificate',
  'removeVersion',
  'renameSpace',
  'renewLeases',
  'replaceBlob',
  'rotateSecret',
  'setApplicationState',
  'setMember',
  'setPassword',
  'setQuota',
  'setRole',
  'setSetting',
  'setUserState',
]);

export function keepFirstPages(catalog: Catalog): Catalog {
  const pages = new LRUCache<string, Page>({ max: keptPages });
  let outcomes = 0;

  async function listFolder(asked: ListFolder): Promise<FolderPage | null> {
    const isFirst = asked.after === undefined && asked.limit <= largestLimit && (asked.order ?? 'name') === 'name';
    if (!isFirst) return await catalog.listFolder(asked);
    const known = pages.get(asked.folder);
    // One of another space is looked for like one that is not there: it must not even be answered sooner.
    if (known !== undefined && known.space === asked.space) return { ...toFolderPage(known, asked), isKept: true };
    const before = outcomes;
    const found = await catalog.listFolder({
      space: asked.space,
      folder: asked.folder,
      limit: keptChildren,
    });
    if (found === null) return null;
    const page = toPage(asked.space, found);
    // Something was written while we looked: nobody can say whether the page has it.
    const canBeKept = outcomes === before && found.folder.kind === 'folder' && !found.children.some(isHeavy);
    if (canBeKept) pages.set(asked.folder, page);
    return toFolderPage(page, asked);
  }

  function followSave<Saved extends SavedFile>(saved: Saved): Saved {
    if (saved.isReplayed) return saved;
    outcomes += 1;
    for (const id of saved.above) pages.delete(id);
    const page = pages.get(saved.folder.id);
    if (page !== undefined && follow(page, saved.position)) {
      page.folder = saved.folder;
      place(page, saved.file);
      if (isHeavy(saved.file)) pages.delete(saved.folder.id);
    }
    return saved;
  }

  const others = (Object.keys(writes) as (keyof typeof writes)[]).filter((name) => !harmless.has(name));
  const careful = others.map((name) => [
    name,
    async (input: never) => {
      const result = await (catalog[name] as (input: never) => Promise<unknown>)(input);
      outcomes += 1;
      pages.clear();
      return result;
    },
  ]);

  return {
    ...catalog,
    ...Object.fromEntries(careful),
    listFolder,
    async saveFile(asked) {
      return followSave(await catalog.saveFile(asked));
    },
    async saveVersion(asked) {
      const saved = await catalog.saveVersion(asked);
      return saved === null ? null : followSave(saved);
    },
    async createFolder(asked) {
      const created = await catalog.createFolder(asked);
      if (created.isReplayed || created.isExisting) return created;
      outcomes += 1;
      for (const { holder, folder, position } of created.made) {
        const page = pages.get(holder);
        if (page === undefined || !follow(page, position)) continue;
        place(page, folder);
        if (isHeavy(folder)) pages.delete(holder);
      }
      return created;
    },
  };
}

function isHeavy({ properties }: Entry): boolean {
  let bytes = 0;
  for (const key in properties) bytes += key.length + (properties[key]?.length ?? 0);
  return bytes > mostPropertiesBytes;
}

/** A page may have been read after a commit whose outcome is told only now: then it has the change already. */
function follow(page: Page, position: number | null): boolean {
  if (position === null || position <= page.asOf) return false;
  page.asOf = position;
  return true;
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
