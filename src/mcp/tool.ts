// What a tool is: plain data that `tools/list` shows, and the function that runs it.

import type { Action } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Static, TSchema } from '../rest/openapi/json-schema.ts';
import { compileCheck } from '../rest/openapi/schemas.ts';
import type { McpCall } from './mcp-call.ts';
import type { Fields } from './message.ts';

/** Text from a document: data, never part of our own words. */
export interface DocumentText {
  entryId: string;
  path: string | null;
  version: number | null;
  text: string;
}

export interface ToolOutcome {
  /** A JSON object: what the REST API would answer. */
  json: string;
  documents?: readonly DocumentText[];
  /** The entry that the call made. */
  madeId?: string;
}

export interface ToolDeclaration<Input extends TSchema> {
  name: string;
  title: string;
  description: string;
  action: Extract<Action, 'read' | 'write'>;
  /** For a tool that writes: whether repeating the call changes nothing more. */
  isIdempotent?: boolean;
  input: Input;
  output: TSchema;
  /** The entry that the arguments name. */
  entryOf(given: Static<Input>): string | null;
  run(call: McpCall, given: Static<Input>): Promise<ToolOutcome>;
}

export interface Tool extends Omit<ToolDeclaration<TSchema>, 'entryOf' | 'run'> {
  /** Refuses arguments that do not match. */
  check(given: Fields | null): Fields;
  entryOf(given: Fields): string | null;
  run(call: McpCall, given: Fields): Promise<ToolOutcome>;
}

export function toTool<Input extends TSchema & { properties: object }>(declaration: ToolDeclaration<Input>): Tool {
  const { additionalProperties: _, ...checked } = declaration.input;
  const checkInput = compileCheck(checked as Input);
  const known = Object.keys(declaration.input.properties);
  return {
    ...declaration,
    entryOf: (given) => declaration.entryOf(given as Static<Input>),
    run: (call, given) => declaration.run(call, given as Static<Input>),
    check(given) {
      if (given === null)
        throw new Refusal('InvalidField', 'The arguments must be an object.', { target: 'arguments' });
      const unknown = Object.keys(given).find((name) => !known.includes(name));
      if (unknown !== undefined) {
        throw new Refusal('InvalidField', `The tool has no argument ${JSON.stringify(unknown.slice(0, 100))}.`, {
          target: unknown.slice(0, 100),
          hint: `It takes ${known.join(', ')}.`,
        });
      }
      return checkInput(given) as Fields;
    },
  };
}
