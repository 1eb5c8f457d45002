// The files that the viewer goes through: those of one stretch, so that it never steps over a gap.

import type { Sequence } from '../viewer/neighbours.ts';
import type { ListLoader } from './list-loader.ts';
import type { Listed } from './stretches.ts';

/** Where nothing is known of the entry, this is the start of the folder. */
export function toSequence(listed: Listed | null, id: string | undefined, loader: ListLoader): Sequence {
  const { isLoading } = loader;
  const found =
    listed?.stretches.findLast(({ entries }) => entries.some(({ Id }) => Id === id)) ?? listed?.stretches[0];
  if (listed === null || found === undefined) return { entries: [], isWhole: false, isLoading, loadMore() {} };
  const { start, entries, next, previous } = found;
  const end = start + entries.length;
  const loadMore = () => loader.show({ first: end - 1, last: end - 1 });
  const sequence = { entries, isWhole: next === null, isLoading, loadMore };
  if (previous === null) return sequence;
  const loadBefore = () => loader.show({ first: start, last: start });
  return { ...sequence, loadBefore, place: toPlace(listed, start) };
}

/** Files are counted: that needs all folders, which come first. */
function toPlace({ stretches, total }: Listed, start: number): NonNullable<Sequence['place']> | null {
  const folders = stretches[0]?.entries.findIndex(({ Type }) => Type === 'file') ?? -1;
  return folders === -1 ? null : { before: start - folders, of: total - folders };
}
