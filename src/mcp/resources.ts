// Files and folders as resources, `cabinet://{entryId}`: hosts attach them to a conversation when a person chooses them.

import { toFolderId } from '../domain/caller.ts';
import { readMediaType } from '../domain/content-type.ts';
import type { Entry } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { firstPageLimit, listFolder } from '../operations/list-folder.ts';
import { openFile, readBeginning } from '../operations/open-file.ts';
import { recordMcpCall } from '../operations/record-mcp-call.ts';
import { showEntry } from '../operations/show-entry.ts';
import { renderEnvelope, renderTime } from '../rest/wire.ts';
import type { McpCall } from './mcp-call.ts';

const scheme = 'cabinet://';
const maxBytes = 1024 * 1024;

export const resourceTemplates = [
  {
    uriTemplate: `${scheme}{entryId}`,
    name: 'entry',
    title: 'File or folder',
    description: 'Text as it is, other bytes up to 1 MiB; a folder as JSON with its first children.',
  },
];

/** The first page of the root; of several spaces, their roots. */
export async function listResources(call: McpCall): Promise<object[]> {
  const { context, caller } = call;
  return await recorded(call, 'resources/list', null, async () => {
    authorize(caller, 'read');
    const [only, ...others] = caller.spaces;
    if (only === undefined) return [];
    if (others.length > 0) return (await findRoots(call)).map(toResource);
    const { children } = await listFolder(context.cabinet, caller, { folderId: only.rootId, limit: firstPageLimit });
    return children.map(toResource);
  });
}

async function findRoots({ context: { cabinet }, caller }: McpCall): Promise<Entry[]> {
  const views = caller.spaces.map(({ rootId }) => showEntry(cabinet, caller, { id: rootId }));
  return (await Promise.all(views)).map(({ entry }) => entry);
}

function toResource(entry: Entry): object {
  const { id, name, kind, contentType, sizeBytes, modifiedAt } = entry;
  return {
    uri: `${scheme}${id}`,
    name,
    mimeType: kind === 'folder' ? 'application/json' : contentType,
    ...(kind === 'file' && { size: sizeBytes }),
    annotations: { lastModified: renderTime(modifiedAt) },
  };
}

export async function readResource(call: McpCall, uri: string): Promise<object> {
  const { context, caller } = call;
  const entryId = (uri.startsWith(scheme) && uri.slice(scheme.length)) || null;
  return await recorded(call, 'resources/read', entryId, async () => {
    authorize(caller, 'read');
    if (entryId === null) throw entryNotFound();
    const { entry } = await showEntry(context.cabinet, caller, { id: toFolderId(caller, entryId) });
    return entry.kind === 'folder' ? await readFolder(call, uri, entry) : await readFile(call, uri, entry);
  });
}

async function readFolder({ context, caller }: McpCall, uri: string, { id: folderId }: Entry): Promise<object> {
  const listing = await listFolder(context.cabinet, caller, { folderId, limit: firstPageLimit });
  return { uri, mimeType: 'application/json', text: renderEnvelope(listing) };
}

async function readFile({ context, caller }: McpCall, uri: string, { id: fileId }: Entry): Promise<object> {
  const file = await openFile(context.cabinet, caller, { fileId, version: null });
  if (file.sizeBytes > maxBytes) {
    throw new Refusal('FileTooLarge', `The file has more than ${maxBytes} bytes. Use the tool read_text or make_link.`);
  }
  const bytes = await readBeginning(file, maxBytes);
  const text = toText(file.contentType, bytes);
  const { contentType: mimeType } = file;
  return { uri, mimeType, ...(text === null ? { blob: bytes.toString('base64') } : { text }) };
}

const textTypes = /^(text\/.*|application\/(json|xml|yaml|x-yaml|toml|sql|javascript|x-ndjson|.*\+(json|xml)))$/;

/** Null: the bytes are not text. */
function toText(contentType: string, bytes: Buffer): string | null {
  const type = readMediaType(contentType);
  if (type === null || !textTypes.test(type.essence)) return null;
  try {
    return new TextDecoder(type.parameters.get('charset') ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function recorded<Result>(
  { context: { cabinet }, caller }: McpCall,
  tool: string,
  entryId: string | null,
  read: () => Promise<Result>,
): Promise<Result> {
  const record = (error: string | null) => recordMcpCall(cabinet, caller, { tool, entryId, spaceId: null, error });
  let result: Result;
  try {
    result = await read();
  } catch (error) {
    if (error instanceof Refusal) await record(error.code);
    throw error;
  }
  await record(null);
  return result;
}
