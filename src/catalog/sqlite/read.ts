// Runs a verb that reads, on a connection of the thread that asks.

import { reads } from '../catalog.ts';
import type { Verb } from '../sql.ts';
import type { Connection } from './connection.ts';

export function read<Input, Result>(connection: Connection, name: string, input: Input): Promise<Result> {
  const verb = reads[name as keyof typeof reads] as unknown as (input: Input) => Verb<Result>;
  try {
    return Promise.resolve(connection.read(verb(input)));
  } catch (error) {
    return Promise.reject(error);
  }
}
