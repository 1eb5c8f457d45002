// Lists and calls the tools. Refusals of operations are results with `isError`, which a model can read and act on; a missing scope is
// a matter of HTTP, so that the host can ask the person for more.

import { type Caller, isScope } from '../domain/caller.ts';
import { authorize, scopeFor } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { shuttingDown } from '../listener/refusals.ts';
import { recordMcpCall } from '../operations/record-mcp-call.ts';
import { renderRefusal } from '../rest/wire.ts';
import type { McpCall } from './mcp-call.ts';
import { invalidParams } from './mcp-refusal.ts';
import type { Fields } from './message.ts';
import { readingTools } from './reading-tools.ts';
import { checkWritable } from './space-access.ts';
import type { DocumentText, Tool, ToolOutcome } from './tool.ts';
import { writingTools } from './writing-tools.ts';

/** Only those that the setting and the token allow. */
export function listTools({ caller, mayWrite }: McpCall): object[] {
  return toolsOf(mayWrite)
    .filter(({ action }) => caller.scopes.includes(scopeFor[action]))
    .map(showTool);
}

function toolsOf(mayWrite: boolean): readonly Tool[] {
  return mayWrite ? [...readingTools, ...writingTools] : readingTools;
}

function showTool({ name, title, description, action, isIdempotent, input, output }: Tool): object {
  const annotations = {
    title,
    readOnlyHint: action === 'read',
    // Nothing is lost: versions are kept, and nothing is deleted.
    destructiveHint: false,
    idempotentHint: action === 'read' || isIdempotent === true,
    openWorldHint: false,
  };
  return { name, title, description, inputSchema: input, outputSchema: output, annotations };
}

export async function callTool(call: McpCall, name: string, given: Fields | null): Promise<string> {
  const tool = toolsOf(call.mayWrite).find((known) => known.name === name);
  if (tool === undefined) throw invalidParams(`There is no tool ${JSON.stringify(name.slice(0, 100))}.`);
  if (call.exchange.isDraining && tool.action === 'write') throw shuttingDown();
  const { cabinet } = call.context;
  const outcome = await run(call, tool, given);
  const { entryId, spaceId } = namedBy(call, tool, given);
  const isRefused = outcome instanceof Refusal;
  await recordMcpCall(cabinet, call.caller, {
    tool: tool.name,
    entryId: isRefused ? entryId : (outcome.madeId ?? entryId),
    spaceId,
    error: isRefused ? outcome.code : null,
  });
  if (!isRefused) return renderOutcome(outcome);
  if (outcome.code === 'InsufficientScope' && isScope(outcome.details.target ?? '')) throw outcome;
  return renderRefused(outcome, call.exchange.requestId);
}

async function run(call: McpCall, tool: Tool, given: Fields | null): Promise<ToolOutcome | Refusal> {
  try {
    authorize(call.caller, tool.action);
    const checked = tool.check(given);
    if (tool.action === 'write') await checkEntry(call, tool.entryOf(checked));
    return await tool.run(call, checked);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function checkEntry({ context, caller, spaces: rules }: McpCall, named: string | null): Promise<void> {
  await checkWritable(context.cabinet, caller, { rules, entryId: resolveRoot(caller, named) });
}

function resolveRoot({ spaces }: Caller, entryId: string | null): string | null {
  return entryId === '-root-' || entryId === '' ? (spaces[0]?.rootId ?? null) : entryId;
}

/** What the arguments name, as far as they can be read. */
function namedBy({ caller }: McpCall, tool: Tool, given: Fields | null) {
  const spaceId = typeof given?.spaceId === 'string' ? given.spaceId : null;
  let entryId: string | null = null;
  try {
    entryId = tool.entryOf(tool.check(given));
  } catch {
    // The arguments are wrong.
  }
  return { entryId: resolveRoot(caller, entryId), spaceId };
}

function renderOutcome({ json, documents = [] }: ToolOutcome): string {
  const blocks = [{ type: 'text', text: json }, ...documents.map(toBlock)];
  return `{"content":${JSON.stringify(blocks)},"structuredContent":${json},"isError":false}`;
}

/** An embedded resource: the text with the entry that it comes from. */
function toBlock({ entryId, path, version, text }: DocumentText): object {
  const origin = {
    EntryId: entryId,
    ...(path !== null && { Path: path }),
    ...(version !== null && { Version: version }),
  };
  const resource = { uri: `cabinet://${entryId}`, mimeType: 'text/plain', text, _meta: { origin } };
  return { type: 'resource', resource };
}

function renderRefused(refusal: Refusal, requestId: string): string {
  const text = renderRefusal(withHint(refusal), requestId);
  return JSON.stringify({ content: [{ type: 'text', text }], isError: true });
}

/** Hints for clients of the REST API, in words that fit the tools. */
function withHint({ code, message, details }: Refusal): Refusal {
  const hint = hints[code];
  const { hint: _, ...others } = details;
  const kept = details.hint !== undefined && /\/|header/i.test(details.hint) ? others : details;
  return new Refusal(code, message, hint === undefined ? kept : { ...others, hint });
}

const notFound = 'Use an id from search or list_folder. Ids of other people’s spaces are not found either.';

const hints: Partial<Record<Refusal['code'], string>> = {
  EntryNotFound: notFound,
  FileNotFound: notFound,
  FolderNotFound: notFound,
  InvalidCursor: 'Pass the Cursor of the result before, with the same other arguments.',
  SpaceMissing:
    'Pass spaceId or the id of a folder; list_folder without arguments shows the spaces and their root folders.',
  UnsupportedMediaType: 'get_entry shows its record; make_link gives an address of its bytes.',
};
