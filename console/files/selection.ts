// The selection and the cursor of a list, by mouse and keyboard as in common file managers.

import type { Entry } from '@cabinet/client';
import { useMemo, useState } from 'react';
import type { Rows } from './listing.ts';

interface State {
  selected: ReadonlySet<string>;
  /** The cursor, and the anchor of a range. */
  cursorId: string | null;
  anchorId: string | null;
}

export interface Selection extends Pick<Rows, 'at' | 'positionOf' | 'reach' | 'total'> {
  selected: ReadonlySet<string>;
  chosen: readonly Entry[];
  /** Its position; -1 without one. */
  cursor: number;
  cursorId: string | null;
  isSelected(id: string): boolean;
  /** Selects this one alone. */
  only(index: number): void;
  toggle(index: number): void;
  /** From where the last selection began; loads what is between. */
  extend(index: number): void;
  /** Moves the cursor and leaves the selection. */
  point(index: number): void;
  /** Selects this one alone, which may just have been loaded. */
  onlyEntry(entry: Entry): void;
  /** The same for all entries from where the last selection began up to this one. */
  extendTo(all: readonly Entry[], entry: Entry | undefined): void;
  /** Selects nothing; the cursor goes to the next one that stays. */
  leave(gone: readonly Entry[]): void;
  all(entries?: readonly Entry[]): void;
  clear(): void;
}

const nothing: State = { selected: new Set(), cursorId: null, anchorId: null };

export function useSelection(rows: Rows): Selection {
  const { entries, at, positionOf, reach, total } = rows;
  const [state, setState] = useState(nothing);
  const { cursorId, anchorId } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: positions change with the entries and their number
  const cursor = useMemo(() => (cursorId === null ? -1 : positionOf(cursorId)), [entries, total, cursorId]);
  const chosen = useMemo(
    () => (state.selected.size === 0 ? [] : entries.filter(({ Id }) => state.selected.has(Id))),
    [entries, state.selected],
  );
  // What has left the folder is not selected any more.
  const selected = useMemo(
    () => (chosen.length === state.selected.size ? state.selected : new Set(chosen.map(({ Id }) => Id))),
    [chosen, state.selected],
  );
  const idAt = (index: number) => at(Math.max(0, Math.min(total - 1, index)))?.Id ?? null;
  const set = (ids: Iterable<string | null>, cursorId: string | null, anchorId: string | null) => {
    const known = [...ids].filter((id) => id !== null);
    setState({ selected: new Set(known), cursorId, anchorId });
  };
  const extendTo = (all: readonly Entry[], entry: Entry | undefined) => {
    const indexOf = (id: string | null) => all.findIndex(({ Id }) => Id === id);
    const from = Math.max(0, indexOf(anchorId ?? cursorId));
    const to = Math.max(0, indexOf(entry?.Id ?? null));
    const range = all.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ Id }) => Id);
    set(range, entry?.Id ?? null, all[from]?.Id ?? null);
  };
  return {
    ...{ at, positionOf, reach, total, selected, chosen, cursor, cursorId, extendTo },
    isSelected: (id) => selected.has(id),
    only: (index) => set([idAt(index)], idAt(index), idAt(index)),
    onlyEntry: ({ Id }) => set([Id], Id, Id),
    toggle(index) {
      const id = idAt(index);
      const next = new Set(selected);
      if (id !== null && !next.delete(id)) next.add(id);
      set(next, id, id);
    },
    extend(index) {
      const target = at(Math.max(0, Math.min(total - 1, index)));
      const from = Math.max(0, positionOf(anchorId ?? cursorId ?? ''));
      if (target === undefined) return;
      if (reach(from, index) === index) extendTo(entries, target);
      else void rows.loadAll().then((all) => all !== null && extendTo(all, target));
    },
    point: (index) => setState({ ...state, cursorId: idAt(index) }),
    leave(gone) {
      const ids = new Set(gone.map(({ Id }) => Id));
      const first = entries.findIndex(({ Id }) => ids.has(Id));
      const stays = ({ Id }: Entry) => !ids.has(Id);
      const next = entries.slice(Math.max(0, first)).find(stays) ?? entries.findLast(stays);
      setState({ selected: new Set(), cursorId: next?.Id ?? null, anchorId: null });
    },
    all: (whole = entries) => setState({ ...state, selected: new Set(whole.map(({ Id }) => Id)) }),
    clear: () => setState({ ...state, selected: new Set() }),
  };
}
