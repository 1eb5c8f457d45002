// What was found to be wrong, and which versions of which files are hurt by it.

import type { Hurt } from '../../catalog/verbs/checks.ts';

/** Whoever needs more knows that something is wrong. */
const mostProblems = 1000;

export interface Problem {
  /** Where: a table and a row, a blob, a part of the journal. */
  what: string;
  problem: string;
  /** None: it is not about a version, or nobody can tell any more which. */
  hurt: readonly Hurt[];
}

export class Problems {
  readonly found: Problem[] = [];
  /** All of them, also those that are not kept. */
  count = 0;

  tell(what: string, problem: string, hurt: readonly Hurt[] = []): void {
    this.count += 1;
    if (this.found.length < mostProblems) this.found.push({ what, problem, hurt });
  }
}
