// The files before and after the shown one, in the order of the list. Folders are left out. Further pages are loaded ahead.

import type { Entry } from '@cabinet/client';
import { useEffect, useMemo } from 'react';

/** What the list shows, as far as it is loaded. */
export interface Sequence {
  entries: readonly Entry[];
  isWhole: boolean;
  isLoading: boolean;
  loadMore(): void;
}

export interface Neighbours {
  /** Null: not in the list, or not loaded yet. */
  entry: Entry | null;
  /** Counted from 1. */
  at: number;
  of: number;
  isMore: boolean;
  previous: Entry | null;
  next: Entry | null;
}

/** The next page is loaded when this many files are left. */
const aheadFiles = 20;

export function useNeighbours(id: string, { entries, isWhole, isLoading, loadMore }: Sequence): Neighbours {
  const files = useMemo(() => entries.filter(({ Type }) => Type === 'file'), [entries]);
  const index = files.findIndex(({ Id }) => Id === id);
  const isNeeded = !isWhole && !isLoading && (index === -1 || index > files.length - aheadFiles);
  useEffect(() => {
    if (isNeeded) loadMore();
  }, [isNeeded, loadMore]);
  return {
    entry: files[index] ?? null,
    at: index + 1,
    of: files.length,
    isMore: !isWhole,
    previous: files[index - 1] ?? null,
    next: index === -1 ? null : (files[index + 1] ?? null),
  };
}
