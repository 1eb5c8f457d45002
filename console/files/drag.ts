// Drag and drop: entries to another folder, and files from the desktop.

import type { Entry } from '@cabinet/client';
import { type DragEvent, useState, useSyncExternalStore } from 'react';

const ours = 'application/x-cabinet-entries';
/** The dragged entries, because the browser hides the data until the drop. */
let dragged: readonly Entry[] = [];

/** What a drop would do where the pointer is. */
export interface DropHint {
  kind: 'upload' | 'move' | 'copy';
  count: number;
  /** The folder. */
  name: string;
}

const listeners = new Set<() => void>();
let hint: DropHint | null = null;

function setHint(next: DropHint | null): void {
  if (hint?.kind === next?.kind && hint?.name === next?.name && hint?.count === next?.count) return;
  hint = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useDropHint(): DropHint | null {
  return useSyncExternalStore(subscribe, () => hint);
}

export function beginDrag(event: DragEvent, entries: readonly Entry[]): void {
  dragged = entries;
  event.dataTransfer.effectAllowed = 'copyMove';
  event.dataTransfer.setData(ours, String(entries.length));
  if (entries.length > 1) showCount(event, entries.length);
  window.addEventListener('dragend', () => setHint(null), { once: true });
}

/** Of several entries, the pointer carries how many they are. */
function showCount({ dataTransfer }: DragEvent, count: number): void {
  const badge = document.createElement('div');
  badge.className = 'drag-count';
  badge.textContent = String(count);
  document.body.append(badge);
  dataTransfer.setDragImage(badge, -8, -8);
  // The browser takes its picture after this event.
  setTimeout(() => badge.remove());
}

export function hasFiles({ dataTransfer }: { dataTransfer: DataTransfer | null }): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

export interface DropTarget {
  id: string;
  /** The folder, as the hint calls it. */
  name: string;
  /** Whether entries would change their folder by a move. */
  isElsewhere: boolean;
  onEntries(entries: readonly Entry[], isCopy: boolean): void;
  onFiles(transfer: DataTransfer): void;
}

/** What a folder needs to be dropped on; `isOver` while something is held above it. */
export function useDrop(target: DropTarget | null) {
  const [isOver, setOver] = useState(false);
  if (target === null) return { isOver: false, handlers: {} };
  const toHint = (event: DragEvent): DropHint | null => {
    const { name } = target;
    if (hasFiles(event)) return { kind: 'upload', count: 0, name };
    // A folder cannot go into itself, and what is there already need not move.
    if (!event.dataTransfer.types.includes(ours) || dragged.some(({ Id }) => Id === target.id)) return null;
    const isCopy = event.ctrlKey || event.altKey;
    return isCopy || target.isElsewhere ? { kind: isCopy ? 'copy' : 'move', count: dragged.length, name } : null;
  };
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        const meant = toHint(event);
        if (meant === null) return;
        event.preventDefault();
        event.stopPropagation();
        event.dataTransfer.dropEffect = meant.kind === 'move' ? 'move' : 'copy';
        setHint(meant);
        setOver(true);
      },
      onDragLeave() {
        setHint(null);
        setOver(false);
      },
      onDrop(event: DragEvent) {
        setOver(false);
        const meant = toHint(event);
        setHint(null);
        if (meant === null) return;
        event.preventDefault();
        event.stopPropagation();
        if (hasFiles(event)) target.onFiles(event.dataTransfer);
        else target.onEntries(dragged, meant.kind === 'copy');
        // The event stops here, so other listeners for the end of a drag are notified separately.
        window.dispatchEvent(new Event('dragend'));
      },
    },
  };
}
