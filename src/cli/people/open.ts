// `cabinet open`: shows a file in the browser, by a link that is good for five minutes.

import type { Command } from 'commander';
import type { Link } from '../../../sdk/src/description.ts';
import { openInBrowser } from './browser.ts';
import { LocalProblem } from './exit-codes.ts';
import { makeLink } from './link.ts';
import { type PersonOptions, perform, personCommand, type Running } from './perform.ts';

export function registerOpen(program: Command): void {
  personCommand(program, 'open <path>', 'open a file in the browser')
    .option('--print', 'print the address instead')
    .action((path: string, options: PersonOptions & { print?: boolean }) =>
      perform(options, {
        run: (running) => open(running, path, options.print === true),
        toLines: ({ Url }) => (options.print === true ? [Url] : []),
      }),
    );
}

async function open(running: Running, path: string, isPrinted: boolean): Promise<Link> {
  const link = await makeLink(running, path, { expires: '5m', inline: true });
  if (isPrinted || (await openInBrowser(link.Url, running.personal.browser))) return link;
  throw new LocalProblem(
    'NoBrowser',
    `There is no browser to open it with. The address, good for five minutes: ${link.Url}`,
  );
}
