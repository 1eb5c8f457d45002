// The orders of the service, for entries that are in the list already: folders first, ties by id.

import { compareNames, type Entry, type Order } from '@cabinet/client';

export type Comparison = (a: Entry, b: Entry) => number;

export function toComparison(order: Order): Comparison {
  const sign = order.startsWith('-') ? -1 : 1;
  const by = comparisons[order.replace('-', '')] ?? compareByName;
  return (a, b) => {
    if (a.Type !== b.Type) return a.Type === 'folder' ? -1 : 1;
    return sign * (by(a, b) || compareValues(a.Id, b.Id));
  };
}

function compareByName(a: Entry, b: Entry): number {
  return compareNames(a.Name, b.Name);
}

const comparisons: Record<string, Comparison> = {
  size: (a, b) => compareValues(a.Size, b.Size),
  modified: (a, b) => compareValues(a.ModifiedAt, b.ModifiedAt),
};

function compareValues(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
