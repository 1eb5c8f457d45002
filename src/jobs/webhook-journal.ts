// The journal as webhooks read it: pages that all webhooks of a space share, and which of their folders each change concerns, found
// once for all of them.

import type { WebhookWork } from '../catalog/verbs/webhook-deliveries.ts';
import type { SpaceChange, SpaceJournalPage } from '../catalog/verbs/webhook-events.ts';
import { isOfEntry, matchEvent } from '../domain/webhook-events.ts';
import type { Cabinet } from '../operations/cabinet.ts';

export const pageChanges = 200;

interface Page extends SpaceJournalPage {
  /** For each folder that is watched, the changes that concern it. Found when a webhook first needs it. */
  placed: Promise<ReadonlyMap<string, readonly SpaceChange[]>> | null;
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

  /** Whether the page has changes of the folder of the webhook. */
  async isConcerned({ space, folderId }: WebhookWork, page: Page): Promise<boolean> {
    return (await this.#findPlaced(space, folderId, page)).length > 0;
  }

  /** The changes of the page that the webhook gets, in order. */
  async select({ id, space, folderId, events }: WebhookWork, page: Page): Promise<SpaceChange[]> {
    const selected: SpaceChange[] = [];
    for (const change of await this.#findPlaced(space, folderId, page)) {
      const isItsCreation = change.action === 'webhook.created' && change.entry === id;
      if (!isItsCreation && (await this.#isMatch(space, events, change))) selected.push(change);
    }
    return selected;
  }

  async #findPlaced(space: number, folderId: string | null, page: Page): Promise<readonly SpaceChange[]> {
    if (folderId === null || page.changes.length === 0) return page.changes;
    page.placed ??= this.#place(space, page.changes, folderId);
    const placed = (await page.placed).get(folderId);
    if (placed !== undefined) return placed;
    // It still works on a page of before, and nobody else watches this folder.
    return (await this.#place(space, page.changes, folderId)).get(folderId) ?? [];
  }

  async #isMatch(space: number, events: readonly string[], change: SpaceChange): Promise<boolean> {
    const match = matchEvent(events, change.action);
    if (typeof match === 'boolean') return match;
    const kind = await this.#catalog.findKind({ space, change });
    return kind === null || match.includes(kind);
  }

  async #place(space: number, changes: readonly SpaceChange[], folder: string) {
    const ofEntries = changes.filter(({ action }) => isOfEntry(action));
    const folders = [...new Set([...(this.#folders.get(space) ?? []), folder])];
    const found = await this.#catalog.placeChanges({ space, changes: ofEntries, folders });
    const placed = new Map<string, SpaceChange[]>(folders.map((one) => [one, []]));
    for (const [index, change] of ofEntries.entries())
      for (const one of found[index] ?? []) placed.get(one)?.push(change);
    return placed;
  }
}
