// `cabinet mv`: moves and renames.

import type { Command } from 'commander';
import { changeEntry } from '../../../sdk/src/entries.ts';
import { registerRearrange } from './rearrange.ts';

export function registerMv(program: Command): void {
  registerRearrange(program, 'mv', ({ cabinet, signal }, { entry }, { parent, name, conflict }) =>
    changeEntry(cabinet, { id: entry.Id, parent, name, conflict }, { signal }),
  );
}
