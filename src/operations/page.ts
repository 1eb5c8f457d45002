// A page of a list that is ordered by one text.

export interface ListRequest {
  /** The text of the last one before the page; null: the first page. */
  after: string | null;
  limit: number;
}

export interface Page<Item> {
  items: Item[];
  /** After which the next page begins; null: there is none. */
  next: string | null;
}

/** Of one more than fits, which tells whether there is a next page. */
export function toPage<Item>(found: readonly Item[], limit: number, toText: (item: Item) => string): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? toText(last) : null };
}
