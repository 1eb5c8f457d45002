// `cabinet config`: every setting as it is in force, or every mistake.

import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { settings } from '../../config/settings.ts';
import { print } from '../output.ts';

export function registerConfig(program: Command): void {
  program
    .command('config')
    .description('check the configuration, and show the values in use')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => print(options, show, toLines));
}

async function show(): Promise<Record<string, string>> {
  return Object.fromEntries(readConfig().settings.map(({ name, value }) => [name, value]));
}

function toLines(values: Record<string, string>): string[] {
  return Object.entries(settings).map(([name, { about }]) => `${name}=${values[name]}  # ${about}`);
}
