// The details pane and the list show the same entry: the pane follows the selection, and the list selects what an address names.

import { useEffect, useRef } from 'react';
import { setParams } from '../routing/router.ts';
import type { Selection } from './selection.ts';

/** Whoever goes through the list by keys does not load each entry on the way. */
const restMs = 100;

export function useLookAt(lookId: string | null, selection: Selection): void {
  const { chosen, positionOf } = selection;
  const one = chosen.length === 1 ? chosen[0]?.Id : undefined;
  const index = lookId === null ? -1 : positionOf(lookId);
  /** The entry of the address that the list has shown already: what is selected afterwards counts. */
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (lookId === null || shown.current === lookId || index === -1) return;
    shown.current = lookId;
    if (!selection.isSelected(lookId)) selection.only(index);
  }, [lookId, index, selection]);
  useEffect(() => {
    const isBehind = lookId !== null && shown.current !== lookId && index !== -1;
    if (lookId === null || isBehind || one === undefined || one === lookId) return;
    const timer = setTimeout(() => {
      shown.current = one;
      setParams({ look: one }, { isReplaced: true });
    }, restMs);
    return () => clearTimeout(timer);
  }, [lookId, index, one]);
}
