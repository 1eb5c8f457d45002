// Dragging: entries of ours to another folder, and files from the desktop into one.

import type { Entry } from '@cabinet/client';
import { type DragEvent, useState } from 'react';

const ours = 'application/x-cabinet-entries';
/** What is dragged; the browser shows it to nobody until it is dropped. */
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
        // Others that wait for the end of a drag of files are told too: the event itself stops here.
        window.dispatchEvent(new Event('dragend'));
      },
    },
  };
}
