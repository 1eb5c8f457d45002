// What happens to what is dropped on a folder: entries move there, or are copied with Ctrl; files are uploaded into it.

import { useCallback } from 'react';
import { useGround } from '../session/ground.tsx';
import { gatherDropped } from '../uploads/gather.ts';
import { uploads } from '../uploads/queue.ts';
import { useActions } from './actions.ts';
import type { Step } from './chain.ts';
import type { DropTarget } from './drag.ts';

/** `from` is the folder that is shown: what is dragged lies in it. */
export function useFolderDrop(from: Step | null): (to: Step) => DropTarget | null {
  const { cabinet, canWrite } = useGround();
  const actions = useActions();
  return useCallback(
    (to) => {
      if (!canWrite || from === null) return null;
      return {
        onEntries(entries, isCopy) {
          if (entries.length === 0 || (to.id === from.id && !isCopy)) return;
          void (isCopy ? actions.copy(entries, to) : actions.move(entries, to, from));
        },
        onFiles(transfer) {
          void gatherDropped(transfer).then((given) => uploads.add(cabinet, to.id, given));
        },
      };
    },
    [actions, cabinet, canWrite, from],
  );
}
