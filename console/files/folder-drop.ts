// Dropping on a folder: entries are moved, or copied with Ctrl; files are uploaded.

import { useCallback } from 'react';
import { useSession } from '../session/session-context.tsx';
import { gatherDropped } from '../uploads/dropped-files.ts';
import { uploads } from '../uploads/queue.ts';
import { useActions } from './actions.ts';
import type { Ancestor } from './ancestors.ts';
import type { DropTarget } from './drag.ts';

/** `from` is the folder that is shown: what is dragged lies in it. */
export function useFolderDrop(from: Ancestor | null): (to: Ancestor) => DropTarget | null {
  const { cabinet, canWrite } = useSession();
  const actions = useActions();
  return useCallback(
    (to) => {
      if (!canWrite || from === null) return null;
      return {
        ...to,
        isElsewhere: to.id !== from.id,
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
