// The heads of the journal that the anchor holds, for the verification of the chain.

import { readSignedLine } from '../../domain/signed-head.ts';
import type { Cabinet } from '../cabinet.ts';
import type { Head, Problem } from './verify-journal.ts';

export interface AnchoredHeads {
  heads: Head[];
  /** When the newest one was signed; null: there is none. */
  newestAt: string | null;
  problems: Problem[];
}

/** Null: there is no anchor. `isEmptiedAtWill`: after that its journal and its keys are new, and earlier heads are of no use. */
export async function readAnchoredHeads(
  { journalAnchor, journalKeys }: Pick<Cabinet, 'journalAnchor' | 'journalKeys'>,
  environment: string,
  isEmptiedAtWill: boolean,
): Promise<AnchoredHeads | null> {
  if (journalAnchor.lines === null) return null;
  const keys = await journalKeys.list();
  const found: AnchoredHeads = { heads: [], newestAt: null, problems: [] };
  for (const line of await journalAnchor.lines.read()) {
    const read = readSignedLine(line, environment, keys);
    if (read === null) continue;
    if ('head' in read) {
      const { position, link, at } = read.head;
      found.heads.push({ position, link });
      if (found.newestAt === null || at > found.newestAt) found.newestAt = at;
    } else if ('problem' in read) found.problems.push({ position: 0, problem: read.problem });
    else if (!isEmptiedAtWill) {
      const problem = `a head in the anchor is signed with the key ${read.unknownKey}, which is not there`;
      found.problems.push({ position: 0, problem });
    }
  }
  return found;
}
