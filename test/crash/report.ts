// What a run found: counts for its one line, and every problem with what is needed to see it again.

import type { Problem } from './checker.ts';

const mostTold = 20;

export class Report {
  readonly name: string;
  readonly #counts = new Map<string, number | string>();
  readonly problems: Problem[] = [];
  isSkipped = false;

  constructor(name: string) {
    this.name = name;
  }

  count(what: string, value: number | string): void {
    this.#counts.set(what, value);
  }

  add(what: string, more: number): void {
    this.#counts.set(what, Number(this.#counts.get(what) ?? 0) + more);
  }

  /** `where` says how it is repeated. */
  tell(problems: readonly Problem[], where: string): void {
    for (const { kind, text } of problems) this.problems.push({ kind, text: `${where}: ${text}` });
  }

  wrong(text: string): void {
    this.problems.push({ kind: 'wrong', text });
  }

  print(): void {
    if (this.isSkipped) {
      console.log(`${this.name}: SKIPPED`);
      return;
    }
    for (const { kind, text } of this.problems.slice(0, mostTold)) console.log(`  ${kind}: ${text}`);
    if (this.problems.length > mostTold) console.log(`  … and ${this.problems.length - mostTold} more`);
    const counts = [...this.#counts].map(([what, value]) => `${what} ${value.toLocaleString('en')}`);
    const found = (['lost', 'torn', 'wrong'] as const).map(
      (kind) => `${kind} ${this.problems.filter((problem) => problem.kind === kind).length}`,
    );
    console.log(`${this.name}: ${[...counts, ...found].join(', ')}`);
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
