// Drag and drop: entries to another folder, and files from the desktop.

import type { Entry } from '@cabinet/client';
import { type DragEvent, useState } from 'react';

const ours = 'application/x-cabinet-entries';
/** The dragged entries, because the browser hides the data until the drop. */
let dragged: readonly Entry[] = [];

export function beginDrag(event: DragEvent, entries: readonly Entry[]): void {
  dragged = entries;
  event.dataTransfer.effectAllowed = 'copyMove';
  event.dataTransfer.setData(ours, String(entries.length));
}

export function hasFiles({ dataTransfer }: { dataTransfer: DataTransfer | null }): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

export interface DropTarget {
  onEntries(entries: readonly Entry[], isCopy: boolean): void;
  onFiles(transfer: DataTransfer): void;
}

/** What a folder needs to be dropped on; `isOver` while something is held above it. */
export function useDrop(target: DropTarget | null) {
  const [isOver, setOver] = useState(false);
  if (target === null) return { isOver: false, handlers: {} };
  const isMeant = (event: DragEvent) => event.dataTransfer.types.includes(ours) || hasFiles(event);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!isMeant(event)) return;
        event.preventDefault();
        event.stopPropagation();
        event.dataTransfer.dropEffect = hasFiles(event) || event.ctrlKey || event.altKey ? 'copy' : 'move';
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        setOver(false);
        if (!isMeant(event)) return;
        event.preventDefault();
        event.stopPropagation();
        if (hasFiles(event)) target.onFiles(event.dataTransfer);
        else target.onEntries(dragged, event.ctrlKey || event.altKey);
        // The event stops here, so other listeners for the end of a drag are notified separately.
        window.dispatchEvent(new Event('dragend'));
      },
    },
  };
}
