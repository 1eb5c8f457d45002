// Keyboard navigation in a list of entries. The list has the focus; the active entry is announced to screen readers.

import type { Entry } from '@cabinet/client';
import type { KeyboardEvent } from 'react';
import type { Selection } from './selection.ts';

export interface KeyCommands {
  open(entry: Entry): void;
  up(): void;
  rename(entry: Entry): void;
  remove(): void;
  cut(): void;
  copy(): void;
  paste(): void;
  details(): void;
  newFolder(): void;
  selectAll(): void;
  /** Opens the menu of the selection, or of the entry at the cursor. */
  menu(): void;
  star(): void;
  /** Goes to the last entry of the folder. */
  end(isRange: boolean): void;
  /** Goes to the next entry whose name begins with the text. */
  find(text: string, isNext: boolean): void;
}

interface KeyShape {
  /** How many stand side by side. */
  columns: number;
  /** How many rows are seen at once. */
  rows: number;
}

/** Returns whether the key was handled. */
export function handleKey(event: KeyboardEvent, selection: Selection, commands: KeyCommands, shape: KeyShape): boolean {
  const target = step(event.key, selection, shape);
  if (target !== null) {
    move(event, selection, target);
    return true;
  }
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key === 'End' && !isCommand) {
    commands.end(event.shiftKey);
    return true;
  }
  if (!isCommand && typeAhead(event, commands)) return true;
  const run = isCommand ? withControl(event.key, commands) : plain(event, selection, commands);
  run?.();
  return run !== null;
}

/** After a pause, letters begin a new name. */
const pauseMs = 1000;
let typed = '';
let typedAt = 0;

/** Letters go to the name that begins so. The keys of commands are letters only within a name, or with Shift. */
function typeAhead({ key, altKey, shiftKey, timeStamp }: KeyboardEvent, commands: KeyCommands): boolean {
  const isWithin = typed !== '' && timeStamp - typedAt < pauseMs;
  const isLetter = [...key].length === 1 && /[\p{L}\p{N}\p{P}\p{S} ]/u.test(key) && !altKey;
  const isCommand = key === ' ' || key === '?' || key === '/' || (/^[nis]$/i.test(key) && !shiftKey);
  if (!isLetter || (isCommand && !isWithin)) return false;
  // The same letter again goes on to the next name.
  const isNext = isWithin && typed.toLowerCase() === key.toLowerCase();
  typed = isWithin && !isNext ? typed + key : key;
  typedAt = timeStamp;
  commands.find(typed, isNext);
  return true;
}

function step(key: string, { cursor }: Selection, { columns, rows }: KeyShape): number | null {
  const isFirst = cursor === -1;
  switch (key) {
    case 'ArrowDown':
      return isFirst ? 0 : cursor + columns;
    case 'ArrowUp':
      return isFirst ? 0 : cursor - columns;
    case 'ArrowRight':
      return columns === 1 ? null : cursor + 1;
    case 'ArrowLeft':
      return columns === 1 ? null : Math.max(0, cursor - 1);
    case 'PageDown':
      return cursor + rows * columns;
    case 'PageUp':
      return Math.max(0, cursor - rows * columns);
    case 'Home':
      return 0;
    default:
      return null;
  }
}

function move(event: KeyboardEvent, selection: Selection, target: number): void {
  const wanted = Math.max(0, Math.min(selection.total - 1, target));
  // Where rows are missing, they are loaded when the last one before them is reached.
  const index = selection.at(wanted) === undefined ? selection.reach(selection.cursor, wanted) : wanted;
  if (event.shiftKey) selection.extend(index);
  else if (event.ctrlKey || event.metaKey) selection.point(index);
  else selection.only(index);
}

function withControl(key: string, commands: KeyCommands): (() => void) | null {
  const byKey: Record<string, () => void> = {
    a: commands.selectAll,
    x: commands.cut,
    c: commands.copy,
    v: commands.paste,
  };
  return byKey[key.toLowerCase()] ?? null;
}

function plain(
  { key, altKey, shiftKey }: KeyboardEvent,
  selection: Selection,
  commands: KeyCommands,
): (() => void) | null {
  const entry = selection.at(selection.cursor);
  if (altKey) return null;
  switch (key) {
    case 'Enter':
      return () => entry !== undefined && commands.open(entry);
    case 'F2':
      return () => entry !== undefined && commands.rename(entry);
    case ' ':
      return () => selection.toggle(selection.cursor);
    case 'Delete':
      return commands.remove;
    case 'Backspace':
      return commands.up;
    case 'Escape':
      return selection.clear;
    case 'ContextMenu':
      return commands.menu;
    case 'F10':
      return shiftKey ? commands.menu : null;
    case 's':
      return commands.star;
    case 'i':
      return commands.details;
    case 'n':
      return commands.newFolder;
    default:
      return null;
  }
}
