// A folder or a selection of entries, with all that is beneath them, as a ZIP.

import type { Cabinet, CallOptions } from './connect.ts';
import { send } from './request.ts';

/** Opens a folder as a ZIP stream. It is made while it is read: its length is not known, and a lost connection ends it with
 *  an error. */
export async function openArchive(
  cabinet: Cabinet,
  folder: string,
  options: CallOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const path = { id: folder };
  const response = await send(cabinet, 'GET /folders/{id}/archive', { ...options, path, isStreamed: true });
  return response.body ?? new Blob([]).stream();
}

/** Opens files and folders as one ZIP stream, in the given order. Equal names are numbered. */
export async function openSelection(
  cabinet: Cabinet,
  entries: readonly string[],
  options: CallOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const json = { EntryIds: [...entries] };
  const response = await send(cabinet, 'POST /archive', { ...options, json, isStreamed: true });
  return response.body ?? new Blob([]).stream();
}
