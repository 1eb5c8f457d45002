// `cabinet mkdir`: folders, with those above them that are missing.

import type { Entry } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { toLiteral } from './glob.ts';
import { type PersonOptions, perform, personCommand } from './perform.ts';
import { makeFolders, toRemotePath } from './remote.ts';

export function registerMkdir(program: Command): void {
  personCommand(program, 'mkdir <paths...>', 'create folders, with missing parents')
    .addHelpText('after', '\nExamples:\n  cabinet mkdir /Invoices/2026')
    .action((paths: string[], options: PersonOptions) =>
      perform(options, {
        async run(context) {
          const Folders: { Path: string; Entry: Entry }[] = [];
          for (const path of paths) {
            const made = await makeFolders(context, toRemotePath(toLiteral(path)));
            Folders.push({ Path: made.path, Entry: made.entry });
          }
          return { Folders };
        },
        toLines: ({ Folders }) => Folders.map(({ Path }) => toPrintable(Path)),
      }),
    );
}
