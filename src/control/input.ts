// Reads the input of commands. Operations check the values themselves.

import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import type { CommandContext, Input } from './command.ts';

export function readText(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new Refusal('InvalidField', `${name} is missing.`, { target: name });
  return value;
}

export function readOptionalText(input: Input, name: string): string | null {
  return input[name] === undefined ? null : readText(input, name);
}

/** Words separated by spaces or commas. */
export function readOptionalWords(input: Input, name: string): string[] | null {
  return (
    readOptionalText(input, name)
      ?.split(/[\s,]+/)
      .filter(Boolean) ?? null
  );
}

export function readEnvironment(input: Input): EnvironmentName {
  const name = input.env ?? 'production';
  const found = environmentNames.find((known) => known === name);
  if (found !== undefined) return found;
  throw new Refusal('InvalidField', `There is no environment ${JSON.stringify(name)}.`, {
    hint: 'Use production or test.',
  });
}

/** The cabinet of the environment that the command names. */
export function cabinetOf(context: CommandContext, input: Input): Cabinet {
  return context.environment(readEnvironment(input)).cabinet;
}
