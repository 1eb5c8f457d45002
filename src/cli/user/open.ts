// `cabinet open`: shows a file in the browser, by a link that is good for five minutes, or a folder, in the console.

import type { Command } from 'commander';
import { openInBrowser } from './browser.ts';
import { LocalProblem } from './exit-codes.ts';
import { makeLink } from './link.ts';
import { type PersonOptions, perform, personCommand, type Running } from './perform.ts';
import { requireEntry } from './remote.ts';

export function registerOpen(program: Command): void {
  personCommand(program, 'open <path>', 'open a file, or a folder of the console, in the browser')
    .option('--print', 'print the address instead')
    .action((path: string, options: PersonOptions & { print?: boolean }) =>
      perform(options, {
        run: (running) => open(running, path, options.print === true),
        toLines: ({ Url }) => (options.print === true ? [Url] : []),
      }),
    );
}

async function open(running: Running, path: string, isPrinted: boolean): Promise<{ Url: string }> {
  const { entry } = await requireEntry(running, path);
  const shown =
    entry.Type === 'folder' ? toConsole(running, entry.Id) : await makeLink(running, `id:${entry.Id}`, inline);
  if (isPrinted || (await openInBrowser(shown.Url, running.personal.browser))) return shown;
  throw new LocalProblem('NoBrowser', `There is no browser to open it with. The address: ${shown.Url}`);
}

const inline = { expires: '5m', inline: true };

function toConsole({ cabinet }: Running, id: string): { Url: string } {
  return { Url: `${cabinet.url}/files/${encodeURIComponent(id)}` };
}
