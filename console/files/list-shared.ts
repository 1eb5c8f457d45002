// What the list and the tiles share.

import type { Entry, Lock } from '@cabinet/client';
import type { MouseEvent } from 'react';
import type { DropTarget } from './drag.ts';
import type { KeyCommands } from './keys.ts';
import type { Listing, Order } from './listing.ts';
import type { Selection } from './selection.ts';

export interface EntriesProps {
  listing: Listing;
  selection: Selection;
  order: Order;
  setOrder(order: Order): void;
  commands: KeyCommands;
  /** The entry that is being renamed. */
  renaming: string | null;
  onRename(entry: Entry, name: string): Promise<void>;
  onRenameEnd(): void;
  /** Null if nothing may be dropped there. */
  dropOn(entry: Entry): DropTarget | null;
  canWrite: boolean;
  /** By entry. */
  locks: ReadonlyMap<string, readonly Lock[]>;
  /** Those that the person shares by a link. */
  linked: ReadonlySet<string>;
}

/** As file managers do it: a click selects one, with Ctrl one more, with Shift all up to it. A finger opens; once something is
 *  selected (by holding), it selects more. */
export function choose(event: MouseEvent, { selection, commands }: EntriesProps, index: number): void {
  const isTouch = (event.nativeEvent as PointerEvent).pointerType === 'touch';
  const entry = selection.entries[index];
  if (isTouch && selection.selected.size === 0 && entry !== undefined) commands.open(entry);
  else if (isTouch) selection.toggle(index);
  else if (event.shiftKey) selection.extend(index);
  else if (event.ctrlKey || event.metaKey) selection.toggle(index);
  else selection.only(index);
}

/** Holding a finger on an entry selects it; the menu of the browser would cover it. */
export function holdToSelect(event: MouseEvent, { selection }: EntriesProps, index: number): void {
  if ((event.nativeEvent as PointerEvent).pointerType !== 'touch') return;
  event.preventDefault();
  selection.toggle(index);
}

/** The next page is fetched when this many rows are left. */
export const aheadRows = 60;

export function toRowId(entry: Entry | undefined): string | undefined {
  return entry === undefined ? undefined : `entry-${entry.Id}`;
}
