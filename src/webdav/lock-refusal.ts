// How a lock that is in the way is answered: 423 with the address of what is locked (RFC 4918, section 16).

import type { Refusal } from '../domain/refusal.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';
import { DavRefusal } from './dav-refusal.ts';
import { toHref } from './path.ts';
import type { Resource } from './resource.ts';
import { escapeXml } from './xml-text.ts';

/** `isTaking`: the request takes a lock itself, and the two do not go together. */
export function toLockRefusal(
  { message, details: { hint = '', locked } }: Refusal,
  { basePath }: EnvironmentContext,
  { resource, isTaking }: { resource: Resource; isTaking: boolean },
): DavRefusal {
  const condition = isTaking ? 'no-conflicting-lock' : 'lock-token-submitted';
  const [space = ''] = resource.names;
  const isPartial = 'access' in resource && resource.access?.view !== undefined;
  // Whoever sees a part of the space learns that it is locked, not the name of a folder above.
  const names = isPartial ? resource.names.slice(1) : (locked?.path ?? '').split('/').filter((name) => name !== '');
  const href = escapeXml(toHref(basePath, [space, ...names], locked?.isFolder ?? false));
  const text = isTaking ? message : `${message} ${hint}`;
  return new DavRefusal(423, text, `<D:${condition}><D:href>${href}</D:href></D:${condition}>`);
}
