// The journal as webhooks read it: pages that all webhooks of a space share, and which of their folders each change concerns, found
// once for all of them.

import type { WebhookWork } from '../catalog/verbs/webhook-deliveries.ts';
import type { SpaceChange, SpaceJournalPage } from '../catalog/verbs/webhook-events.ts';
import { isOfEntry, matchEvent } from '../domain/webhook-events.ts';
import type { Cabinet } from '../operations/cabinet.ts';

export const pageChanges = 200;

interface Page extends SpaceJournalPage {
  /** For each position, the folders whose webhooks get it. Found when a webhook first needs it. */
  placed: Promise<ReadonlyMap<number, readonly string[]>> | null;
}

export class WebhookJournal {
  readonly #catalog: Cabinet['catalog'];
  /** The folders that webhooks of each space watch. */
  #folders: ReadonlyMap<number, readonly string[]> = new Map();
  #pages = new Map<string, Promise<Page>>();

  constructor(catalog: Cabinet['catalog']) {
    this.#catalog = catalog;
  }

  /** Forgets the pages: there may be more now. */
  begin(works: readonly WebhookWork[]): void {
    const watching = works.filter(({ folderId }) => folderId !== null);
    const bySpace = Map.groupBy(watching, ({ space }) => space);
    const toFolders = (some: readonly WebhookWork[]) => [...new Set(some.map(({ folderId }) => folderId ?? ''))];
    this.#folders = new Map([...bySpace].map(([space, some]) => [space, toFolders(some)]));
    this.#pages = new Map();
  }

  read(space: number, after: number): Promise<Page> {
    const key = `${space} ${after}`;
    const pages = this.#pages;
    const known = pages.get(key);
    if (known !== undefined) return known;
    const page = this.#catalog
      .listSpaceJournal({ space, after, limit: pageChanges })
      .then((listed) => ({ ...listed, placed: null }));
    pages.set(key, page);
    return page;
  }

  /** Whether the webhook gets the change. */
  async isWanted({ id, space, folderId, events }: WebhookWork, change: SpaceChange, page: Page): Promise<boolean> {
    const { action, entry, position } = change;
    if (action === 'webhook.created' && entry === id) return false;
    const match = matchEvent(events, action);
    if (match === false || (folderId !== null && !isOfEntry(action))) return false;
    if (folderId !== null) {
      page.placed ??= this.#place(space, page.changes, folderId);
      if (!(await page.placed).get(position)?.includes(folderId)) return false;
    }
    if (match === true) return true;
    const kind = await this.#catalog.findKind({ space, change });
    return kind === null || match.includes(kind);
  }

  async #place(space: number, changes: readonly SpaceChange[], folder: string) {
    const ofEntries = changes.filter(({ action }) => isOfEntry(action));
    // A webhook that still works on an earlier page may watch a folder that none watches any more.
    const folders = [...new Set([...(this.#folders.get(space) ?? []), folder])];
    const placed = await this.#catalog.placeChanges({ space, changes: ofEntries, folders });
    return new Map(ofEntries.map(({ position }, index) => [position, placed[index] ?? []]));
  }
}
