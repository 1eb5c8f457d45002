// `npm run bench`: what a durable 4 KiB save costs beside the emptiest server that Node can be. Exit 0 when every answer was
// right (timings are noisy), 1 when one was wrong or, with --strict, when a promise is missed, 2 for a wrong flag.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Children } from './children.ts';
import { measureAll } from './measure.ts';
import { type Options, parseOptions, UsageError, usage } from './options.ts';
import { toMarkdown, toReport } from './report.ts';

async function main(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const options = parseOptions(args);
  const children = new Children(options.dataParent);
  process.once('exit', () => children.closeNow());
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  try {
    return await runBench(children, options);
  } finally {
    await children.close();
  }
}

async function runBench(children: Children, options: Options): Promise<number> {
  const samples = await measureAll(children, options);
  const report = toReport(samples, options);
  const markdown = toMarkdown(report);
  process.stdout.write(`\n${markdown}`);
  if (options.outFile !== null) write(options.outFile, markdown);
  if (options.jsonFile !== null) write(options.jsonFile, `${JSON.stringify({ ...report, samples }, null, 2)}\n`);
  return options.isStrict && report.bars.some((bar) => !bar.holds) ? 1 : 0;
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`bench: ${(error as Error).message}\n${isUsage ? `\n${usage}\n` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
