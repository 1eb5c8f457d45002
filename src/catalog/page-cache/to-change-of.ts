// What a committed write changes of the cached pages, according to the declaration of its verb.

import { requireWrite } from '../catalog.ts';
import type { PageChange } from './page-change.ts';

/** Null: nothing. */
export function toChangeOf(name: string, result: unknown): PageChange | null {
  const { pages } = requireWrite(name);
  if (pages === 'unchanged') return null;
  return pages === 'all' ? { isEverything: true } : pages(result);
}
