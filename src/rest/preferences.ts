// The header `Prefer` (RFC 7240).

import type { IncomingMessage } from 'node:http';

/** A comma precedes a preference, a semicolon a parameter of the preference before it. */
const preference =
  /[ \t]*([,;]?)[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+)?))?)?/y;

/** Whether the answer to a save may leave out the other entries of the folder. */
export function prefersMinimal(request: IncomingMessage): boolean {
  return findPreference(request, 'return') === 'minimal';
}

/** Whether the work may go on after the answer. */
export function prefersAsync(request: IncomingMessage): boolean {
  return findPreference(request, 'respond-async') !== null;
}

/** Its value in lower case; null if it is not there. "If any preference is specified more than once, only the first instance is to
 *  be considered." Invalid syntax ends the list. */
function findPreference({ headers }: IncomingMessage, wanted: string): string | null {
  const list = String(headers.prefer ?? '');
  preference.lastIndex = 0;
  for (let at = 0; at < list.length; at = preference.lastIndex) {
    const [, separator = '', name, quoted, token = ''] = preference.exec(list) ?? [];
    if (separator === '' && (name === undefined || at > 0)) return null;
    if (separator !== ';' && name?.toLowerCase() === wanted) return (quoted ?? token).toLowerCase();
  }
  return null;
}
