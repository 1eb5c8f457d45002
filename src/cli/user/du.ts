// `cabinet du`: how large folders are. The service keeps their sizes, so nothing is counted.

import type { Command } from 'commander';
import { toSize } from '../size.ts';
import { toTable } from '../table.ts';
import { UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { listFolder, type RemoteEntry, requireAll } from './remote.ts';

interface DuOptions extends PersonOptions {
  depth: string;
  all?: boolean;
}

interface Size {
  Path: string;
  Type: 'folder' | 'file';
  Size: number;
}

export function registerDu(program: Command): void {
  personCommand(program, 'du [paths...]', 'show how large folders are; the root by default')
    .option('--depth <levels>', 'how many levels of folders to show; 0: only the named ones', '1')
    .option('-a, --all', 'show files too')
    .addHelpText(
      'after',
      '\nOld versions and the trash are not counted.\n\nExamples:\n  cabinet du\n  cabinet du --depth 2 /Projects',
    )
    .action((paths: string[], options: DuOptions) =>
      perform(options, { run: (context) => measure(context, paths, options), toLines }),
    );
}

async function measure(
  context: CommandContext,
  paths: readonly string[],
  options: DuOptions,
): Promise<{ Sizes: Size[] }> {
  if (!/^\d{1,3}$/.test(options.depth)) throw new UsageError(`--depth ${options.depth}: use a number from 0 on.`);
  const Sizes: Size[] = [];
  for (const found of await requireAll(context, paths.length === 0 ? ['/'] : paths)) {
    await visit(context, found, { levels: Number(options.depth), hasFiles: options.all === true, sizes: Sizes });
  }
  return { Sizes };
}

interface Visit {
  levels: number;
  hasFiles: boolean;
  sizes: Size[];
}

/** What is beneath a folder comes before it, as with `du`. */
async function visit(context: CommandContext, found: RemoteEntry, { levels, hasFiles, sizes }: Visit): Promise<void> {
  const { entry, path } = found;
  if (entry.Type === 'folder' && levels > 0) {
    for await (const child of listFolder(context, found)) {
      if (child.entry.Type === 'folder' || hasFiles)
        await visit(context, child, { levels: levels - 1, hasFiles, sizes });
    }
  }
  sizes.push({ Path: path, Type: entry.Type, Size: entry.Size });
}

function toLines({ Sizes }: { Sizes: Size[] }): string[] {
  return toTable(
    Sizes.map(({ Path, Size: bytes }) => [toSize(bytes), Path]),
    [0],
    ['SIZE', 'PATH'],
  );
}
