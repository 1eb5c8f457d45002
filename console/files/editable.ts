// Which files are edited in place.

import type { Entry } from '@cabinet/client';
import { kindOf } from './kind.ts';

const maxBytes = 512 * 1024;

export function isEditable(entry: Entry): boolean {
  return entry.Size <= maxBytes && ['text', 'code', 'markdown', 'table'].includes(kindOf(entry));
}
