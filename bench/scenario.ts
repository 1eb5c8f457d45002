// A scenario of `npm run bench -- SCENARIO`: it runs on a temporary folder, returns a report in Markdown and whether its
// promises hold.

import type { Children } from './children.ts';
import type { Options } from './options.ts';

export type Outcome = {
  markdown: string;
  /** False: a promise is missed. Slow is not wrong; what is wrong is thrown. */
  isHeld: boolean;
  /** Every measurement, for `--json`. */
  figures: object;
};

export type Scenario = {
  /** One line for `--help`. */
  what: string;
  /** What `--size` is when it is not given; null: the scenario has no size. */
  size: number | null;
  run(children: Children, options: Options): Promise<Outcome>;
};

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
