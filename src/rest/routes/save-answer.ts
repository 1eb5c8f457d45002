// The answer to a save: the folder, with the saved file as the first of its children.

import type { IncomingMessage } from 'node:http';
import type { SavedFile } from '../../catalog/verbs/save-file.ts';
import type { Answer } from '../../listener/answer.ts';
import { listSiblings } from '../../operations/list-folder.ts';
import { json } from '../answer.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { renderEnvelope } from '../wire.ts';
import { toLink } from './folders.ts';

/** A comma precedes a preference, a semicolon a parameter of the preference before it. */
const preference =
  /[ \t]*([,;]?)[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+)?))?)?/y;

/** RFC 7240: "If any preference is specified more than once, only the first instance is to be considered." Invalid
 *  syntax ends the list. */
export function prefersMinimal({ headers }: IncomingMessage): boolean {
  const list = String(headers.prefer ?? '');
  preference.lastIndex = 0;
  for (let at = 0; at < list.length; at = preference.lastIndex) {
    const [, separator = '', name, quoted, token = ''] = preference.exec(list) ?? [];
    if (separator === '' && (name === undefined || at > 0)) return false;
    if (separator !== ';' && name?.toLowerCase() === 'return') return (quoted ?? token).toLowerCase() === 'minimal';
  }
  return false;
}

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
