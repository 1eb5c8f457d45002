// Audits the calls of agents: whoever manages a space sees which tool was called there, on which entry, by whom and with what
// outcome. The row is durable before the answer is sent.

import { type Caller, guestSpaces, type SpaceAccess } from '../domain/caller.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';

interface McpCallRecord {
  tool: string;
  /** The entry that the call named or made; null: none. */
  entryId: string | null;
  /** The space that the call named; null: none. */
  spaceId: string | null;
  /** The code of the refusal; null: it succeeded. */
  error: string | null;
}

export async function recordMcpCall(cabinet: Cabinet, caller: Caller, record: McpCallRecord): Promise<void> {
  const { tool, error } = record;
  const concerned = await findConcerned(cabinet, caller, record);
  const origin = byCaller(cabinet, caller);
  await Promise.all(
    concerned.map(({ space, entry }) => cabinet.catalog.noteMcpCall({ space, entry, tool, error, ...origin })),
  );
}

/** A call that names nothing shows the caller's spaces, so it is recorded in each of them. */
async function findConcerned(
  cabinet: Cabinet,
  caller: Caller,
  { entryId, spaceId }: McpCallRecord,
): Promise<{ space: number; entry: string }[]> {
  // Also those of which only something is shared with the caller.
  const spaces = [...caller.spaces, ...guestSpaces(caller)];
  const named = spaces.filter((access) => access.spaceId === spaceId);
  if (entryId !== null) {
    const numbers = spaces.map(({ space }) => space);
    const space = await cabinet.catalog.findSpaceOf({ id: entryId, spaces: numbers });
    if (space !== null) return [{ space, entry: entryId }];
  }
  return (named.length > 0 ? named : spaces).map(toRoot);
}

function toRoot({ space, rootId }: Pick<SpaceAccess, 'space' | 'rootId'>) {
  return { space, entry: rootId };
}
