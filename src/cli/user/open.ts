// `cabinet open`: shows a file in the browser, by a link that is good for five minutes, or a folder, in the console.

import type { Command } from 'commander';
import { openInBrowser } from './browser.ts';
import { LocalError } from './exit-codes.ts';
import { makeLink } from './link.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireEntry } from './remote.ts';

export function registerOpen(program: Command): void {
  personCommand(program, 'open <path>', 'open a file or folder in the browser')
    .option('--print', 'print the address instead of opening it')
    .addHelpText('after', '\nExamples:\n  cabinet open /Invoices/a.pdf\n  cabinet open /Invoices --print')
    .action((path: string, options: PersonOptions & { print?: boolean }) =>
      perform(options, {
        run: (context) => open(context, path, options.print === true),
        toLines: ({ Url }) => (options.print === true ? [Url] : []),
      }),
    );
}

async function open(context: CommandContext, path: string, isPrinted: boolean): Promise<{ Url: string }> {
  const { entry } = await requireEntry(context, path);
  const shown =
    entry.Type === 'folder' ? toConsole(context, entry.Id) : await makeLink(context, `id:${entry.Id}`, inline);
  if (isPrinted || (await openInBrowser(shown.Url, context.personal.browser))) return shown;
  throw new LocalError('NoBrowser', `There is no browser to open it with. The address: ${shown.Url}`);
}

const inline = { expires: '5m', inline: true };

function toConsole({ cabinet }: CommandContext, id: string): { Url: string } {
  return { Url: `${cabinet.url}/files/${encodeURIComponent(id)}` };
}
