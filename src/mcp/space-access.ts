// What agents may do in single spaces, where that is less than in the environment. A space that is off does not exist for them.

import type { Caller, McpSpaces } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from '../operations/cabinet.ts';

/** The caller without the spaces that are off. */
export function withoutClosedSpaces(caller: Caller, rules: McpSpaces): Caller {
  if (rules.size === 0) return caller;
  const isOpen = ({ spaceId }: { spaceId: string }) => rules.get(spaceId) !== 'off';
  const { spaces, grants } = caller;
  return { ...caller, spaces: spaces.filter(isOpen), ...(grants !== undefined && { grants: grants.filter(isOpen) }) };
}

/** Refuses to write where agents may only read. */
export async function checkWritable(
  { catalog }: Cabinet,
  { spaces, grants = [] }: Caller,
  { rules, entryId }: { rules: McpSpaces; entryId: string | null },
): Promise<void> {
  if (rules.size === 0 || entryId === null) return;
  const readable = [...spaces, ...grants].filter(({ spaceId }) => rules.get(spaceId) === 'read');
  if (readable.length === 0) return;
  const found = await catalog.findSpaceOf({ id: entryId, spaces: readable.map(({ space }) => space) });
  if (found !== null) throw new Refusal('Forbidden', 'Agents have read-only access to this space.');
}
