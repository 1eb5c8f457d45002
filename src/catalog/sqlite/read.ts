// Runs a read verb on a connection of the calling thread.

import { requireRead } from '../catalog.ts';
import type { Connection } from './connection.ts';

export function read<Input, Result>(connection: Connection, name: string, input: Input): Promise<Result> {
  try {
    return Promise.resolve(connection.read(requireRead(name)(input)) as Result);
  } catch (error) {
    return Promise.reject(error);
  }
}
