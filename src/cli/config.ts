// `cabinet config`: every setting as it is in force, or every mistake.

import type { Command } from 'commander';
import { readConfig, readSettings } from '../config.ts';
import { type Setting, settings } from '../settings.ts';
import { print } from './output.ts';

export function registerConfig(program: Command): void {
  program
    .command('config')
    .description('check the configuration and show it as it is in force')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => print(options, show, toLines));
}

async function show(): Promise<Record<string, string>> {
  readConfig();
  const shown = Object.entries(readSettings()).map(([name, value]) => [name, hideSecrets(name, value)]);
  return Object.fromEntries(shown) as Record<string, string>;
}

/** Secrets, and passwords in addresses. */
function hideSecrets(name: string, value: string): string {
  const { isSecret }: Setting = settings[name as keyof typeof settings];
  return isSecret === true && value !== '' ? '…' : value.replace(/^(\w+:\/\/[^@/?#]*?):[^@]*@/, '$1:…@');
}

function toLines(values: Record<string, string>): string[] {
  return Object.entries(settings).map(([name, { about }]) => `${name}=${values[name]}  # ${about}`);
}
