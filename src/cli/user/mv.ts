// `cabinet mv`: moves and renames.

import { changeEntry } from '@cabinet/client';
import type { Command } from 'commander';
import { registerRearrange } from './rearrange.ts';

export function registerMv(program: Command): void {
  registerRearrange(program, 'mv', ({ cabinet, signal }, { entry }, { parent, name, conflict }) =>
    changeEntry(cabinet, { id: entry.Id, parent, name, conflict }, { signal }),
  );
}
