// `cabinet index …`: how far show or rebuild the search index is, and making it anew. `cabinet search status|rebuild` are its older names.

import type { Command } from 'commander';
import { print } from '../output.ts';
import { type CommonOptions, common } from './app.ts';
import { runCommand } from './run-command.ts';

interface Shown {
  Indexed: number;
  Waiting: number;
  Behind: number;
  Building: boolean;
  Skipped: number;
  SkippedDocuments: { EntryId: string; Name: string; Reason: string }[];
}

export function registerIndex(program: Command): void {
  const index = program.command('index').description('show and rebuild the search index');
  common(index.command('status').description('show how much is indexed, and which documents could not be read')).action(
    (options: CommonOptions) => show('search status', { env: options.env }, options),
  );
  common(index.command('rebuild').description('rebuild the index from the catalog'))
    .option('--no-wait', 'return at once; a running service continues')
    .action((options: CommonOptions & { wait: boolean }) =>
      show('search rebuild', { env: options.env, wait: options.wait }, options),
    );
}

async function show(name: string, input: Record<string, unknown>, options: CommonOptions): Promise<void> {
  await print(options, async () => (await runCommand({ name, input })) as Shown, toLines);
}

function toLines({ Indexed, Waiting, Behind, Building, Skipped, SkippedDocuments }: Shown): string[] {
  return [
    `${Indexed} entries are indexed.`,
    ...(Building ? ['The index is being built.'] : []),
    ...(Waiting > 0 ? [`${Waiting} documents wait to be read.`] : []),
    ...(Behind > 0 ? [`${Behind} changes are not seen yet.`] : []),
    ...(Skipped > 0
      ? [`The text of ${Skipped} documents could not be read; they are found by name and properties:`]
      : []),
    ...SkippedDocuments.map(({ EntryId, Name, Reason }) => `  ${EntryId}  ${Name}: ${Reason}`),
  ];
}
