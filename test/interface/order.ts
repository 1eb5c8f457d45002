// The six orders of a listing (docs/contract.md §10.2), computed from records, for tests to compare with.

import { type Entry, must } from './assertions.ts';

export const ORDERS = ['name', '-name', 'modified', '-modified', 'size', '-size'] as const;
export type Order = (typeof ORDERS)[number];

/** By the bytes of UTF-8. */
function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

const comparisons: Record<string, (left: Entry, right: Entry) => number> = {
  name: (left, right) => compareText(left.Name.normalize('NFC'), right.Name.normalize('NFC')),
  modified: (left, right) => compareText(left.ModifiedAt, right.ModifiedAt),
  size: (left, right) => left.Size - right.Size,
};

/** Folders first; within a kind by the key, ties by Id; a minus turns both around. */
export function inOrder(entries: Entry[], order: Order): Entry[] {
  const sign = order.startsWith('-') ? -1 : 1;
  const compare = must(comparisons[order.replace('-', '')], order);
  const kind = (entry: Entry): number => (entry.Type === 'folder' ? 0 : 1);
  return entries.toSorted(
    (left, right) => kind(left) - kind(right) || sign * (compare(left, right) || compareText(left.Id, right.Id)),
  );
}
