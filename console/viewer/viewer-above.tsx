// The viewer above a list, when the address names a file to show in full. Loaded with the first one.

import type { Entry } from '@cabinet/client';
import { lazy, Suspense } from 'react';
import type { Selection } from '../files/selection.ts';
import { useRoute } from '../routing/router.ts';
import type { Sequence } from './neighbours.ts';

const Viewer = lazy(async () => ({ default: (await import('./viewer.tsx')).Viewer }));

export function ViewerAbove({ sequence, selection }: { sequence: Sequence; selection?: Selection }) {
  const { view } = useRoute().params;
  if (view === undefined) return null;
  return (
    <Suspense>
      <Viewer id={view} sequence={sequence} onShow={(entry) => selection && follow(selection, entry)} />
    </Suspense>
  );
}

/** The list is where the viewer is. */
function follow(selection: Selection, { Id }: Entry): void {
  const index = selection.positionOf(Id);
  if (index === selection.cursor) return;
  if (selection.selected.size === 1) selection.only(index);
  else selection.point(index);
}
