// Counts what the suite tried, for the report of `npm run test:security`. Called only after the response was checked: what is
// counted was refused as expected.

import { appendFileSync } from 'node:fs';

export const tallied = [
  'bad credentials',
  'routes × callers',
  'cross-space calls',
  'exposed secrets',
  'tampered backups',
  'attacks of tenants',
  'rewritten journals',
  'attempts beyond links and grants',
] as const;
export type Tallied = (typeof tallied)[number];

export function tally(what: Tallied, count = 1): void {
  const path = process.env.TEST_TALLY;
  if (path !== undefined) appendFileSync(path, `${JSON.stringify([what, count])}\n`);
}

export function sum(lines: string, what: Tallied): number {
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as [Tallied, number])
    .reduce((total, [counted, count]) => total + (counted === what ? count : 0), 0);
}
