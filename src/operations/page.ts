// A page of a list that is sorted by one string.

export interface ListRequest {
  /** The key of the last item before the page; null for the first page. */
  after: string | null;
  limit: number;
}

export interface Page<Item> {
  items: Item[];
  /** The cursor of the next page; null when there is none. */
  next: string | null;
}

/** `rows` has one item more than the page, if there is a next page. */
export function toPage<Item>(rows: readonly Item[], limit: number, toKey: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? toKey(last) : null };
}
