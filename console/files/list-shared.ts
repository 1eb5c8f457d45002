// What the list and the tiles share.

import type { Entry, Lock } from '@cabinet/client';
import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react';
import type { Point } from '../parts/context-menu.tsx';
import type { DropTarget } from './drag.ts';
import type { OpenMenu } from './folder-action.ts';
import type { KeyCommands } from './keys.ts';
import type { Listing, Order } from './listing.ts';
import type { Selection } from './selection.ts';
import type { Range } from './stretches.ts';

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
  starred: ReadonlySet<string>;
  /** Opens the menu of the selected entries, or of the folder. */
  openMenu(menu: OpenMenu): void;
  /** By entry. */
  locks: ReadonlyMap<string, readonly Lock[]>;
  /** Those that the person shares by a link. */
  linked: ReadonlySet<string>;
}

/** As file managers do it: a click selects one, with Ctrl one more, with Shift all up to it. A finger opens; once something is
 *  selected (by its box), it selects more. */
export function choose(event: MouseEvent, { selection, commands }: EntriesProps, index: number): void {
  const isTouch = (event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch';
  const entry = selection.at(index);
  if (isTouch && wasHeld) return;
  if (isTouch && selection.selected.size === 0 && entry !== undefined) commands.open(entry);
  else if (isTouch) selection.toggle(index);
  else if (event.shiftKey) selection.extend(index);
  else if (event.ctrlKey || event.metaKey) selection.toggle(index);
  else selection.only(index);
}

/** Of the entry, or of all that are selected if it is one of them. */
export function openEntryMenu({ selection, openMenu }: EntriesProps, index: number, at: Point): void {
  const entry = selection.at(index);
  if (entry === undefined) return;
  if (!selection.isSelected(entry.Id)) selection.only(index);
  openMenu({ at, isOfFolder: false });
}

export function openMenuHere(event: MouseEvent, props: EntriesProps, index: number): void {
  event.preventDefault();
  event.stopPropagation();
  openEntryMenu(props, index, { x: event.clientX, y: event.clientY });
}

/** Where there is no entry; by a key, the event comes from the list itself. */
export function openFolderMenu(event: MouseEvent, { selection, commands, openMenu }: EntriesProps): void {
  event.preventDefault();
  if ((event.nativeEvent as globalThis.PointerEvent).pointerType === '') {
    commands.menu();
    return;
  }
  selection.clear();
  openMenu({ at: { x: event.clientX, y: event.clientY }, isOfFolder: true });
}

const holdMs = 500;
const stillPixels = 10;
let holding: { timer: ReturnType<typeof setTimeout>; at: Point } | null = null;
let wasHeld = false;

/** A finger that stays opens the menu; not every browser reports that as a right click. */
export function holdForMenu(props: EntriesProps, index: number) {
  const end = () => {
    clearTimeout(holding?.timer);
    holding = null;
  };
  return {
    onPointerDown({ pointerType, clientX: x, clientY: y }: PointerEvent) {
      end();
      wasHeld = false;
      if (pointerType !== 'touch') return;
      const open = () => {
        wasHeld = true;
        openEntryMenu(props, index, { x, y });
      };
      holding = { timer: setTimeout(open, holdMs), at: { x, y } };
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      if (holding === null) return;
      if (Math.hypot(clientX - holding.at.x, clientY - holding.at.y) > stillPixels) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

/** Loads what is missing among the rows that are drawn, and around them. */
export function useShownRows(listing: Listing, { first, last }: Range): void {
  useEffect(() => listing.show(first, last), [listing, first, last]);
}

/** The list shows where the cursor is when it moves. What others add or remove moves a cursor that is out of sight, and not the list. */
export function useFollowedCursor(
  { cursor, cursorId }: Selection,
  { first, last }: Range,
  scrollTo: (cursor: number) => void,
): void {
  const before = useRef<{ id: string | null; wasShown: boolean }>({ id: null, wasShown: false });
  const scroll = useRef(scrollTo);
  scroll.current = scrollTo;
  useEffect(() => {
    const isMoved = cursorId !== before.current.id;
    if (cursor >= 0 && (isMoved || before.current.wasShown)) scroll.current(cursor);
    // A cursor on one that has just been loaded has no position for a moment.
    if (cursor >= 0 || cursorId === null) before.current.id = cursorId;
  }, [cursor, cursorId]);
  useEffect(() => {
    before.current.wasShown = first <= cursor && cursor <= last;
  });
}

export function toRowId(entry: Entry | undefined): string | undefined {
  return entry === undefined ? undefined : `entry-${entry.Id}`;
}
