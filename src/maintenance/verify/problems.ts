// The problems that a verification finds, and which versions of which files they affect.

import type { AffectedVersion } from '../../catalog/verbs/checks.ts';

/** Nobody reads more. */
const maxProblems = 1000;

export interface Problem {
  /** Where: a table and a row, a blob, a part of the journal. */
  what: string;
  problem: string;
  /** Empty when it is not about a version, or when the versions can no longer be determined. */
  affected: readonly AffectedVersion[];
}

export class Problems {
  /** The first ones. */
  readonly list: Problem[] = [];
  /** Of all problems. */
  count = 0;

  add(what: string, problem: string, affected: readonly AffectedVersion[] = []): void {
    this.count += 1;
    if (this.list.length < maxProblems) this.list.push({ what, problem, affected });
  }
}
