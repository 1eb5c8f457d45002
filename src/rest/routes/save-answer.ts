// The answer to a save: the folder, with the saved file as the first of its children.

import type { SavedFile } from '../../catalog/verbs/save-file.ts';
import type { Answer } from '../../listener/answer.ts';
import { listSiblings } from '../../operations/list-folder.ts';
import { json } from '../answer.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { renderEnvelope } from '../wire.ts';
import { toLink } from './folders.ts';

export const minimalApplied = { 'Preference-Applied': 'return=minimal' };

export async function toSaveAnswer(
  context: EnvironmentContext,
  space: number,
  saved: SavedFile,
  isMinimal: boolean,
): Promise<Answer> {
  const headers: Record<string, string> = { entryid: saved.file.id };
  if (saved.isReplayed) headers['idempotency-replayed'] = 'true';
  if (isMinimal) Object.assign(headers, minimalApplied);
  if (isMinimal || saved.isReplayed)
    return json(renderEnvelope({ folder: saved.folder, children: [saved.file] }), headers);
  const listing = await listSiblings(context.cabinet, space, saved);
  return json(renderEnvelope(listing), {
    ...headers,
    ...toLink(context, listing, saved.file.id),
  });
}
