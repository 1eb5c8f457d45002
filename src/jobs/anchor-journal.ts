// Signs the head of the journal every hour, writes it to the log, and appends it to the anchor, if there is one. Whoever changes the
// database and its keys later cannot change what is there.

import type { Logger } from 'pino';
import { toSignedLine } from '../domain/signed-head.ts';
import type { Job, JobEnvironment } from './job.ts';

const anchorEveryMs = 60 * 60 * 1000;

export function toAnchorJournalJob(log: Logger): Job {
  return {
    name: 'anchor-journal',
    intervalMs: anchorEveryMs,
    isExclusive: true,
    run: (environment) => anchorJournal(environment, log),
  };
}

/** Nothing if the head is the one of the last time. */
export async function anchorJournal(
  { name, cabinet }: Omit<JobEnvironment, 'runExclusive'>,
  log: Logger,
): Promise<void> {
  const { catalog, journalKeys, journalAnchor, clock } = cabinet;
  const ends = await catalog.findJournalEnds({});
  const key = await journalKeys.newest();
  if (ends === null || key === null || journalAnchor.anchoredPosition === ends.last) return;
  const [last] = await catalog.listJournal({ from: ends.last, to: ends.last, limit: 1 });
  if (last === undefined) return;
  const { position, link } = last;
  const at = new Date(clock.now()).toISOString();
  const line = toSignedLine({ environment: name, at, position, link }, key);
  await journalAnchor.lines?.append(line, `${name}/${String(position).padStart(15, '0')}-${clock.now()}`);
  journalAnchor.anchoredPosition = position;
  log.info({ environment: name, head: JSON.parse(line) }, 'head of the journal');
}
