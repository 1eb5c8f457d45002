// `npm run bench -- [scenario]`: what the service costs. Exit code 0 if every answer was correct (timings are noisy), 1 if one was
// wrong or, with --strict, a promise is missed, 2 for a usage error.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Children } from './children.ts';
import { cluster } from './cluster.ts';
import { consoleScenario } from './console.ts';
import { Taken } from './cost.ts';
import { grants } from './grants.ts';
import { grow } from './grow.ts';
import { guard } from './guard.ts';
import { large } from './large.ts';
import { listing } from './listing.ts';
import { middle } from './middle.ts';
import { mixed } from './mixed.ts';
import { type Options, parseOptions, UsageError, usage } from './options.ts';
import { peers } from './peers.ts';
import { profile } from './profile.ts';
import { put } from './put.ts';
import { reads } from './reads.ts';
import { writeSection } from './results.ts';
import { cost } from './save-cost.ts';
import { scale } from './scale.ts';
import type { Scenario } from './scenario.ts';
import { search } from './search.ts';
import { small } from './small.ts';
import { steady } from './steady.ts';
import { trees } from './trees.ts';
import { webdav } from './webdav.ts';
import { webhooksScenario } from './webhooks.ts';

const scenarios: Record<string, Scenario> = {
  small,
  listing,
  large,
  reads,
  middle,
  mixed,
  grow,
  trees,
  put,
  webdav,
  webhooks: webhooksScenario,
  console: consoleScenario,
  search,
  grants,
  peers,
  cluster,
  cost,
  scale,
  steady,
  profile,
  guard,
};

const firstScenario = 'small';

async function main(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${describe()}\n`);
    return 0;
  }
  const options = parseOptions(args);
  const name = options.scenario ?? firstScenario;
  const scenario = scenarios[name];
  if (scenario === undefined) throw new UsageError(`${name}: there is no such scenario`);
  const children = new Children(options.dataParent);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  try {
    return await run(name, scenario, { children, options: { ...options, size: options.size ?? scenario.size ?? 0 } });
  } finally {
    await children.close();
  }
}

async function run(
  name: string,
  scenario: Scenario,
  { children, options }: { children: Children; options: Options },
): Promise<number> {
  const taken = new Taken();
  const { markdown: report, isHeld, figures } = await scenario.run(children, options);
  const host = `The host of the machine took ${taken.percent().toFixed(0)} % of its processors meanwhile.`;
  const markdown = `${report.trimEnd()}\n\n${host}\n`;
  process.stdout.write(`\n${markdown}`);
  const { outFile, jsonFile } = options;
  if (outFile !== null) {
    write(outFile, writeSection(outFile, name, markdown));
  }
  if (jsonFile !== null) write(jsonFile, `${JSON.stringify(figures, null, 2)}\n`);
  return options.isStrict && !isHeld ? 1 : 0;
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function describe(): string {
  const lines = Object.entries(scenarios).map(([name, { what, size }]) => {
    return `  ${name.padEnd(19)} ${what}${size === null ? '' : ` (--size ${size})`}`;
  });
  return `npm run bench -- [scenario] [flags]\n${lines.join('\n')}\n\n${usage}`;
}

function tell(error: unknown): number {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`bench: ${(error as Error).message}\n${isUsage ? `\n${describe()}\n` : ''}`);
  return isUsage ? 2 : 1;
}

// Not by `exitCode`, which the hook of what starts PostgreSQL forgets.
process.exit(await main(process.argv.slice(2)).catch(tell));
