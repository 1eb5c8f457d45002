// The files before and after the shown one, in the order of the list. Folders are left out. Further pages are loaded ahead.

import type { Entry } from '@cabinet/client';
import { useEffect, useMemo } from 'react';

/** What the list shows, as far as it is loaded. */
export interface Sequence {
  entries: readonly Entry[];
  isWhole: boolean;
  isLoading: boolean;
  loadMore(): void;
  /** If something is before the entries. */
  loadBefore?(): void;
  /** How many files are before them, and in all; null if that is not known. Absent: they are the first. */
  place?: { before: number; of: number } | null;
}

export interface Neighbours {
  /** Null: not in the list, or not loaded yet. */
  entry: Entry | null;
  /** Counted from 1; 0 if that is not known. */
  at: number;
  of: number;
  isMore: boolean;
  previous: Entry | null;
  next: Entry | null;
}

/** The next page is loaded when this many files are left. */
const aheadFiles = 20;

export function useNeighbours(id: string, sequence: Sequence): Neighbours {
  const { entries, isWhole, isLoading, loadMore, loadBefore, place } = sequence;
  const files = useMemo(() => entries.filter(({ Type }) => Type === 'file'), [entries]);
  const index = files.findIndex(({ Id }) => Id === id);
  const isNeeded = !isWhole && !isLoading && (index === -1 || index > files.length - aheadFiles);
  useEffect(() => {
    if (isNeeded) loadMore();
  }, [isNeeded, loadMore]);
  const isNeededBefore = !isLoading && index !== -1 && index < aheadFiles;
  useEffect(() => {
    if (isNeededBefore) loadBefore?.();
  }, [isNeededBefore, loadBefore]);
  const isCounted = index !== -1 && place !== null;
  return {
    entry: files[index] ?? null,
    at: isCounted ? (place?.before ?? 0) + index + 1 : 0,
    of: place?.of ?? files.length,
    isMore: !isWhole && place === undefined,
    previous: files[index - 1] ?? null,
    next: index === -1 ? null : (files[index + 1] ?? null),
  };
}
