// Files that systems leave in every folder they show. With CABINET_DAV_LITTER=discard they are accepted and forgotten.

import type { DavRequest } from './resource.ts';

const litter = /^(\._.*|\.DS_Store|Thumbs\.db|desktop\.ini)$/i;

export function isLitter({ context }: Pick<DavRequest, 'context'>, names: readonly string[]): boolean {
  return context.cabinet.isLitterDiscarded && names.length > 1 && litter.test(names.at(-1) ?? '');
}
