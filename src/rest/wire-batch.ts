// Renders the results of changes of many entries, and jobs.

import type { EntryJob } from '../catalog/verbs/entry-jobs.ts';
import { Refusal } from '../domain/refusal.ts';
import type { EntryOutcome } from '../operations/change-entries.ts';
import { renderEntry, renderRefusal } from './wire.ts';

/** In the order of the request. */
export function renderEntryResults(outcomes: readonly EntryOutcome[], trackingId: string): string {
  const rendered = outcomes.map(({ id, result }) => {
    const outcome =
      result instanceof Refusal ? renderRefusal(result, trackingId).slice(1, -1) : `"Entry":${renderEntry(result)}`;
    return `{"EntryId":${JSON.stringify(id)},${outcome}}`;
  });
  return `[${rendered.join(',')}]`;
}

export function renderJob({ id, done, total, state, results }: EntryJob): string {
  const job = JSON.stringify({ Id: id, Done: done, Total: total, State: state });
  return results === null ? `{"Job":${job}}` : `{"Job":${job},"Results":${results}}`;
}
