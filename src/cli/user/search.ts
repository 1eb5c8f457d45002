// `cabinet search`: finds entries by their names, properties and texts.

import { type SearchResult, search } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { collect } from '../repeated-option.ts';
import { UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { toProperties } from './properties.ts';
import { requireEntry } from './remote.ts';

interface SearchOptions extends PersonOptions {
  in?: string;
  type?: string;
  contentType?: string;
  modifiedAfter?: string;
  property?: string[];
  limit: string;
}

export function registerSearch(program: Command): void {
  personCommand(program, 'search [words...]', 'find entries by name, properties and text')
    .option('--in <folder>', 'only beneath this folder')
    .option('--type <type>', 'only entries of this type: folder or file')
    .option('--content-type <type>', 'only files of this type, such as text/plain or image/*')
    .option('--modified-after <time>', 'only entries modified after this day or time, such as 2026-01-31')
    .option('--property <key=value>', 'only entries with this property; may be repeated', collect)
    .option('--limit <number>', 'the maximum number of results', '20')
    .addHelpText(
      'after',
      '\nAll words must match; inv* matches beginnings, and quotation marks a phrase.\n\nExamples:\n' +
        '  cabinet search invoice 2026\n  cabinet search \'"acme corp"\' --in /Invoices --type file\n\n' +
        'Operators manage the index with cabinet index status and cabinet index rebuild.',
    )
    .action((words: string[], options: SearchOptions) =>
      perform(options, { run: (context) => runSearch(context, words, options), toLines }),
    );
}

async function runSearch(
  context: CommandContext,
  words: string[],
  options: SearchOptions,
): Promise<{ Results: SearchResult[] }> {
  if (words.length === 0) throw new UsageError('Name what to search for: cabinet search WORD…');
  const { cabinet, signal } = context;
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError(`--limit ${options.limit}: use a whole number from 1 on.`);
  const folder = options.in === undefined ? undefined : (await requireEntry(context, options.in)).entry.Id;
  const query = {
    text: words.join(' '),
    folder,
    type: toType(options.type),
    contentType: options.contentType,
    modifiedAfter: options.modifiedAfter,
    properties: toProperties(options.property),
  };
  const Results: SearchResult[] = [];
  for await (const result of search(cabinet, query, { signal, pageSize: Math.min(limit, 100) })) {
    Results.push(result);
    if (Results.length === limit) break;
  }
  return { Results };
}

function toType(text: string | undefined): 'folder' | 'file' | undefined {
  if (text === undefined || text === 'folder' || text === 'file') return text;
  throw new UsageError(`--type ${text}: use folder or file.`);
}

function toLines({ Results }: { Results: SearchResult[] }): string[] {
  if (Results.length === 0) return ['No results.'];
  return Results.flatMap(({ Path, Snippet }) => {
    const text = toPlain(Snippet);
    return [toPrintable(Path), ...(text === '' ? [] : [`    ${toPrintable(text)}`])];
  });
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Snippets are HTML: escaped text with <mark> around matches. */
function toPlain(html: string): string {
  const text = html
    .replaceAll(/<\/?mark>/g, '')
    .replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      return named[name as string] ?? whole;
    });
  return text.replaceAll(/\s+/g, ' ').trim();
}
