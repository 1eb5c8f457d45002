// The selection and the cursor of a list, by mouse and keyboard as in common file managers.

import type { Entry } from '@cabinet/client';
import { useCallback, useMemo, useState } from 'react';

interface State {
  selected: ReadonlySet<string>;
  /** The cursor, and the anchor of a range. */
  cursorId: string | null;
  anchorId: string | null;
}

export interface Selection {
  entries: readonly Entry[];
  selected: ReadonlySet<string>;
  chosen: readonly Entry[];
  cursor: number;
  isSelected(id: string): boolean;
  /** Selects this one alone. */
  only(index: number): void;
  toggle(index: number): void;
  /** From where the last selection began. */
  extend(index: number): void;
  /** Moves the cursor and leaves the selection. */
  point(index: number): void;
  /** Goes to the last of all entries, those too that have just been loaded. */
  end(all: readonly Entry[], isRange: boolean): void;
  /** Selects nothing; the cursor goes to the next one that stays. */
  leave(gone: readonly Entry[]): void;
  all(entries?: readonly Entry[]): void;
  clear(): void;
}

const nothing: State = { selected: new Set(), cursorId: null, anchorId: null };

export function useSelection(entries: readonly Entry[]): Selection {
  const [state, setState] = useState(nothing);
  const { cursorId, anchorId } = state;
  const indexOf = useCallback(
    (id: string | null) => (id === null ? -1 : entries.findIndex(({ Id }) => Id === id)),
    [entries],
  );
  const cursor = useMemo(() => indexOf(cursorId), [indexOf, cursorId]);
  const chosen = useMemo(
    () => (state.selected.size === 0 ? [] : entries.filter(({ Id }) => state.selected.has(Id))),
    [entries, state.selected],
  );
  // What has left the folder is not selected any more.
  const selected = useMemo(
    () => (chosen.length === state.selected.size ? state.selected : new Set(chosen.map(({ Id }) => Id))),
    [chosen, state.selected],
  );
  const idAt = (index: number) => entries[Math.max(0, Math.min(entries.length - 1, index))]?.Id ?? null;
  const set = (ids: Iterable<string | null>, index: number, anchor: string | null) => {
    const known = [...ids].filter((id) => id !== null);
    setState({ selected: new Set(known), cursorId: idAt(index), anchorId: anchor });
  };
  return {
    entries,
    selected,
    chosen,
    cursor,
    isSelected: (id) => selected.has(id),
    only: (index) => set([idAt(index)], index, idAt(index)),
    toggle(index) {
      const id = idAt(index);
      const next = new Set(selected);
      if (id !== null && !next.delete(id)) next.add(id);
      set(next, index, id);
    },
    extend(index) {
      const from = Math.max(0, indexOf(anchorId ?? cursorId));
      const to = Math.max(0, Math.min(entries.length - 1, index));
      const range = entries.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ Id }) => Id);
      set(range, index, entries[from]?.Id ?? null);
    },
    point: (index) => setState({ ...state, cursorId: idAt(index) }),
    end(all, isRange) {
      const last = all.at(-1)?.Id ?? null;
      const anchor = isRange ? (anchorId ?? cursorId ?? all[0]?.Id ?? null) : last;
      const from = all.findIndex(({ Id }) => Id === anchor);
      const range = all.slice(Math.max(0, from)).map(({ Id }) => Id);
      setState({ selected: new Set(range), cursorId: last, anchorId: anchor });
    },
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
