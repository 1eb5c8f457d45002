// `cabinet link`: a short-lived address for the bytes of a file, for whoever cannot sign in.

import { createLink, type Link } from '@cabinet/client';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireFile } from './remote.ts';
import { toVersion } from './versions.ts';

interface LinkOptions extends PersonOptions {
  expires: string;
  inline?: boolean;
  version?: string;
}

export function registerLink(program: Command): void {
  personCommand(program, 'link <path>', 'create a short-lived download address of a file')
    .option('--expires <time>', 'how long it works: 90s, 15m; at most 24h', '1h')
    .option('--inline', 'let the browser show the file, if that is safe, instead of saving it')
    .option('--version <number>', 'link to this version; by default to the current one')
    .addHelpText(
      'after',
      '\nWhoever has the address can read the file until it expires, without signing in.\n\n' +
        'Examples:\n  cabinet link /Invoices/a.pdf --expires 15m\n  curl -OJ "$(cabinet link /Invoices/a.pdf)"',
    )
    .action((path: string, options: LinkOptions) =>
      perform(options, { run: (context) => makeLink(context, path, options), toLines: ({ Url }) => [Url] }),
    );
}

export async function makeLink(context: CommandContext, path: string, options: LinkOptions): Promise<Link> {
  const { cabinet, signal } = context;
  const expiresInSeconds = toSeconds(options.expires);
  const version = options.version === undefined ? undefined : toVersion(options.version);
  const { entry } = await requireFile(context, path);
  const disposition = options.inline === true ? 'inline' : 'attachment';
  return await createLink(cabinet, { id: entry.Id, expiresInSeconds, version, disposition }, { signal });
}

const unitSeconds: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

function toSeconds(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})([smhd]?)$/.exec(text) ?? [];
  const seconds = Number(digits) * (unitSeconds[unit] ?? Number.NaN);
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new UsageError(`--expires ${text}: use a time such as 90s, 15m or 24h, a day at most.`);
}
