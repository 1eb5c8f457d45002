// Commands about the search index.

import { isCaughtUp, rebuildSearch, type SearchStatus, showSearchStatus } from '../operations/search.ts';
import type { Commands } from './command.ts';
import { cabinetOf } from './input.ts';

const lookEveryMs = 200;

export const searchCommands: Commands = {
  async 'search status'(context, input) {
    return toShown(await showSearchStatus(cabinetOf(context, input)));
  },
  /** Returns when everything is in the index again. When it is interrupted, the service continues. */
  async 'search rebuild'(context, input, { signal, progress }) {
    const cabinet = cabinetOf(context, input);
    await rebuildSearch(cabinet);
    for (;;) {
      const status = await showSearchStatus(cabinet);
      if (isCaughtUp(status) || input.wait === false || signal.aborted) return toShown(status);
      progress({ Indexed: status.documents, Waiting: status.waiting });
      await cabinet.clock.sleep(lookEveryMs, signal).catch(() => undefined);
    }
  },
};

function toShown(status: SearchStatus): object {
  return {
    Indexed: status.documents - status.waiting - status.skipped,
    Waiting: status.waiting,
    Behind: status.behind,
    Building: status.isBuilding,
    Skipped: status.skipped,
    SkippedDocuments: status.skippedNamed.map(({ id, name, reason }) => ({ EntryId: id, Name: name, Reason: reason })),
  };
}
