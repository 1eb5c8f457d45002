// Pages of lists: cursors, and a limit on the size of a result, so that a page of entries with large properties stays readable.

import { type Cursor, readCursor, toCursorText } from '../rest/cursor.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';
import { maxResultBytes } from './schemas.ts';
import type { ToolOutcome } from './tool.ts';

interface PageRequest {
  /** Names what is paged: cursors of other lists are refused. */
  list: string;
  given: { limit?: number; cursor?: string };
  byDefault: number;
}

interface Page<C extends Cursor> extends ToolOutcome {
  next: C | null;
}

/** Fetches fewer items until the result is small enough. */
export async function listPage<C extends Cursor>(
  context: EnvironmentContext,
  { list, given, byDefault }: PageRequest,
  fetchPage: (limit: number, after: C | null) => Promise<Page<C>>,
): Promise<ToolOutcome> {
  const after = given.cursor === undefined ? null : readCursor<C>(context.cursorKey, list, given.cursor);
  for (let limit = given.limit ?? byDefault; ; limit = Math.ceil(limit / 4)) {
    const { next, ...page } = await fetchPage(limit, after);
    if (Buffer.byteLength(page.json) > maxResultBytes && limit > 1) continue;
    return next === null ? page : { ...page, json: withCursor(page.json, toCursorOf(context, list, next)) };
  }
}

export function toCursorOf<C extends Cursor>({ cursorKey }: EnvironmentContext, list: string, next: C): string {
  return toCursorText(cursorKey, list, next);
}

/** `json`: an object with at least one field. */
function withCursor(json: string, cursor: string): string {
  return `${json.slice(0, -1)},"Cursor":${JSON.stringify(cursor)}}`;
}
