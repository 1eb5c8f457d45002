// The answer to a save: the folder, with the saved file first of its children.

import type { IncomingMessage } from 'node:http';
import type { SavedFile } from '../../catalog/save-file.ts';
import { listBeside } from '../../operations/list-folder.ts';
import { type Answer, json } from '../answer.ts';
import type { Served } from '../route.ts';
import { renderEnvelope } from '../wire.ts';
import { toLink } from './folders.ts';

export function isMinimalPreferred({ headers }: IncomingMessage): boolean {
  return /(^|[,;\s])return="?minimal"?($|[,;\s])/i.test(String(headers.prefer ?? ''));
}

export const minimalApplied = { 'Preference-Applied': 'return=minimal' };

export async function toSaveAnswer(
  served: Served,
  space: number,
  saved: SavedFile,
  isMinimal: boolean,
): Promise<Answer> {
  const told: Record<string, string> = { entryid: saved.file.id };
  if (saved.isReplayed) told['idempotency-replayed'] = 'true';
  if (isMinimal) Object.assign(told, minimalApplied);
  if (isMinimal || saved.isReplayed)
    return json(renderEnvelope({ folder: saved.folder, children: [saved.file] }), told);
  const listing = await listBeside(served.cabinet, space, saved);
  return json(renderEnvelope(listing), {
    ...told,
    ...toLink(served, listing, saved.file.id),
  });
}
