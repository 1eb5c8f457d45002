// What every method of the MCP face gets: the request and who sends it.

import type { Caller, McpSpaces } from '../domain/caller.ts';
import type { Exchange } from '../listener/face.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';

export interface McpCall {
  context: EnvironmentContext;
  exchange: Exchange;
  caller: Caller;
  /** Whether the setting of the environment lets agents write at all. */
  mayWrite: boolean;
  /** Spaces in which they may do less. */
  spaces: McpSpaces;
}
