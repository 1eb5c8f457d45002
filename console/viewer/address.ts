// The viewer's place in the address (`view`) and in the history: going back closes it.

import { setParams } from '../routing/router.ts';

/** Whether the entry before in the history is the list. Not after a reload, or by an address that somebody sent. */
let isAboveList = false;

/** For links that lead to the viewer. */
export function noteOpening(): void {
  isAboveList = true;
}

export function openViewer(id: string): void {
  noteOpening();
  setParams({ view: id });
}

/** Another file in the same place of the history. */
export function showInViewer(id: string): void {
  setParams({ view: id }, { isReplaced: true });
}

export function closeViewer(): void {
  if (isAboveList) window.history.back();
  else setParams({ view: '', tab: '' }, { isReplaced: true });
  isAboveList = false;
}
